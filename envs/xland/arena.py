"""Arena: one episode after another, of whatever tasks, and what their players observe; both interfaces conduct it."""

from typing import Any

import numpy as np

from procgen_bench.envs.xland.observations import KINDS, Observer, check_observable, frozen_tints
from procgen_bench.envs.xland.raycaster import draw_players
from procgen_bench.envs.xland.simulation import DIVERGED, XLandSimulation
from procgen_bench.envs.xland.views import draw_map
from procgen_bench.errors import InvalidOptionError, ResetNeededError
from procgen_bench.tasks.xland import XLandTask

#: Rows and columns of a player's view in :meth:`Arena.picture`.
VIEW_SHAPE = (288, 384)
_BACKGROUND = (38, 40, 46)


class Arena:
    """A simulation of the task that is played, and what has come of it.

    Attributes:
        successes: bool (P,), whether each player has been rewarded in this episode.

    Args:
        observation: What is observed of the world, one of ``KINDS``.
        privileged: Whether entities are told of that the player does not see.

    Raises:
        InvalidOptionError: One of them is something else.
    """

    def __init__(self, observation: str, privileged: bool):
        check_choice("observation", observation, KINDS)
        check_choice("privileged", privileged, (False, True))
        self.observation, self.privileged = observation, privileged
        self.successes = np.zeros(0, np.bool_)
        self._simulation: XLandSimulation | None = None

    @property
    def simulation(self) -> XLandSimulation:
        """The simulation of the current task; :class:`ResetNeededError` before the first."""
        if self._simulation is None:
            raise ResetNeededError("there is no task yet; call reset first")
        return self._simulation

    def begin(self, task: XLandTask) -> None:
        """Begin an episode of a task that is valid and for which ``check_observable`` raises nothing."""
        if self._simulation is not None and self._simulation.task == task:
            self._simulation.reset()
        else:
            self._simulation = XLandSimulation(task)
            self._observer = Observer(self._simulation, self.observation, self.privileged)
        self.successes = np.zeros(task.game.num_players, np.bool_)

    def step(self, joint_action: np.ndarray) -> np.ndarray:
        """See :meth:`XLandSimulation.step`."""
        rewards = self.simulation.step(joint_action)
        self.successes |= rewards > 0
        return rewards

    def observe(self, last_actions: np.ndarray | None, num_players: int) -> list[dict[str, np.ndarray]]:
        """What the first players observe; see :meth:`Observer.observe`."""
        return self._observer.observe(last_actions, num_players)

    def info(self, player: int) -> dict[str, Any]:
        """Whether a player has been rewarded in this episode, and why the episode ended where the physics diverged."""
        info: dict[str, Any] = {"success": bool(self.successes[player])}
        if self.simulation.ended == DIVERGED:
            info["reason"] = DIVERGED
        return info

    def picture(self, num_players: int) -> np.ndarray:
        """The first players' views side by side, then the map in a square: uint8 (288, 384 Q + 288, 3)."""
        states, scenery, tints = self.simulation.states, self._observer.scenery, frozen_tints(self.simulation)
        rows, columns = VIEW_SHAPE
        picture = np.empty((rows, num_players * columns + rows, 3), np.uint8)
        views = np.empty((1, num_players, rows, columns, 3), np.uint8)
        draw_players(states, scenery, views, tints)
        picture[:, :-rows] = np.concatenate(views[0], axis=1)
        width, depth = self.simulation.task.world.shape[::-1] * self.simulation.task.world.tile_size[:2]
        world_map = draw_map(states, scenery, height=min(rows, int(rows * depth / width)), tints=tints)
        picture[:, -rows:] = centred(world_map, (rows, rows))
        return picture


def centred(picture: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """A picture in the middle of a dark one of this shape, cut where it is larger."""
    frame = np.full((*shape, 3), _BACKGROUND, np.uint8)
    rows, columns = (min(there, most) for there, most in zip(picture.shape, shape))
    top, left = (shape[0] - rows) // 2, (shape[1] - columns) // 2
    frame[top : top + rows, left : left + columns] = picture[:rows, :columns]
    return frame


def observable(task_space, task) -> XLandTask:
    """The task that is asked for, in any form that ``reset`` takes.

    Raises:
        InvalidTaskError, UnknownNameError: It is none, or has more things than observations hold.
    """
    task = task_space.resolve(task)
    check_observable(task)
    return task


def check_choice(name: str, value: object, known: tuple) -> None:
    """Raise :class:`InvalidOptionError` unless ``value`` is one of the known, of the same type."""
    if not any(type(value) is type(one) and value == one for one in known):
        raise InvalidOptionError(f"{name} is {value!r}, expected one of {list(known)}")
