"""Arena: one episode after another, of whatever tasks, and what their players observe; both interfaces conduct it."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import numpy as np

from procgen_bench.core.checks import check_choice
from procgen_bench.core.errors import ResetNeededError
from procgen_bench.core.success import success_info
from procgen_bench.envs.xland.observations import KINDS, Observer, check_observable
from procgen_bench.envs.xland.simulation import DIVERGED, XLandSimulation
from procgen_bench.tasks.xland import XLandTask
from procgen_bench.tasks.xland.entities import MAX_PLAYERS
from procgen_bench.tasks.xland.predicates.atom_table import NUM_ATOMS


class Arena:
    """A simulation of the task that is played, and what has come of it.

    Attributes:
        successes: bool (P,), whether each player has been rewarded in this episode.
        view: ``observation`` and ``privileged``, as given.
        tells_truths: Whether infos tell which atoms of the goals hold.
        last_actions: int64 (P, 6), the players' actions of the last step; ``None`` before the first.

    Args:
        observation: What is observed of the world, one of ``KINDS``.
        privileged: Whether entities that the player does not see are observed, too.
        atom_truths: Whether infos tell which atoms of the goals hold.

    Raises:
        InvalidOptionError: One of them is something else.
    """

    def __init__(self, observation: str, privileged: bool, atom_truths: bool = False):
        check_choice("observation", observation, KINDS)
        check_choice("privileged", privileged, (False, True))
        check_choice("atom_truths", atom_truths, (False, True))
        self.tells_truths = atom_truths
        self.view: dict[str, Any] = {"observation": observation, "privileged": privileged}
        self.successes = np.zeros(0, np.bool_)
        self.last_actions: np.ndarray | None = None
        self._simulation: XLandSimulation | None = None
        self._other_view: tuple[tuple, Observer] | None = None

    @property
    def simulation(self) -> XLandSimulation:
        """The simulation of the current task; :class:`ResetNeededError` before the first."""
        if self._simulation is None:
            raise ResetNeededError("there is no task yet; call reset first")
        return self._simulation

    @property
    def has_begun(self) -> bool:
        """Whether there is a task yet."""
        return self._simulation is not None

    def plays(self, task: XLandTask) -> bool:
        """Whether the current task is this one."""
        return self._simulation is not None and self._simulation.task == task

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
        # For arrays that cannot be written into, as saved ones are, all that observes would be compiled once more.
        self.successes, self.last_actions = saved["successes"].copy(), deepcopy(saved["last_actions"])

    def save(self) -> dict[str, Any]:
        """Everything that decides how the episode goes on, by name."""
        return self.simulation.save() | {"successes": self.successes, "last_actions": self.last_actions}

    def step(self, joint_action: np.ndarray) -> np.ndarray:
        """Advance all players by ``joint_action``, int64 (P, 6); rewards, float64 (P,). See
        :meth:`XLandSimulation.step`."""
        rewards = self.simulation.step(joint_action)
        self.last_actions = joint_action.astype(np.int64)
        self.successes |= rewards > 0
        return rewards

    def observe(self, num_players: int) -> list[dict[str, np.ndarray]]:
        """What the first players observe, arrays by name in ``observation_space``'s shapes and dtypes; see
        :meth:`Observer.observe`."""
        return self._observer.observe(self.last_actions, num_players)

    def observed_as(self, observation: str, privileged: bool) -> dict[str, np.ndarray]:
        """What player 1 would observe now in an arena with these arguments, as :meth:`observe` gives it; raises as the
        constructor (:class:`InvalidOptionError`)."""
        view = self.simulation, observation, privileged
        if self._other_view is None or self._other_view[0] != view:
            check_choice("observation", observation, KINDS)
            check_choice("privileged", privileged, (False, True))
            self._other_view = view, Observer(*view)
        return self._other_view[1].observe(self.last_actions, 1)[0]

    @property
    def observer(self) -> Observer:
        """What the players observe of the current task's simulation; there is a task."""
        return self._observer

    def all_rewards(self) -> np.ndarray:
        """float64 (3,): the players' rewards in the last step, 0 for players that the task has not."""
        rewards = np.zeros(MAX_PLAYERS)
        rewards[: len(self.simulation.rewards)] = self.simulation.rewards
        return rewards

    def info(self, player: int) -> dict[str, Any]:
        """Whether a player has been rewarded in this episode, why the episode ended where the physics diverged, and,
        where they are asked for, the truths as this player sees them: bool (212,)."""
        info = success_info(bool(self.successes[player]))
        if self.tells_truths:
            info["atom_truths"] = self.simulation.truths[0, player].copy()
        if self.simulation.ended == DIVERGED:
            info["reason"] = DIVERGED
        return info

    def truths(self) -> np.ndarray:
        """Which atoms of its goal hold, as each player sees them: bool (3, 212); none in rows without a player."""
        truths = np.zeros((MAX_PLAYERS, NUM_ATOMS), np.bool_)
        truths[: len(self.successes)] = self.simulation.truths[0]
        return truths

    def _enter(self, task: XLandTask) -> bool:
        """Have a simulation of ``task``, and whether it is a new one."""
        if self.plays(task):
            return False
        self._simulation = XLandSimulation(task)
        self._observer = Observer(self._simulation, **self.view)
        return True


def observable(task_space, task) -> XLandTask:
    """The task that is asked for, in any form that ``reset`` takes.

    Raises:
        InvalidTaskError, UnknownNameError: It is none, or has more things than observations hold.
    """
    task = task_space.resolve(task)
    check_observable(task)
    return task
