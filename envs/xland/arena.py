"""Arena: one episode after another, of whatever tasks, and what their players observe; both interfaces conduct it."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from procgen_bench.core.checks import check_choice
from procgen_bench.core.errors import ResetNeededError
from procgen_bench.envs.xland.observations import KINDS, Observer, check_observable
from procgen_bench.envs.xland.simulation import DIVERGED, XLandSimulation
from procgen_bench.tasks.xland import XLandTask


class Arena:
    """A simulation of the task that is played, and what has come of it.

    Attributes:
        successes: bool (P,), whether each player has been rewarded in this episode.
        last_actions: int64 (P, 6), the players' actions of the last step; ``None`` before the first.

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
        self.last_actions: np.ndarray | None = None
        self._simulation: XLandSimulation | None = None

    @property
    def simulation(self) -> XLandSimulation:
        """The simulation of the current task; :class:`ResetNeededError` before the first."""
        if self._simulation is None:
            raise ResetNeededError("there is no task yet; call reset first")
        return self._simulation

    def begin(self, task: XLandTask) -> None:
        """Begin an episode of a task that is valid and for which ``check_observable`` raises nothing."""
        if not self._enter(task):
            self.simulation.reset()
        self.successes = np.zeros(task.game.num_players, np.bool_)
        self.last_actions = None

    def go_on(self, task: XLandTask, saved: Mapping[str, Any]) -> None:
        """Go on with an episode of ``task`` from what :meth:`save` gave."""
        self._enter(task)
        self.simulation.load(saved)
        self.successes, self.last_actions = saved["successes"].copy(), saved["last_actions"]

    def save(self) -> dict[str, Any]:
        """Everything that decides how the episode goes on, by name."""
        return self.simulation.save() | {"successes": self.successes, "last_actions": self.last_actions}

    def step(self, joint_action: np.ndarray) -> np.ndarray:
        """See :meth:`XLandSimulation.step`."""
        self.last_actions = joint_action
        rewards = self.simulation.step(joint_action)
        self.successes |= rewards > 0
        return rewards

    def observe(self, num_players: int) -> list[dict[str, np.ndarray]]:
        """What the first players observe; see :meth:`Observer.observe`."""
        return self._observer.observe(self.last_actions, num_players)

    def info(self, player: int) -> dict[str, Any]:
        """Whether a player has been rewarded in this episode, and why the episode ended where the physics diverged."""
        info: dict[str, Any] = {"success": bool(self.successes[player])}
        if self.simulation.ended == DIVERGED:
            info["reason"] = DIVERGED
        return info

    def _enter(self, task: XLandTask) -> bool:
        """Have a simulation of ``task``, and whether it is a new one."""
        if self._simulation is not None and self._simulation.task == task:
            return False
        self._simulation = XLandSimulation(task)
        self._observer = Observer(self._simulation, self.observation, self.privileged)
        return True


def observable(task_space, task) -> XLandTask:
    """The task that is asked for, in any form that ``reset`` takes.

    Raises:
        InvalidTaskError, UnknownNameError: It is none, or has more things than observations hold.
    """
    task = task_space.resolve(task)
    check_observable(task)
    return task
