"""Players: how they walk, turn, and step up."""

import math

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.envs.xland.actions import (
    GADGET,
    GRAB,
    GREATEST_PITCH,
    LOOK,
    LOOK_SPEEDS,
    MOVE,
    MOVE_SPEEDS,
    STRAFE,
    STRAFE_SPEEDS,
    TURN,
    TURN_SPEEDS,
    WALK_SPEED,
)
from procgen_bench.envs.xland.model import OBJECT_POSITIONS, OBJECT_VELOCITIES, PLAYER_MASS, PLAYER_SLIDES
from procgen_bench.tasks.xland.entities import PLAYER_HEIGHT, PLAYER_RADIUS

GRAVITY = 9.81
#: Seconds in which a player's speed comes to that it wants, and the greatest force for it (newtons): one and a half
#: times its weight carries it up slopes of 56 degrees.
WALK_RESPONSE, WALK_FORCE = 0.03, 1.5 * PLAYER_MASS * GRAVITY
#: Friction of a player that stands, and of one that walks: feet push, they do not slide. Who stops stands from this
#: speed (metres per second) on: friction of what slides faster would lift it, as contacts are modelled.
STANDING_FRICTION, WALKING_FRICTION, STANDING_SPEED = 1.2, 0.0, 0.5
#: Height that a player steps over (metres): the edge of a slab, and less than a third of the least level of generated
#: worlds; and the speed at which its feet rise (metres per second).
STEP_HEIGHT, STEP_SPEED = 0.35, 2.0
#: How far ahead of its body (metres) a player feels for a step: it walks 0.4 m in a step of 2/15 s.
STEP_REACH = 0.45

#: A player, but for its body's position and velocity. Fields:
#:
#: - there: whether it is in the world in this step,
#: - yaw, pitch: radians, see :class:`~procgen_bench.tasks.xland.predicates.states.States`,
#: - turning, looking: their speeds (radians per second) in this step,
#: - ahead, aside: speeds forwards and to the right that it wants (metres per second),
#: - step_top: height to which its feet step up (metres), -inf where there is no step,
#: - takes, uses, feels: whether it looks for something to hold, uses its gadget, and feels for a step in this step,
#: - axis: the direction in which it looks as the step begins,
#: - held: the object that its beam holds, or -1,
#: - distance: from the eye to the point where the beam holds it (metres),
#: - force: of the beam on the object (newtons, in the world's axes),
#: - cooldown: steps until the gadget can be used again,
#: - holding, hand_distance, hand_force: whether it holds an object; how far from its eye the object's centre is
#:   (metres) and how strong the beam is (newtons), 0 without,
#: - velocity: of its body at the end of the last step (metres per second),
#: - acceleration: mean of the last step, forwards, to the left and upwards (metres per second squared).
PLAYER = np.dtype(
    [
        ("there", np.bool_),
        ("yaw", np.float64),
        ("pitch", np.float64),
        ("turning", np.float64),
        ("looking", np.float64),
        ("ahead", np.float64),
        ("aside", np.float64),
        ("step_top", np.float64),
        *((name, np.bool_) for name in ("takes", "uses", "feels")),
        ("axis", np.float64, 3),
        ("held", np.int64),
        ("distance", np.float64),
        ("force", np.float64, 3),
        ("holding", np.bool_),
        ("hand_distance", np.float64),
        ("hand_force", np.float64),
        ("cooldown", np.int64),
        ("velocity", np.float64, 3),
        ("acceleration", np.float64, 3),
    ],
    align=True,
)


def new_players(yaws: np.ndarray) -> np.ndarray:
    """Players at rest that look towards ``yaws`` (float64 (P,), radians): PLAYER (P,)."""
    players = np.zeros(len(yaws), PLAYER)
    players["yaw"], players["held"], players["step_top"] = yaws, -1, -np.inf
    return players


@njit
def intend(players, objects, actions, gone, positions, velocities, friction):
    """Take up the actions of the players that are there; the others do nothing.

    Args:
        players: PLAYER (P,), changed.
        objects: OBJECT (K,).
        actions: int64 (P, 6).
        gone: int64 (K + P,), above 0 for what is gone.
        positions, velocities, friction: See :class:`~procgen_bench.envs.xland.bodies.Bodies`; the players' friction is
            written.

    Returns:
        Whether some player takes or uses something, and whether one feels for a step.
    """
    num_objects, some_aim, some_feel = objects.shape[0], False, False
    for p in range(players.shape[0]):
        player, first = players[p], OBJECT_VELOCITIES * num_objects + PLAYER_SLIDES * p
        player.step_top = -math.inf
        player.turning = player.looking = player.ahead = player.aside = 0.0
        player.cooldown = max(player.cooldown - 1, 0)
        player.there = gone[num_objects + p] == 0
        if player.there:
            player.turning, player.looking = TURN_SPEEDS[actions[p, TURN]], LOOK_SPEEDS[actions[p, LOOK]]
            ahead, aside = MOVE_SPEEDS[actions[p, MOVE]], STRAFE_SPEEDS[actions[p, STRAFE]]
            scale = WALK_SPEED / max(math.hypot(ahead, aside), WALK_SPEED)
            player.ahead, player.aside = scale * ahead, scale * aside
        if not (player.there and actions[p, GRAB]):
            player.held = -1
        player.takes = player.there and actions[p, GRAB] and player.held < 0
        player.uses = player.there and actions[p, GADGET] and player.cooldown == 0
        player.axis[0], player.axis[1], player.axis[2] = view_axis(player)
        walks = player.ahead != 0.0 or player.aside != 0.0
        moves = math.hypot(velocities[first], velocities[first + 1]) > STANDING_SPEED
        friction[num_objects + p] = WALKING_FRICTION if walks or moves else STANDING_FRICTION
        player.feels = walks and _is_near_objects(objects, gone, positions, num_objects, p)
        some_aim, some_feel = some_aim or player.takes or player.uses, some_feel or player.feels
    return some_aim, some_feel


@njit
def _is_near_objects(objects, gone, positions, num_objects, p):
    """Whether a player may come to an object in this step."""
    place = OBJECT_POSITIONS * num_objects + PLAYER_SLIDES * p
    for k in range(num_objects):
        x = positions[OBJECT_POSITIONS * k] - positions[place]
        y = positions[OBJECT_POSITIONS * k + 1] - positions[place + 1]
        z = positions[OBJECT_POSITIONS * k + 2] - positions[place + 2]
        reach = objects[k].reach
        if (
            gone[k] == 0
            and math.hypot(x, y) < PLAYER_RADIUS + STEP_REACH + reach
            and abs(z) < PLAYER_HEIGHT / 2 + reach
        ):
            return True
    return False


@njit
def view_axis(player):
    """The direction in which a player looks."""
    cos_pitch = math.cos(player.pitch)
    return cos_pitch * math.cos(player.yaw), cos_pitch * math.sin(player.yaw), math.sin(player.pitch)


@njit
def wanted_velocity(player):
    """East and north, metres per second."""
    cos, sin = math.cos(player.yaw), math.sin(player.yaw)
    return cos * player.ahead + sin * player.aside, sin * player.ahead - cos * player.aside


@njit
def turn(player, seconds):
    """Turn and tilt the camera for a while."""
    player.yaw += player.turning * seconds
    player.yaw -= 2 * math.pi * math.floor((player.yaw + math.pi) / (2 * math.pi))
    player.pitch = min(max(player.pitch + player.looking * seconds, -GREATEST_PITCH), GREATEST_PITCH)


@njit
def walk(player, feet, velocity, force):
    """Write the forces by which a player walks: a servo of its velocity, limited.

    Args:
        player: PLAYER.
        feet: Height of its feet (metres).
        velocity: float64 (3,), its body's (metres per second).
        force: float64 (3,), written (newtons).
    """
    east, north = wanted_velocity(player)
    x = PLAYER_MASS / WALK_RESPONSE * (east - velocity[0])
    y = PLAYER_MASS / WALK_RESPONSE * (north - velocity[1])
    scale = WALK_FORCE / max(math.hypot(x, y), WALK_FORCE)
    force[0], force[1], force[2] = scale * x, scale * y, 0.0
    if feet < player.step_top:
        rise = min((player.step_top - feet) / WALK_RESPONSE, STEP_SPEED)
        force[2] = PLAYER_MASS * (GRAVITY + (rise - velocity[2]) / WALK_RESPONSE)
