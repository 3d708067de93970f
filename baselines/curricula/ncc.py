"""NCC: a distribution over a buffer of levels, learned by gradient ascent on their scores.

Method: Monette et al. 2025, "An Optimisation Framework for Unsupervised Environment Design". The teacher maximises,
over a distribution y, the expected score of the levels plus the entropy of y, which makes the objective strongly
concave; the student minimises it. Settings: its public code for mazes (nmonette/NCC-UED,
minigrid/train/config/minigrid-ncc-reg.yaml and ued/ncc.yaml). What differs:

- There 4,000 kept levels and 256 new ones are tried at every update, 21,280 episodes that are not charged. Here trials
  are charged, so fewer levels are kept, trials have a period, and y ascends at every update with the latest scores.
- There levels are tried before the first update, here after it; until then all are uniform.
- There the gradient is used as it is; here its mean is subtracted first. Otherwise step sizes that differ by slot do
  not lead to the softmax of the scores.
- There regret is the distance to an optimal return; here, without a solver, to the level's highest return so far.
- There a row plays one level throughout a rollout; here each episode has a new level.

Trials play as evaluations of the student do. A deterministic student (dqn and sac by default) solves most levels
always or never, so this measure finds little to learn.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from procgen_bench.baselines.curricula.design_levels import DesignLevelsConfiguration, level_source
from procgen_bench.baselines.curricula.learned_buffer import LearnedLevelBuffer
from procgen_bench.baselines.curricula.level_buffer import Candidate
from procgen_bench.baselines.curricula.trials import Trial, play_trial
from procgen_bench.baselines.training.contracts import FreshLevels, Proposal, Student
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.settings import COUNT, POSITIVE, option
from procgen_bench.baselines.training.teacher import Teacher, TeacherArrays, TeacherValues
from procgen_bench.core.errors import InvalidOptionError

#: Least probability of a kept level, the published code's, and how many levels can have as much.
_FLOOR, _MOST_LEVELS = 1e-5, 100_000


@dataclass(frozen=True)
class NCCConfiguration(DesignLevelsConfiguration):
    """The published settings, but for what is tried (see the module)."""

    score: Literal["learnability", "regret"] = option(
        "learnability", "a level's score: learnability, p (1 - p), or regret, the greatest return so far less the mean"
    )
    buffer_size: int = option(1000, "levels kept at most", COUNT)
    fresh: int = option(250, "new levels that are tried beside the kept ones", COUNT)
    episodes: int = option(4, "episodes of each that is tried", COUNT)
    period: int = option(20, "updates of the student from one trial to the next", COUNT)
    step_size: float = option(0.005, "step size of the ascent", POSITIVE)
    entropy: float = option(0.032, "weight of the distribution's entropy", POSITIVE)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.buffer_size > _MOST_LEVELS:
            raise InvalidOptionError(
                f"buffer_size is {self.buffer_size}, expected at most {_MOST_LEVELS:,}: every kept level has a "
                f"probability of at least {_FLOOR:g}"
            )


class NCCTeacher(Teacher):
    """Proposes levels of the buffer by its learned distribution; uniform ones before the first trial."""

    def __init__(self, levels: LevelSource, rng: np.random.Generator, configuration: Any):
        super().__init__(level_source(levels, configuration), rng, configuration)
        self.buffer = LearnedLevelBuffer(
            configuration.buffer_size, configuration.step_size, configuration.entropy, _FLOOR
        )
        self._updates = 0

    def propose(self, rows: np.ndarray, step: int) -> list[Proposal] | FreshLevels:
        """Kept levels, as likely as the teacher's distribution has them."""
        if not len(self.buffer):
            return FreshLevels(self.next_numbers(len(rows)), self.levels.draw(self.rng, len(rows)))
        return [Proposal(*self.buffer.level(slot)) for slot in self.buffer.draw(self.rng, len(rows)).tolist()]

    def learn(self, student: Student) -> dict[str, float]:
        """Try the kept levels and new ones after the first update, and then every so many; ascend after every one."""
        if self._updates % self.configuration.period == 0:
            self._try(student)
        self._updates += 1
        self.buffer.ascend()
        count = len(self.buffer)
        return {
            "buffer_filled": count / self.buffer.capacity,
            "mean_score": float(self.buffer.replay_distribution() @ self.buffer.scores[:count]),
            "effective_levels": self.buffer.effective_levels,
        }

    def scores(self, trial: Trial, max_returns: np.ndarray) -> np.ndarray:
        """The scores (n,) of levels, from a trial and their greatest returns (n,) so far."""
        return trial.learnability if self.configuration.score == "learnability" else max_returns - trial.mean_return

    def state(self) -> tuple[TeacherArrays, TeacherValues]:
        """With the buffer and its distribution."""
        arrays, values = super().state()
        return arrays | self.buffer.state(self.levels.task_space), values | {"updates": self._updates}

    def restore(self, arrays: TeacherArrays, values: TeacherValues) -> None:
        """Continue from what :meth:`state` returned."""
        super().restore(arrays, values)
        self.buffer.restore(self.levels.task_space, arrays)
        self._updates = values["updates"]

    def _try(self, student: Student) -> None:
        """Score the kept levels, and take in new ones; at the end of a run steps are short for some."""
        kept = len(self.buffer)
        room = self.buffer.capacity - kept
        drawn = self.levels.draw(self.rng, room + self.configuration.fresh)
        tasks = list(dict.fromkeys([*self.buffer.tasks, *drawn]))
        trial = play_trial(tasks, self.configuration.episodes, student)
        max_returns = trial.max_return
        max_returns[:kept] = np.maximum(max_returns[:kept], self.buffer.max_returns[:kept])
        scores = self.scores(trial, max_returns)
        for slot in np.flatnonzero(trial.episodes[:kept]).tolist():
            self.buffer.rescore(slot, scores[slot], max_returns[slot])
        new = (kept + np.flatnonzero(trial.episodes[kept:])).tolist()
        self.buffer.offer([Candidate(self.next_number(), tasks[at], scores[at], max_returns[at]) for at in new])
