"""XLandSimulation: a task's world in motion, its players' actions, and the rewards of its game."""

import math
from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np
from mujoco import mj_step

from procgen_bench.core.errors import InvalidOptionError, InvalidTaskError, ResetNeededError
from procgen_bench.engine.physics_state import (
    FORCE_SCALE,
    load_physics,
    physics_vector,
    save_physics,
    take_over,
    vector_scales,
)
from procgen_bench.envs.xland.actions import check_actions
from procgen_bench.envs.xland.beam import (
    BEAM_RANGE,
    EYE_ABOVE_CENTRE,
    GREATEST_DISTANCE,
    LEAST_DISTANCE,
)
from procgen_bench.envs.xland.bodies import Bodies
from procgen_bench.envs.xland.driving import check, drive, note
from procgen_bench.envs.xland.footholds import foothold
from procgen_bench.envs.xland.gadgets import COOLDOWN_STEPS, Effects
from procgen_bench.envs.xland.model import (
    FORCE_SUBSTEPS,
    OBJECT_POSITIONS,
    OBJECT_VELOCITIES,
    PLAYER_SLIDES,
    SUBSTEPS,
    TIMESTEP,
)
from procgen_bench.envs.xland.overlaps import separate
from procgen_bench.envs.xland.perception import observe
from procgen_bench.envs.xland.players import intend, new_players, wanted_velocity
from procgen_bench.tasks.xland.predicates.atom_table import NUM_ATOMS
from procgen_bench.tasks.xland.predicates.rewards import compile_goals
from procgen_bench.tasks.xland.predicates.states import States, scene_arrays
from procgen_bench.tasks.xland.task import XLandTask

#: From a player's centre to its eye (metres).
_EYE = np.array([0.0, 0.0, EYE_ABOVE_CENTRE])
#: Steps of the physics between two times at which forces are renewed; they add up to a step of the agents.
_COUNTS = [min(FORCE_SUBSTEPS, SUBSTEPS - done) for done in range(0, SUBSTEPS, FORCE_SUBSTEPS)]
#: Steps of an episode: two minutes.
EPISODE_STEPS = 900
#: Reasons for which an episode ends.
TIME_IS_UP, DIVERGED = "time is up", "the physics diverged"


def physics_scales(num_objects: int, num_players: int) -> np.ndarray:
    """Scales of :meth:`XLandSimulation.physics_vector`; see :class:`PhysicsEnv`."""
    of_data = vector_scales(
        OBJECT_POSITIONS * num_objects + PLAYER_SLIDES * num_players,
        OBJECT_VELOCITIES * num_objects + PLAYER_SLIDES * num_players,
    )
    return np.concatenate([of_data, np.full(num_objects, FORCE_SCALE), np.ones(num_players)])


class XLandSimulation:
    """One task's world, as its players move in it for two minutes: 900 steps of 2/15 s.

    Everything follows from the task and the actions; there is no chance. A new simulation has been reset.

    Attributes:
        task: The task.
        bodies: The physical bodies.
        effects: What gadgets have done: bodies frozen and gone.
        players: PLAYER (P,), what is known of the players beside their bodies.
        states: The state, filled anew by every step in the same arrays: one of one world.
        truths: bool (1, P, 212), the atoms that the game's goals name, as each player sees them; the others are False.
        rewards: float64 (P,), 1 for every player whose goal is met.
        steps: Number of steps taken.
        ended: Why the episode is over: ``TIME_IS_UP``, ``DIVERGED``, or ``None`` while it goes on.
        hand_is_holding: bool (P,).
        hand_distance: float64 (P,), metres from the eye to the centre of the held object; 0 without.
        hand_force: float64 (P,), newtons of the beam on the held object; 0 without.
        acceleration: float64 (P, 3), mean of the last step: forwards, to the left, upwards (metres per second squared).

    Args:
        task: A valid task.
        sleep: Whether what lies still sleeps; without, the same physics is simulated throughout, slower.

    Raises:
        InvalidTaskError, UnknownNameError: It is no task, or not a valid one.
    """

    def __init__(self, task: XLandTask, sleep: bool = True):
        if not isinstance(task, XLandTask):
            raise InvalidTaskError("task", task, "an XLandTask")
        task.validate()
        world = task.world
        self.task = task
        self._sleep = sleep
        self._fingerprint = task.fingerprint() + ("" if sleep else ", without sleep")
        self.bodies = Bodies(world, sleep)
        self.effects = Effects(self.bodies)
        num_players = self.bodies.num_players
        self.players = new_players(world.player_yaws)
        self.states = States.empty(scene_arrays([world]), 1, num_players)
        self._state_arrays = self.states.arrays
        goals = compile_goals([task.game])
        self.truths, self._rewards = np.zeros((1, num_players, NUM_ATOMS), np.bool_), np.zeros((1, num_players))
        self._game = goals.used_atoms(), *goals, self.truths, self._rewards
        self.rewards = self._rewards[0]
        self.hand_is_holding, self.acceleration = self.players["holding"], self.players["acceleration"]
        self.hand_distance, self.hand_force = self.players["hand_distance"], self.players["hand_force"]
        self._takes, self._uses, self._feels = (self.players[name] for name in ("takes", "uses", "feels"))
        self._axes = self.players["axis"]
        self._carried = self.bodies.support[: OBJECT_VELOCITIES * self.bodies.num_objects][2::OBJECT_VELOCITIES]
        self._before = np.empty_like(self.bodies.positions), np.empty_like(self.bodies.velocities)
        # Read-only arrays would have kernels compiled for once more.
        self._ground = world.kinds.copy(), world.levels.copy(), world.floors.copy(), world.tile_size.copy()
        self.reset()

    def reset(self) -> None:
        """Begin the task's episode anew."""
        self.effects.clear()
        self.bodies.begin()
        self.players[:] = new_players(self.task.world.player_yaws)
        self.steps = 0
        self.ended: str | None = None
        self.states.contacts[:] = False
        self._observe()

    def step(self, actions: np.ndarray) -> np.ndarray:
        """Advance the world by 2/15 s.

        Args:
            actions: Whole numbers (P, 6), see :mod:`procgen_bench.envs.xland.actions`; of players that are gone, they
                do nothing.

        Returns:
            ``rewards``: float64 (P,), which the next step overwrites.

        Raises:
            InvalidActionError: The actions have another shape or type, or one is out of its range.
            ResetNeededError: The episode is over.
        """
        if self.ended is not None:
            raise ResetNeededError(
                f"the episode ended after {self.steps} steps ({self.ended}); reset it, or load a state"
            )
        bodies = self.bodies
        actions = check_actions(actions, bodies.num_players)
        self._release_what_returns()
        some_aim, some_feel = intend(
            self.players,
            bodies.objects,
            actions,
            self.effects.gone,
            bodies.positions,
            bodies.velocities,
            bodies.friction,
        )
        if some_aim:
            self._use_hands()
        if some_feel:
            self._find_footholds()
        self.steps += 1
        if not self._advance():
            self.ended = DIVERGED
            self.rewards[:] = 0.0
            return self.rewards
        self._observe()
        if self.steps == EPISODE_STEPS:
            self.ended = TIME_IS_UP
        return self.rewards

    def save(self) -> dict[str, Any]:
        """Everything that decides how the episode goes on, and what it was observed to be, to :meth:`load`."""
        arrays = {name: array.copy() for name, array in self._arrays().items()}
        numbers = {"fingerprint": self._fingerprint, "steps": self.steps, "reason": self.ended}
        return numbers | arrays | save_physics(self.bodies.data)

    def load(self, saved: Mapping[str, Any]) -> None:
        """Go on from what was saved of this simulation, or of another one of an equal task, bit for bit.

        Raises:
            InvalidOptionError: It is of another task, or of a simulation with another ``sleep``.
        """
        if saved["fingerprint"] != self._fingerprint:
            raise InvalidOptionError(f"the state is one of task {saved['fingerprint']}, expected {self._fingerprint}")
        self.effects.apply(saved["frozen"], saved["gone"])
        load_physics(self.bodies.data, saved)
        for name, array in self._arrays().items():
            array[...] = saved[name]
        self.steps, self.ended = saved["steps"], saved["reason"]

    def physics_vector(self) -> np.ndarray:
        """MuJoCo's vector, the force upwards on what each object rests on, and how far from its eye each player holds.

        Where players look is not in it: it follows from their actions alone. Numbers of physics that has diverged and
        that are none are 0.
        """
        vector = np.concatenate([physics_vector(self.bodies.data), self._carried, self.players["distance"]])
        return np.nan_to_num(vector, copy=False, nan=0.0, posinf=0.0, neginf=0.0)

    def restore_physics(self, vector: np.ndarray) -> None:
        """Go on from a vector that :meth:`physics_vector` gave; see :class:`PhysicsEnv`."""
        bodies = self.bodies
        of_data, carried, distances = np.split(vector, [-bodies.num_objects - bodies.num_players, -bodies.num_players])
        take_over(bodies.model, bodies.data, of_data)
        self._carried[:], self.players["distance"] = carried, distances
        self.players["velocity"] = bodies.player_velocities
        mujoco.mj_kinematics(bodies.model, bodies.data)  # players aim before the next step of the physics

    def __reduce__(self):
        # MuJoCo's own pickles lose what sleeps.
        return _resumed, (self.task, self._sleep, self.save())

    def _arrays(self) -> dict[str, np.ndarray]:
        """Our own arrays that are part of the state, or say what it was observed to be."""
        return {
            "players": self.players,
            "frozen": self.effects.frozen,
            "gone": self.effects.gone,
            "truths": self.truths,
            "rewards": self._rewards,
            **self._state_arrays._asdict(),
        }

    def _release_what_returns(self) -> None:
        """Bodies whose time is over thaw or come back; players that do look as they did at first."""
        for body in self.effects.pass_step().tolist():
            p = body - self.bodies.num_objects
            if p >= 0:
                self.players[p] = new_players(self.task.world.player_yaws[p : p + 1])[0]

    def _use_hands(self) -> None:
        """Beams take what they meet, gadgets are used; all players aim before any gadget takes effect."""
        used = []
        for p in np.flatnonzero(self._takes | self._uses).tolist():
            distance, body = self._aim(p)
            if self._takes[p] and 0 <= body < self.bodies.num_objects and distance <= BEAM_RANGE:
                self._take(p, body)
            if self._uses[p]:
                self.players[p]["cooldown"] = COOLDOWN_STEPS
                used.append((int(self.task.world.player_gadgets[p]), body))
        for gadget, body in used:
            if body >= 0 and self.effects.present[body] and self.effects.use(gadget, body):
                self._let_go_of_what_is_gone()

    def _aim(self, p: int) -> tuple[float, int]:
        """Distance and number of the body that a player looks at; -1: the ground, a wall, nothing."""
        eye = self.bodies.player_places[p] + _EYE
        return self.bodies.ray(eye, self._axes[p], p)[:2]

    def _take(self, p: int, k: int) -> None:
        eye = self.bodies.player_places[p] + _EYE
        distance = math.dist(self.bodies.object_poses[k, :3], eye)
        self.players[p]["held"] = k
        self.players[p]["distance"] = min(max(distance, LEAST_DISTANCE), GREATEST_DISTANCE)

    def _let_go_of_what_is_gone(self) -> None:
        gone, num_objects = self.effects.gone > 0, self.bodies.num_objects
        for p, player in enumerate(self.players):
            player["there"] = not gone[num_objects + p]
            if not player["there"] or (player["held"] >= 0 and gone[player["held"]]):
                player["held"] = -1

    def _find_footholds(self) -> None:
        """Players that walk look where they step up."""
        for p in np.flatnonzero(self._feels).tolist():
            player = self.players[p]
            if player["there"]:
                player["step_top"] = foothold(self.bodies, p, *wanted_velocity(player))

    def _advance(self) -> bool:
        """Simulate a step of the agents, and whether its physics is sound."""
        bodies, players = self.bodies, self.players
        model, data, objects = bodies.model, bodies.data, bodies.objects
        positions, velocities, friction, applied = bodies.positions, bodies.velocities, bodies.friction, bodies.applied
        support, before = bodies.support, self._before
        note(positions, velocities, before)
        try:
            for count in _COUNTS:
                seconds = count * TIMESTEP
                if not drive(players, objects, positions, velocities, friction, applied, support, before, seconds):
                    return False
                mj_step(model, data, count)
            if not check(objects, positions, velocities, before):
                return False
            separate(bodies, self.effects)
        except mujoco.FatalError:
            return False
        bodies.calm()
        return not bodies.has_warned()

    def _observe(self) -> None:
        """Fill the state, the truths and the rewards."""
        bodies, contact = self.bodies, self.bodies.data.contact
        observe(
            self.states.scenes,
            self._state_arrays,
            self.players,
            self.effects.gone,
            bodies.positions,
            bodies.velocities,
            (contact.geom, contact.frame, contact.pos),
            self._ground,
            bodies.body_of_geom,
            bodies.awake,
            self._game,
        )


def _resumed(task: XLandTask, sleep: bool, saved: Mapping[str, Any]) -> XLandSimulation:
    """A copy or a pickle of a simulation."""
    simulation = XLandSimulation(task, sleep)
    simulation.load(saved)
    return simulation
