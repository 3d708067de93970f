"""Arena: one episode after another, of whatever tasks, and what their players observe; both interfaces conduct it."""

from typing import Any

import numpy as np

from procgen_bench.checks import check_choice
from procgen_bench.envs.xland.observations import KINDS, Observer, check_observable
from procgen_bench.envs.xland.simulation import DIVERGED, XLandSimulation
from procgen_bench.errors import ResetNeededError
from procgen_bench.tasks.xland import XLandTask


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


def observable(task_space, task) -> XLandTask:
    """The task that is asked for, in any form that ``reset`` takes.

    Raises:
        InvalidTaskError, UnknownNameError: It is none, or has more things than observations hold.
    """
    task = task_space.resolve(task)
    check_observable(task)
    return task
