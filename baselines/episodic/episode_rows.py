"""EpisodeRows: rows that play one episode each, side by side, alone or in pairs of siblings."""

from dataclasses import replace
from typing import Any

import numpy as np

from procgen_bench.baselines.episodic.episodes import Siblings
from procgen_bench.baselines.episodic.goal_view import goal_view
from procgen_bench.baselines.learning.taught_rows import Step, TaughtRows
from procgen_bench.baselines.teachers.proposal import Proposal
from procgen_bench.core.errors import InvalidTaskError, LearningDivergedError
from procgen_bench.core.seeding import seed_from_parts


class EpisodeRows(TaughtRows):
    """Rows that rest when their episode is over, until all of them begin anew.

    Args:
        *arguments: See :class:`.TaughtRows`; an even number of rows where they come in pairs.
        siblings: What rows 2k and 2k + 1 share.
        **options: See :class:`.TaughtRows`.

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
            return super().propose(rows)
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
