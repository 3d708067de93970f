"""What players observe of a simulation: its picture or its entities, what they feel, their last action, their goal."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from gymnasium import spaces

from procgen_bench.core.compiled import njit
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.pointers import matrix, vector
from procgen_bench.envs.xland.actions import ACTION_CHOICES
from procgen_bench.envs.xland.entity_rows import ENTITY_FEATURES, NUM_ENTITIES, write_entities
from procgen_bench.envs.xland.players import PLAYER
from procgen_bench.envs.xland.raycaster import draw_players
from procgen_bench.envs.xland.rays.scenery import scenery
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.envs.xland.stepping import scenes_at, states_at
from procgen_bench.envs.xland.terrain import OUTSIDE, TERRAIN_SIDE, write_terrain
from procgen_bench.tasks.xland.entities import FLOORS
from procgen_bench.tasks.xland.games.atoms import ATOMS
from procgen_bench.tasks.xland.games.goal import Goal
from procgen_bench.tasks.xland.predicates.camera import PICTURE_SHAPE
from procgen_bench.tasks.xland.task import XLandTask
from procgen_bench.tasks.xland.worlds.options import NUM_OBJECTS

#: What of the world is observed: its picture, its entities, or both.
KINDS = ("pixels", "state", "both")
#: Most options and different atoms of an observed goal; the place of an atom where there is none.
GOAL_OPTIONS, GOAL_ATOMS, NO_ATOM = 6, 12, len(ATOMS)
#: Length of the last action, one-hot.
ACTION_LENGTH = sum(ACTION_CHOICES)

#: Actions before the first step: nobody's.
NO_ACTIONS = np.zeros((0, len(ACTION_CHOICES)), np.int64)

_ACTION_OFFSETS = np.cumsum([0, *ACTION_CHOICES[:-1]])
#: What frozen things are drawn in: red, green, blue, and how much of it.
_ICE = (170, 225, 255, 140)


def observation_space(observation: str) -> spaces.Dict:
    """A new space of the observations of one player; ``observation`` is one of ``KINDS``."""
    parts: dict[str, spaces.Space] = {
        "acceleration": spaces.Box(-np.inf, np.inf, (3,), np.float32),
        "hand_is_holding": spaces.Box(0, 1, (1,), np.uint8),
        "hand_distance": spaces.Box(0.0, np.inf, (1,), np.float32),
        "hand_force": spaces.Box(0.0, np.inf, (1,), np.float32),
        "last_action": spaces.Box(0.0, 1.0, (ACTION_LENGTH,), np.float32),
        "goal_matrix": spaces.Box(-1, 1, (GOAL_OPTIONS, GOAL_ATOMS), np.int8),
        "goal_atoms": spaces.Box(0, NO_ATOM, (GOAL_ATOMS,), np.int16),
    }
    if observation != "state":
        parts["rgb"] = spaces.Box(0, 255, (*PICTURE_SHAPE, 3), np.uint8)
    if observation != "pixels":
        terrain = (TERRAIN_SIDE, TERRAIN_SIDE)
        parts["entities"] = spaces.Box(-np.inf, np.inf, (NUM_ENTITIES, ENTITY_FEATURES), np.float32)
        parts["terrain_heights"] = spaces.Box(-np.inf, np.inf, terrain, np.float32)
        parts["terrain_floors"] = spaces.Box(OUTSIDE, len(FLOORS) - 1, terrain, np.int8)
    return spaces.Dict(parts)


class GoalArrays(NamedTuple):
    """A goal as it is observed.

    Attributes:
        matrix: int8 (6, 12), options by atoms: 1 where an option needs the atom, -1 where it needs its negation, 0
            elsewhere; rows and columns beyond the goal's are 0.
        atoms: int16 (12,), places in ``ATOMS`` of the columns, ascending; ``NO_ATOM`` beyond the goal's.
    """

    matrix: np.ndarray
    atoms: np.ndarray


def goal_arrays(goal: Goal) -> GoalArrays:
    """The arrays of a goal.

    Raises:
        InvalidTaskError: It has more options or atoms than they hold.
    """
    used = goal.atoms
    _check_count("options of a goal", len(goal.matrix), GOAL_OPTIONS)
    _check_count("different atoms of a goal", len(used), GOAL_ATOMS)
    matrix, atoms = np.zeros((GOAL_OPTIONS, GOAL_ATOMS), np.int8), np.full(GOAL_ATOMS, NO_ATOM, np.int16)
    matrix[: len(goal.matrix), : len(used)] = goal.matrix[:, used]
    atoms[: len(used)] = used
    return GoalArrays(matrix, atoms)


def check_observable(task: XLandTask) -> None:
    """Raise :class:`InvalidTaskError` where a task has more objects, options or atoms than observations hold."""
    _check_count("objects", len(task.world.object_shapes), NUM_OBJECTS)
    for goal in task.game.goals:
        goal_arrays(goal)


class ShownArrays(NamedTuple):
    """What N players are shown but for pictures and goals: (N, ...) of the shapes and dtypes of
    ``observation_space``."""

    acceleration: np.ndarray
    hand_is_holding: np.ndarray
    hand_distance: np.ndarray
    hand_force: np.ndarray
    last_action: np.ndarray
    entities: np.ndarray
    terrain_heights: np.ndarray
    terrain_floors: np.ndarray


def shown_arrays(arrays: Mapping[str, np.ndarray]) -> ShownArrays:
    """Those of ``arrays`` (N, ...) by name, in their dtypes; of no players (0, ...) where they are not observed."""
    return ShownArrays(*(arrays.get(name, absent) for name, absent in _ABSENT.items()))


_SPACE = observation_space("both")
_ABSENT = {name: np.zeros((0, *(_SPACE[name].shape or ())), _SPACE[name].dtype) for name in ShownArrays._fields}


class Observer:
    """What the players of a simulation observe, in arrays that are new every time.

    Args:
        simulation: The simulation, of a task for which :func:`check_observable` raises nothing.
        observation: One of ``KINDS``.
        privileged: Whether entities that the player does not see are observed, too.
    """

    def __init__(self, simulation: XLandSimulation, observation: str, privileged: bool):
        self._simulation, self._observation, self._privileged = simulation, observation, privileged
        self.goals = [goal_arrays(goal) for goal in simulation.task.game.goals]
        self._parts = {
            name: (part.shape or (), part.dtype)
            for name, part in observation_space(observation).items()
            if name in ShownArrays._fields
        }
        self.scenery = scenery([simulation.task.world])

    def observe(self, last_actions: np.ndarray | None, num_players: int | None = None) -> list[dict[str, np.ndarray]]:
        """The observations of the first players, in ``observation_space``.

        Args:
            last_actions: int64 (P, 6), ``None`` before the first step.
            num_players: How many of them, 1 to P; ``None``: all.
        """
        num_players = len(self.goals) if num_players is None else num_players
        parts = {name: np.zeros((num_players, *shape), dtype) for name, (shape, dtype) in self._parts.items()}
        actions = NO_ACTIONS if last_actions is None else last_actions
        _show(self._simulation.places, actions, self._privileged, shown_arrays(parts))
        if self._observation != "state":
            parts["rgb"] = np.empty((num_players, *PICTURE_SHAPE, 3), np.uint8)
            self.draw(parts["rgb"])
        return [
            {name: array[p] for name, array in parts.items()}
            | {"goal_matrix": goal.matrix.copy(), "goal_atoms": goal.atoms.copy()}
            for p, goal in enumerate(self.goals[:num_players])
        ]

    def draw(self, pictures: np.ndarray) -> None:
        """Draw what the first Q players see into ``pictures``, uint8 (Q, 72, 96, 3)."""
        draw_players(self._simulation.states, self.scenery, pictures[np.newaxis], frozen_tints(self._simulation))


def frozen_tints(simulation: XLandSimulation) -> np.ndarray:
    """Tints, uint8 (1, K + P, 4), for :func:`~procgen_bench.envs.xland.raycaster.draw_players` that show what is
    frozen."""
    frozen = simulation.effects.frozen > 0
    return np.where(frozen[np.newaxis, :, np.newaxis], np.array(_ICE, np.uint8), np.uint8(0))


@njit
def _show(worlds, actions, privileged, out):
    show_world(worlds[0], actions, privileged, out, 0, out.acceleration.shape[0])


@njit
def show_world(world, actions, privileged, out, first, count):
    """Write what the first players of a world observe, but for pictures and goals.

    Args:
        world: A record of WORLD.
        actions: int64 (at least P, 6), their last ones; (0, 6) before the first step.
        privileged: Whether players know of what they do not see.
        out: ``ShownArrays``, written from row ``first`` on.
        first, count: Of the rows.
    """
    players = vector(world.others.players, PLAYER)
    for p in range(count):
        player, row = players[p], first + p
        for axis in range(3):
            out.acceleration[row, axis] = player.acceleration[axis]
        out.hand_is_holding[row, 0] = player.holding
        out.hand_distance[row, 0], out.hand_force[row, 0] = player.hand_distance, player.hand_force
        out.last_action[row] = 0.0
        if actions.shape[0] > 0:
            for kind in range(actions.shape[1]):
                out.last_action[row, _ACTION_OFFSETS[kind] + actions[p, kind]] = 1.0
    if out.entities.shape[0] > 0:
        rows = slice(first, first + count)
        scenes, states = scenes_at(world.scenes), states_at(world.states)
        out.entities[rows] = 0.0
        colours, frozen = vector(world.others.colours, np.int8), vector(world.effects.frozen, np.int64)
        write_entities(scenes, states, colours, frozen, privileged, out.entities[rows])
        floors = matrix(world.others.floors, np.int8)
        write_terrain(scenes, floors, states, out.terrain_heights[rows], out.terrain_floors[rows])


def _check_count(name: str, count: int, most: int) -> None:
    if count > most:
        raise InvalidTaskError(f"number of {name}", count, f"at most {most}, as observations hold")
