"""Entities as rows of numbers: what a player knows of objects and players, and where all of a world stands."""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.tasks.xland.entities import COLOURS, MAX_PLAYERS, PLAYER_HEIGHT, PLAYERS
from procgen_bench.tasks.xland.predicates.bodies import BODY, CAPSULE, empty_balls, enclose, place_bodies
from procgen_bench.tasks.xland.predicates.camera import CAMERA
from procgen_bench.tasks.xland.predicates.ground import GROUND, place_ground
from procgen_bench.tasks.xland.predicates.relations import player_sees
from procgen_bench.tasks.xland.worlds.options import NUM_OBJECTS

#: Rows of entities: objects in the world's order, then players in the task's.
NUM_ENTITIES = NUM_OBJECTS + MAX_PLAYERS
#: Columns of a row of :func:`state_array`, and its length.
STATE_FEATURES = 28
STATE_LENGTH = 1 + NUM_ENTITIES * STATE_FEATURES
#: Columns of an entity: where each of its parts begins.
SEEN, SHAPE = 0, 1
OBJECT_COLOUR = SHAPE + CAPSULE + 1
PLAYER_COLOUR = OBJECT_COLOUR + len(COLOURS)
SIZE = PLAYER_COLOUR + len(PLAYERS)
POSITION, X_AXIS, Z_AXIS = SIZE + 1, SIZE + 4, SIZE + 7
HELD_BY_ME, HELD_BY_OTHER, FROZEN = SIZE + 10, SIZE + 11, SIZE + 12
ENTITY_FEATURES = FROZEN + 1


def state_array(simulation: XLandSimulation) -> np.ndarray:
    """The state of a world in its own directions (east, north, up).

    With the task it says where an episode stands, but for what MuJoCo's solver sets out from and what sleeps; to go on
    from a state, bit for bit, there is :meth:`XLandSimulation.save`. Where the physics diverged it is as MuJoCo left
    it, and may hold numbers that are not finite.

    Returns:
        float64 (421,): the steps taken, then 28 numbers for each of 12 objects and 3 players, in the order of entities,
        zeros for those that the task has not:

        - 0: 1; 1 to 12: shape, colours and size as in an entity's columns,
        - 13 to 15: position (metres); 16 to 19: rotation (w, x, y, z), a player's by its yaw; 20 to 22: velocity
          (metres per second),
        - 23 to 25: of an object its spin about its own axes (radians per second); of a player its pitch (radians), the
          object that it holds (its row from 1, 0 for none), and the distance at which its beam holds it (metres),
        - 26: steps for which an object stays frozen, or until a player can use its gadget,
        - 27: steps for which it stays away.
    """
    bodies, effects, world = simulation.bodies, simulation.effects, simulation.task.world
    out = np.zeros(STATE_LENGTH)
    out[0] = simulation.steps
    rows = out[1:].reshape(NUM_ENTITIES, STATE_FEATURES)
    num_objects, num_players = bodies.num_objects, bodies.num_players
    of_objects, of_players = rows[:num_objects], rows[NUM_OBJECTS : NUM_OBJECTS + num_players]
    k, p = np.arange(num_objects), np.arange(num_players)
    of_objects[:, 0] = of_players[:, 0] = 1.0
    of_objects[k, SHAPE + world.object_shapes] = of_objects[k, OBJECT_COLOUR + world.object_colours] = 1.0
    of_players[:, SHAPE + CAPSULE] = of_players[p, PLAYER_COLOUR + world.player_colours] = 1.0
    of_objects[:, SIZE], of_players[:, SIZE] = world.object_sizes, PLAYER_HEIGHT
    of_objects[:, 13:20], of_objects[:, 20:26] = bodies.object_poses, bodies.object_motions
    players = simulation.players
    of_players[:, 13:16], of_players[:, 20:23] = bodies.player_places, bodies.player_velocities
    of_players[:, 16], of_players[:, 19] = np.cos(players["yaw"] / 2), np.sin(players["yaw"] / 2)
    of_players[:, 23], of_players[:, 24] = players["pitch"], 1 + players["held"]
    of_players[:, 25] = np.where(players["held"] >= 0, players["distance"], 0.0)
    of_objects[:, 26], of_players[:, 26] = effects.frozen[:num_objects], players["cooldown"]
    of_objects[:, 27], of_players[:, 27] = effects.gone[:num_objects], effects.gone[num_objects:]
    return out


@njit
def write_entities(scenes, states, player_colours, frozen, privileged, out):
    """Write what the first players know of the entities of one state; nothing is checked.

    Args:
        scenes, states: ``SceneArrays`` of one world, ``StateArrays`` of one state.
        player_colours: int8 (P,), places in ``PLAYERS``.
        frozen: int64 (K + P,), above 0 for what is frozen.
        privileged: Whether players know of what they do not see.
        out: float32 (Q, 15, 25), zeros.
    """
    num_objects, num_players = scenes.object_shapes.shape[1], states.player_yaws.shape[1]
    bodies, cameras = np.empty(num_objects + num_players, BODY), np.empty(num_players, CAMERA)
    ground, balls = np.empty(1, GROUND)[0], empty_balls(num_objects + num_players)
    place_ground(ground, scenes, 0)
    place_bodies(bodies, cameras, scenes, states, 0)
    enclose(bodies, balls)
    for p in range(out.shape[0]):
        own, is_there = num_objects + p, states.players_present[0, p]
        cos, sin = np.cos(states.player_yaws[0, p]), np.sin(states.player_yaws[0, p])
        for body in range(num_objects + num_players):
            if bodies[body].shape < 0:
                continue  # gone, or padded
            knows = privileged or body == own
            if not (knows or (is_there and player_sees(bodies, balls, ground, cameras[p], own, body))):
                continue
            row = out[p, body if body < num_objects else NUM_OBJECTS + body - num_objects]
            row[SEEN], row[SHAPE + bodies[body].shape], row[FROZEN] = 1.0, 1.0, frozen[body] > 0
            _write_place(row, bodies[body].centre, states.player_positions[0, p], cos, sin)
            if body >= num_objects:
                camera = cameras[body - num_objects]
                row[PLAYER_COLOUR + player_colours[body - num_objects]] = 1.0
                row[SIZE] = PLAYER_HEIGHT
                _write_direction(row, X_AXIS, camera.forward, cos, sin)
                _write_direction(row, Z_AXIS, camera.up, cos, sin)
                continue
            row[OBJECT_COLOUR + scenes.object_colours[0, body]] = 1.0
            row[SIZE] = bodies[body].size
            _write_direction(row, X_AXIS, bodies[body].frame[:, 0], cos, sin)
            _write_direction(row, Z_AXIS, bodies[body].frame[:, 2], cos, sin)
            for q in range(num_players):
                if states.held[0, q, body]:
                    row[HELD_BY_ME if q == p else HELD_BY_OTHER] = 1.0


@njit
def _write_place(row, place, origin, cos, sin):
    """Write where something is (metres), from a player of this heading: ahead, to its left, above."""
    x, y = place[0] - origin[0], place[1] - origin[1]
    row[POSITION], row[POSITION + 1] = cos * x + sin * y, cos * y - sin * x
    row[POSITION + 2] = place[2] - origin[2]


@njit
def _write_direction(row, column, direction, cos, sin):
    """Write a direction as a player of this heading has it: ahead, to its left, upwards."""
    x, y = direction[0], direction[1]
    row[column], row[column + 1], row[column + 2] = cos * x + sin * y, cos * y - sin * x, direction[2]
