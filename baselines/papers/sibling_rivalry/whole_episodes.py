"""Whole episodes of a goal environment: rows that play one each, and what is collected of them."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from procgen_bench.baselines.papers.sibling_rivalry.episode_settings import Siblings
from procgen_bench.baselines.papers.sibling_rivalry.goal_view import goal_view
from procgen_bench.baselines.training.contracts import Proposal
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv, Step
from procgen_bench.core.errors import InvalidTaskError, LearningDivergedError
from procgen_bench.core.seeding import seed_from_parts

if TYPE_CHECKING:
    from procgen_bench.baselines.policies.tensors import Tensors


Observations = dict[str, np.ndarray]


@dataclass(frozen=True)
class Episodes:
    """N episodes side by side, time first; what lies behind an episode's end is zero.

    Attributes:
        observations: By name (T, N, ...), what the policy saw before each action, on its device; where a collector made
            them, its next episodes take their place.
        actions: (T, N, ...), of the environment's action space.
        log_probabilities: float32 (T, N), of the actions when they were taken.
        lengths: int64 (N,), steps of each episode; T is the greatest.
        final_observations: By name (N, ...), what the environment showed at the end.
        successes: bool (N,), whether the goal was reached.
        train: bool (N,), whether the episode may be learned from.
    """

    observations: "Tensors"
    actions: np.ndarray
    log_probabilities: np.ndarray
    lengths: np.ndarray
    final_observations: Observations
    successes: np.ndarray
    train: np.ndarray

    @property
    def goals(self) -> np.ndarray:
        """The goals (N, ...)."""
        return self.final_observations["desired_goal"]

    @property
    def ends(self) -> np.ndarray:
        """The goals (N, ...) that were achieved at the end: m(s_T)."""
        return self.final_observations["achieved_goal"]

    @property
    def played(self) -> np.ndarray:
        """bool (T, N): whether the episode had that step."""
        return np.arange(len(self.actions))[:, np.newaxis] < self.lengths

    @property
    def last_steps(self) -> np.ndarray:
        """bool (T, N): whether the step was the last of its episode."""
        return np.arange(len(self.actions))[:, np.newaxis] == self.lengths - 1

    def observed(self, name: str) -> np.ndarray:
        """(T, N, ...), what the environment showed before each action."""
        return self.observations[name].cpu().numpy()

    def next_observations(self, name: str) -> np.ndarray:
        """(T, N, ...), what the environment showed after each action; 0 behind an episode's end."""
        return self.after(self.observed(name), self.final_observations[name])

    def after(self, columns: np.ndarray, finals: np.ndarray) -> np.ndarray:
        """What columns (T, N, ...) hold of the next step; at an episode's last one, its row of ``finals`` (N, ...)."""
        following = np.zeros_like(columns)
        following[:-1] = columns[1:]
        following[self.lengths - 1, np.arange(len(self.lengths))] = finals
        return following

    def changes(self, columns: np.ndarray, finals: np.ndarray) -> np.ndarray:
        """float64 (T, N): by how much columns (T, N), which end with ``finals`` (N,), change with every step."""
        return np.where(self.played, self.after(columns, finals) - columns, 0.0)

    def at_the_end(self, values: np.ndarray) -> np.ndarray:
        """float64 (T, N): ``values`` (N,) at each episode's last step, and 0 before."""
        return np.where(self.last_steps, values, 0.0)


def siblings_of(values: np.ndarray) -> np.ndarray:
    """A copy of ``values`` (N, ...) with the two rows of every pair (2k, 2k + 1) exchanged."""
    return values[np.arange(len(values)) ^ 1]


@dataclass(frozen=True)
class Labels:
    """Labels of N episodes of at most T steps.

    Attributes:
        rewards: float64 (T, N).
        included: bool (N,), the episodes that are learned from.
        anti_goals: (N, ...), what the critic sees beside the goal; ``None``: nothing.
        measures: What to report of these episodes, means by name.
    """

    rewards: np.ndarray
    included: np.ndarray
    anti_goals: np.ndarray | None
    measures: dict[str, float]


class Labeller(ABC):
    """A rule that labels episodes; it may learn from them too."""

    @abstractmethod
    def label(self, episodes: Episodes) -> Labels:
        """The labels of the episodes."""

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Arrays and plain values from which :meth:`restore` continues."""
        return {}, {}

    def restore(self, arrays: dict[str, np.ndarray], values: dict[str, Any]) -> None:  # noqa: B027 - most learn nothing
        """Continue from what :meth:`state` returned."""


class EpisodeRows(CurriculumVectorEnv):
    """Rows that rest when their episode is over, until all of them begin again.

    Args:
        *arguments: See :class:`.CurriculumVectorEnv`; an even number of rows where they come in pairs.
        siblings: What rows 2k and 2k + 1 share.
        **options: See :class:`.CurriculumVectorEnv`.

    Attributes:
        active: bool (N,), whether the rows' episodes go on.
        view: Their goals.
    """

    def __init__(self, *arguments: Any, siblings: Siblings = "none", **options: Any):
        super().__init__(*arguments, **options)
        self.siblings, self.view = siblings, goal_view(self.environment_id, self.env)
        self.active = np.ones(self.num_rows, np.bool_)

    def begin(self) -> None:
        """Begin a level in every row, or pair of rows."""
        super().begin()
        self.active = np.ones(self.num_rows, np.bool_)

    def step(self, actions: np.ndarray) -> Step:
        """Advance the rows whose episode goes on, which alone count; the others' actions are not looked at.

        Raises:
            LearningDivergedError: An action is not of finite numbers: who chose it has diverged.
        """
        simulation, acting = self.env.simulation, self.active
        if not np.isfinite(actions[acting]).all():
            row = int(np.flatnonzero(acting & ~np.isfinite(actions).reshape(len(actions), -1).all(axis=1))[0])
            raise LearningDivergedError(f"the action of row {row} is {actions[row].tolist()}")
        simulation.step(actions, acting)
        rewards, terminations = np.where(acting, simulation.rewards, 0.0), acting & simulation.terminations
        truncations = acting & simulation.truncations & ~terminations
        self.steps += int(acting.sum()) * self.steps_per_action
        self._returns += rewards
        self._lengths += acting * self.steps_per_action
        ended = terminations | truncations
        self._note(ended, simulation.successes)
        self.active = acting & ~ended
        last = {name: array[ended] for name, array in self.observations.items()}
        return Step(rewards, terminations, truncations, last)

    def propose(self, rows: np.ndarray) -> list[Proposal]:
        """What the rows, all of them, are to play: a level each, or for every pair.

        Where siblings have starts of their own, the second one begins its level where a fresh one begins.
        """
        if self.siblings == "none":
            return list(super().propose(rows))
        levels = [level for level in super().propose(rows[::2]) for _ in range(2)]
        if self.siblings == "goal":
            rng = np.random.default_rng(seed_from_parts("starts", self._seed, self.steps))
            fresh = self.teacher.levels.draw_plain(rng, len(levels) // 2)
            levels[1::2] = map(self._from_the_start_of, levels[1::2], fresh)
        return levels

    def _from_the_start_of(self, level: Proposal, other: Any) -> Proposal:
        try:
            return replace(level, task=self.env.task_space.with_parts(level.task, {"start": other.start}))
        except InvalidTaskError:  # there stands a wall
            return level
