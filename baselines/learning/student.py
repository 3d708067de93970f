"""The student as its teacher sees it."""

from collections.abc import Callable

import numpy as np
import torch

from procgen_bench.baselines.learning.learner import Learner
from procgen_bench.baselines.learning.taught_rows import TaughtRows
from procgen_bench.baselines.rollout import play_episodes
from procgen_bench.baselines.run_folder import RunFolder
from procgen_bench.baselines.teachers.proposal import Played
from procgen_bench.core.policy import Policy
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.core.task import Task


class TaughtStudent:
    """A learner that its teacher may probe: see :class:`~procgen_bench.baselines.teachers.proposal.Student`.

    Args:
        learner: Who learns.
        rows: Its rows, which count the steps.
        current_policy: Gives the policy as the learner now is.
        run: What it is trained in: where, and for how many steps.
    """

    def __init__(self, learner: Learner, rows: TaughtRows, current_policy: Callable[[], Policy], run: RunFolder):
        self._learner, self._rows, self._current_policy = learner, rows, current_policy
        self._benchmark, self._steps = run.benchmark, run.steps

    @property
    def steps_used(self) -> int:
        """Environment steps so far, probes among them."""
        return self._rows.steps

    def evaluate(self, tasks: list[Task], episodes: int) -> Played:
        """Play every task so many times with the learner's policy; the steps count.

        At the end of a run only as many of the first as its steps are sure to suffice for.
        """
        every = [task for task in tasks for _ in range(episodes)][: self._affordable()]
        seeds = [seed_from_parts("probe", self._rows.steps, number) for number in range(len(every))]
        played = play_episodes(self._current_policy(), self._benchmark.environment_id, every, seeds)
        lengths = np.array([episode.length for episode in played], np.int64)
        self._rows.steps += int(lengths.sum())
        unknown = np.full(len(every), np.nan, np.float32)
        return Played(
            level=np.repeat(np.arange(len(tasks)), episodes)[: len(every)],
            train=np.zeros(len(every), np.bool_),
            return_=np.array([episode.return_ for episode in played]),
            success=np.array([episode.success for episode in played], np.bool_),
            length=lengths,
            start_value=unknown,
            mean_value=unknown,
            value_loss=unknown,
        )

    def _affordable(self) -> int:
        """Episodes for which the steps that are left suffice, however long they are."""
        return (self._steps - self._rows.steps) // self._benchmark.max_episode_steps

    def values(self, observations: dict[str, np.ndarray]) -> np.ndarray:
        """The critic's values float32 (N,) of first observations by name (N, ...)."""
        device = self._learner.device
        return self._learner.values(
            {name: torch.as_tensor(array, device=device) for name, array in observations.items()}
        )
