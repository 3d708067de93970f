"""Sampling for learnability (SFL): tries many levels, and trains on those that are solved sometimes.

Method: Rutherford et al. 2024, "No Regrets: Investigating and Improving Regret Approximations for Curriculum
Discovery". Settings: its public code for mazes (amacrutherford/sampling-for-learnability,
sfl/train/config/minigrid-sfl.yaml). What differs:

- There 5 batches of 5,000 levels are tried for 2,000 steps each, up to 10 episodes, and not charged; here trials
  are charged, so there is one batch, with fewer episodes.
- There levels are tried before the first update, here after it; until then all are uniform.
- There a row plays one level throughout a rollout; here each episode has a new level.
- Mutants are ours; by default there are none.

Trials play as evaluations of the student do. A deterministic student (dqn and sac by default) solves most levels
always or never, so this measure finds little to learn.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from procgen_bench.baselines.curricula.design_levels import DesignLevelsConfiguration, level_source
from procgen_bench.baselines.curricula.kept_levels import level_arrays, levels_of
from procgen_bench.baselines.curricula.trials import Trial, play_trial
from procgen_bench.baselines.training.contracts import Proposal, Student
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.settings import COUNT, SHARE, option
from procgen_bench.baselines.training.teacher import Teacher, TeacherArrays, TeacherValues
from procgen_bench.core.task import Task


@dataclass(frozen=True)
class LearnabilityConfiguration(DesignLevelsConfiguration):
    """The published settings, but for what is tried (see the module)."""

    candidates: int = option(5000, "levels that are tried at once", COUNT)
    episodes: int = option(4, "episodes of each that is tried", COUNT)
    period: int = option(100, "updates of the student from one trial to the next", COUNT)
    buffer_size: int = option(1000, "levels kept, those of greatest learnability", COUNT)
    buffer_share: float = option(
        0.5, "share of the proposals that is kept levels; the others are drawn uniformly", SHARE
    )
    mutants: float = option(
        0.0, "share of the candidates that is mutants of kept levels, which are then tried again, too", SHARE
    )
    edits: int = option(5, "mutations between a kept level and its mutant", COUNT)


class LearnabilityTeacher(Teacher):
    """Proposes levels whose probability p of success has the greatest p (1 - p), and uniform ones."""

    def __init__(self, levels: LevelSource, rng: np.random.Generator, configuration: Any):
        super().__init__(level_source(levels, configuration), rng, configuration)
        self._tasks: list[Task] = []
        self._numbers = np.zeros(0, np.int64)
        self._learnability = np.zeros(0)
        self._updates = 0

    def propose(self, rows: np.ndarray, step: int) -> list[Proposal]:
        """A kept level for some of the rows, a uniform one for the others; all of them before the first trial."""
        kept = self.rng.random(len(rows)) < (self.configuration.buffer_share if self._tasks else 0)
        fresh = iter(self.levels.draw(self.rng, int((~kept).sum())))
        slots = iter(self.rng.integers(max(1, len(self._tasks)), size=int(kept.sum())).tolist())
        return [
            self._proposal(next(slots)) if is_kept else Proposal(self.next_number(), next(fresh))
            for is_kept in kept.tolist()
        ]

    def learn(self, student: Student) -> dict[str, float]:
        """Try a batch of levels after the first update, and then every so many."""
        if self._updates % self.configuration.period == 0:
            self._try(self._candidates(), student)
        self._updates += 1
        return {"buffer_filled": len(self._tasks) / self.configuration.buffer_size, "mean_learnability": self._mean()}

    def learnability(self, trial: Trial) -> np.ndarray:
        """What the student might learn from the levels (n,) of a trial."""
        return trial.learnability

    def state(self) -> tuple[TeacherArrays, TeacherValues]:
        """With the kept levels."""
        arrays, values = super().state()
        kept = {"numbers": self._numbers, "learnability": self._learnability}
        return (
            arrays | kept | level_arrays(self.levels.task_space, self._tasks, "kept"),
            values | {"updates": self._updates},
        )

    def restore(self, arrays: TeacherArrays, values: TeacherValues) -> None:
        """Continue from what :meth:`state` returned."""
        super().restore(arrays, values)
        self._tasks = levels_of(self.levels.task_space, arrays, "kept")
        self._numbers, self._learnability = arrays["numbers"], arrays["learnability"]
        self._updates = values["updates"]

    def _proposal(self, slot: int) -> Proposal:
        return Proposal(int(self._numbers[slot]), self._tasks[slot])

    def _candidates(self) -> list[Task]:
        """Fresh levels, mutants of the kept ones, and these themselves."""
        count = int(self.configuration.mutants * self.configuration.candidates) if self._tasks else 0
        parents = self.rng.integers(max(1, len(self._tasks)), size=count).tolist()
        mutants = [self.levels.mutate(self._tasks[slot], self.rng, self.configuration.edits) for slot in parents]
        fresh = self.levels.draw(self.rng, self.configuration.candidates - count)
        every = fresh + [mutant for mutant in mutants if mutant is not None] + (self._tasks if count else [])
        return list(dict.fromkeys(every))

    def _try(self, tasks: list[Task], student: Student) -> None:
        """Keep the best of those that were played: at the end of a run steps are short for some."""
        trial = play_trial(tasks, self.configuration.episodes, student)
        learnability = self.learnability(trial)
        best = np.argsort(-learnability, kind="stable")[: self.configuration.buffer_size]
        best = best[trial.episodes[best] > 0]
        if not len(best):  # the run's steps suffice for no trial
            return
        self._tasks = [tasks[place] for place in best]
        self._numbers = np.array([self.next_number() for _ in best], np.int64)
        self._learnability = learnability[best]

    def _mean(self) -> float:
        return float(self._learnability.mean()) if self._tasks else 0.0
