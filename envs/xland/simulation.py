"""XLandSimulation: a task's world in motion, its players' actions, and the rewards of its game."""

from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np

from procgen_bench.core.errors import InvalidOptionError, InvalidTaskError, ResetNeededError
from procgen_bench.core.pointers import write_places
from procgen_bench.engine.physics_state import (
    FORCE_SCALE,
    load_physics,
    physics_vector,
    save_physics,
    take_over,
    vector_scales,
)
from procgen_bench.envs.xland.actions import ACTION_CHOICES, check_actions
from procgen_bench.envs.xland.bodies import Bodies
from procgen_bench.envs.xland.gadgets import Effects
from procgen_bench.envs.xland.model import OBJECT_POSITIONS, OBJECT_VELOCITIES, PLAYER_SLIDES
from procgen_bench.envs.xland.players import new_players
from procgen_bench.envs.xland.stepping import WORLD, advance
from procgen_bench.tasks.xland.predicates.atom_table import NUM_ATOMS
from procgen_bench.tasks.xland.predicates.rewards import compile_goals
from procgen_bench.tasks.xland.predicates.states import States, scene_arrays
from procgen_bench.tasks.xland.task import XLandTask

#: Steps of an episode: two minutes.
EPISODE_STEPS = 900
#: Reasons for which an episode ends.
TIME_IS_UP, DIVERGED = "time is up", "the physics diverged"
_NO_ACTIONS = np.zeros((0, len(ACTION_CHOICES)), np.int64)


def physics_scales(num_objects: int, num_players: int) -> np.ndarray:
    """Scales of :meth:`XLandSimulation.physics_vector`, float64 (20 * objects + 10 * players,); see
    :class:`PhysicsEnv`."""
    of_data = vector_scales(
        OBJECT_POSITIONS * num_objects + PLAYER_SLIDES * num_players,
        OBJECT_VELOCITIES * num_objects + PLAYER_SLIDES * num_players,
    )
    return np.concatenate([of_data, np.full(num_objects, FORCE_SCALE), np.ones(num_players)])


class XLandSimulation:
    """One task's world, as its players move in it for two minutes: 900 steps of 2/15 s.

    Everything follows from the task and the actions; nothing is random. A new simulation has been reset.

    Attributes:
        task: The task.
        bodies: The physical bodies.
        effects: What gadgets have done: bodies frozen, gone, and back and immune.
        players: PLAYER (P,), what is known of the players besides their bodies.
        states: The state of the one world; every step overwrites the same arrays.
        truths: bool (1, P, 212), the atoms that the game's goals name, as each player sees them; the others are False.
        rewards: float64 (P,), 1 for every player whose goal is met.
        steps: Number of steps taken.
        ended: Why the episode is over: ``TIME_IS_UP``, ``DIVERGED``, or ``None`` while it goes on.
        hand_is_holding: bool (P,).
        hand_distance: float64 (P,), metres from the eye to the centre of the held object; 0 without.
        hand_force: float64 (P,), newtons of the beam on the held object; 0 without.
        places: WORLD (1,), where all of this lies, for :mod:`~procgen_bench.envs.xland.stepping`.
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
        self.rewards = self._rewards[0]
        self.hand_is_holding, self.acceleration = self.players["holding"], self.players["acceleration"]
        self.hand_distance, self.hand_force = self.players["hand_distance"], self.players["hand_force"]
        self._carried = self.bodies.support[: OBJECT_VELOCITIES * self.bodies.num_objects][2::OBJECT_VELOCITIES]
        self.places = np.zeros(1, WORLD)
        self._others = {
            "players": self.players,
            "newcomers": new_players(world.player_yaws),
            "gadgets": np.array(world.player_gadgets, np.int8),
            "colours": np.array(world.player_colours, np.int8),
            "floors": np.array(world.floors, np.int8),
            "laden": np.zeros(self.bodies.num_objects, np.bool_),
            "old_positions": np.empty_like(self.bodies.positions),
            "old_velocities": np.empty_like(self.bodies.velocities),
        }
        self._game = {"wanted": goals.used_atoms(), **goals._asdict(), "truths": self.truths, "rewards": self._rewards}
        self.places["bodies"] = self.bodies.places
        for part, arrays in (
            ("effects", self.effects.arrays._asdict()),
            ("scenes", self.states.scenes._asdict()),
            ("states", self._state_arrays._asdict()),
            ("game", self._game),
            ("others", self._others),
        ):
            write_places(self.places[0][part], arrays)
        self.reset()

    def reset(self) -> None:
        """Begin the task's episode from its start."""
        self.effects.clear()
        self.bodies.begin()
        self.players[:] = new_players(self.task.world.player_yaws)
        self.steps = 0
        self.ended: str | None = None
        self.states.contacts[:] = False
        advance(self.places, _NO_ACTIONS)

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
        actions = check_actions(actions, self.bodies.num_players)
        self.note_step(advance(self.places, actions))
        return self.rewards

    def note_step(self, sound: bool) -> bool:
        """Count a step that :func:`~procgen_bench.envs.xland.stepping.advance` has taken, ``sound`` or not, and say
        whether the episode has ended."""
        self.steps += 1
        if not sound:
            self.ended = DIVERGED
        elif self.steps == EPISODE_STEPS:
            self.ended = TIME_IS_UP
        return self.ended is not None

    def save(self) -> dict[str, Any]:
        """Everything that decides how the episode goes on, and what it was observed to be, to :meth:`load`."""
        arrays = {name: array.copy() for name, array in self._arrays().items()}
        numbers = {"fingerprint": self._fingerprint, "steps": self.steps, "reason": self.ended}
        return numbers | arrays | save_physics(self.bodies.data)

    def load(self, saved: Mapping[str, Any]) -> None:
        """Go on from what was saved of this simulation, or of another one of an equal task, bit for bit.

        Raises:
            InvalidOptionError: It is of another task, of a simulation with another ``sleep``, or saved by a version in
                which less decided how the episode goes on.
        """
        absent = self.save().keys() - saved.keys()
        if absent:
            raise InvalidOptionError(
                f"the saved state lacks {', '.join(sorted(absent))}: another version of procgen_bench saved it; "
                "save the state again with this version"
            )
        if saved["fingerprint"] != self._fingerprint:
            raise InvalidOptionError(
                f"the saved state belongs to task {saved['fingerprint']}; this environment plays {self._fingerprint}"
            )
        self.effects.apply(saved["frozen"], saved["gone"], saved["immune"])
        load_physics(self.bodies.data, saved)
        for name, array in self._arrays().items():
            array[...] = saved[name]
        self.steps, self.ended = saved["steps"], saved["reason"]

    def physics_vector(self) -> np.ndarray:
        """float64 (20 K + 10 P,): MuJoCo's vector, the force upwards on what each object rests on, and how far from its
        eye each player holds.

        Where players look is not in it: it follows from their actions alone. Numbers of physics that has diverged and
        that are none are 0.
        """
        vector = np.concatenate([physics_vector(self.bodies.data), self._carried, self.players["distance"]])
        return np.nan_to_num(vector, copy=False, nan=0.0, posinf=0.0, neginf=0.0)

    def restore_physics(self, vector: np.ndarray) -> None:
        """Go on from a vector, float64 (20 K + 10 P,), that :meth:`physics_vector` gave; see :class:`PhysicsEnv`."""
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
            "laden": self._others["laden"],
            **self.effects.arrays._asdict(),
            "truths": self.truths,
            "rewards": self._rewards,
            **self._state_arrays._asdict(),
        }


def _resumed(task: XLandTask, sleep: bool, saved: Mapping[str, Any]) -> XLandSimulation:
    """A copy or a pickle of a simulation."""
    simulation = XLandSimulation(task, sleep)
    simulation.load(saved)
    return simulation
