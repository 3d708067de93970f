"""GoalGAN: a generative adversarial network that proposes levels of intermediate difficulty.

Method: Florensa et al. 2018, "Automatic Goal Generation for Reinforcement Learning Agents". Settings: its public code
(florensacc/rllab-curriculum, curriculum/experiments/goals/maze_ant/maze_ant_gan.py, networks in curriculum/gan/gan.py).
It generates goals of a maze; here whole levels are generated, and all episodes count as training. What differs:

- There the network first imitates goals that the untrained policy reaches, and goals that the policy reaches
  join the old ones; here uniform levels are proposed until some have intermediate difficulty.
- There three more episodes per goal measure its difficulty after each round; here the episodes of training do,
  and a round continues until half of the levels have three.
- There goals are played in turn, here each row draws one of them.
- There old goals are kept without bound; here some are dropped beyond ``old_limit``, because distances to all are
  computed.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import KDTree

from procgen_bench.baselines.curricula.kept_levels import level_arrays, levels_of
from procgen_bench.baselines.curricula.level_box import LevelBox
from procgen_bench.baselines.training.contracts import FinishedEpisodes, Proposal, Student
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.settings import AMOUNT, COUNT, SHARE, check_order, option
from procgen_bench.baselines.training.teacher import Teacher, TeacherArrays, TeacherValues
from procgen_bench.core.extras import import_extra
from procgen_bench.core.task import Task

#: The generator's points fill a box so many times as wide as that of levels, into which they are clipped.
_RANGE = 2.0
#: Of the published code's networks: dimensions of the generator's noise, units in each of the two hidden layers of the
#: generator and of the discriminator, and points per gradient step.
_NOISE_SIZE, _GENERATOR_SIZE, _DISCRIMINATOR_SIZE, _BATCH = 4, 256, 128, 64


@dataclass(frozen=True)
class GoalGANConfiguration:
    """The published settings; the range of a dimension is [-1, 1] here, and [-5, 5] there."""

    least_success: float = option(0.1, "success from which on a level is not too hard", SHARE)
    most_success: float = option(0.9, "success up to which a level is not too easy", SHARE)
    new_levels: int = option(200, "levels from the generator that are proposed from one fit to the next", COUNT)
    old_levels: int = option(100, "earlier levels of intermediate difficulty that are proposed beside them", AMOUNT)
    period: int = option(5, "updates of the student from one fit to the next", COUNT)
    episodes: int = option(3, "episodes of a level before it is judged", COUNT)
    noise: float = option(0.1, "standard deviation of what is added to generated points", AMOUNT)
    distance: float = option(0.06, "a level nearer to an old one than this is not kept beside it", AMOUNT)
    old_limit: int = option(2000, "old levels kept at most", COUNT)
    steps: int = option(250, "steps of both networks per fit", COUNT)
    learning_rate: float = option(1e-3, "of both networks", AMOUNT)

    def __post_init__(self) -> None:
        check_order(self, "least_success", "most_success")


class GoalGANTeacher(Teacher):
    """Proposes generated levels and old ones; learns to generate those that are solved sometimes.

    Raises:
        MissingExtraError: torch is not installed.
    """

    def __init__(self, levels: LevelSource, rng: np.random.Generator, configuration: Any):
        super().__init__(levels, rng, configuration)
        adversarial = import_extra("procgen_bench.baselines.curricula.adversarial")
        self.box = LevelBox(levels, rng)
        self.gan = adversarial.LeastSquaresGAN(
            self.box.num_dimensions,
            _NOISE_SIZE,
            _GENERATOR_SIZE,
            _DISCRIMINATOR_SIZE,
            configuration.learning_rate,
            seed=int(rng.integers(2**63)),
        )
        self._old: list[Task] = []
        self._updates, self._fits, self._good_share = 0, 0, 0.0
        self._propose_from(levels.draw(rng, configuration.new_levels))

    def propose(self, rows: np.ndarray, step: int) -> list[Proposal]:
        """Any of the present levels for each row."""
        slots = self.rng.integers(len(self._present), size=len(rows)).tolist()
        return [Proposal(self._first + slot, self._present[slot]) for slot in slots]

    def observe(self, played: FinishedEpisodes) -> None:
        """Count episodes and successes of the present levels."""
        slots = played.level - self._first
        present = (slots >= 0) & (slots < len(self._present))
        self._episodes += np.bincount(slots[present], minlength=len(self._present))
        self._successes += np.bincount(slots[present & played.success], minlength=len(self._present))

    def learn(self, student: Student) -> dict[str, float]:
        """After so many updates judge the present levels, fit the networks to them, and generate the next."""
        self._updates += 1
        judged = self._episodes >= self.configuration.episodes
        if self._updates >= self.configuration.period and judged.mean() >= 0.5:
            tasks = [task for task, is_judged in zip(self._present, judged) if is_judged]
            self._fit(tasks, self.are_good(self._successes[judged] / self._episodes[judged]))
            self._propose_from(self._next())
            self._updates = 0
        measures = {"old_levels": float(len(self._old)), "good_share": self._good_share, "fits": float(self._fits)}
        return measures | self.box.take_missing_share()

    def are_good(self, success: np.ndarray) -> np.ndarray:
        """Whether levels that are solved with these probabilities (n,) are of intermediate difficulty, bool (n,)."""
        return (success >= self.configuration.least_success) & (success <= self.configuration.most_success)

    def state(self) -> tuple[TeacherArrays, TeacherValues]:
        """With the networks, their optimisers' moments, and the present and the old levels."""
        arrays, values = super().state()
        space = self.levels.task_space
        arrays |= {"episodes": self._episodes.copy(), "successes": self._successes.copy()}
        arrays |= level_arrays(space, self._present, "present") | level_arrays(space, self._old, "old")
        arrays |= self.box.state() | self.gan.state()
        return arrays, values | {name: getattr(self, f"_{name}") for name in _VALUES}

    def restore(self, arrays: TeacherArrays, values: TeacherValues) -> None:
        """Continue from what :meth:`state` returned."""
        super().restore(arrays, values)
        space = self.levels.task_space
        self._present, self._old = levels_of(space, arrays, "present"), levels_of(space, arrays, "old")
        self._episodes, self._successes = arrays["episodes"].copy(), arrays["successes"].copy()
        self.box.restore(arrays)
        self.gan.restore(arrays)
        for name in _VALUES:
            setattr(self, f"_{name}", values[name])

    def _propose_from(self, tasks: list[Task]) -> None:
        """From now on any of these; what is still played of those before counts no more."""
        self._present = tasks
        self._first = self._numbered
        self._numbered += len(tasks)
        self._episodes, self._successes = np.zeros(len(tasks), np.int64), np.zeros(len(tasks), np.int64)

    def _fit(self, tasks: list[Task], good: np.ndarray) -> None:
        """Train the networks, unless nothing was ever good; remember what was."""
        self._good_share = float(good.mean())
        if not (good.any() or self._fits):
            return
        points = self.box.points(tasks)
        self.gan.train(self.rng, points / _RANGE, good, self.configuration.steps, _BATCH)
        self._fits += 1
        far = self._far_from_old(points[good])
        self._old += [task for task, is_far in zip((t for t, g in zip(tasks, good) if g), far) if is_far]
        surplus = len(self._old) - self.configuration.old_limit
        if surplus > 0:
            forgotten = set(self.rng.choice(len(self._old), surplus, replace=False).tolist())
            self._old = [task for place, task in enumerate(self._old) if place not in forgotten]

    def _far_from_old(self, points: np.ndarray) -> np.ndarray:
        """Which of the points (n, d) lie away from the old levels, bool (n,)."""
        if not self._old:
            return np.ones(len(points), bool)
        distances, _ = KDTree(self.box.points(self._old)).query(points)
        return distances >= self.configuration.distance

    def _next(self) -> list[Task]:
        """Generated levels, uniform ones where those may not be proposed, and old ones."""
        count = self.configuration.new_levels
        tasks = self.box.tasks_from(self._generate, count) if self._fits else []
        tasks += self.levels.draw(self.rng, count - len(tasks))
        replayed = self.rng.permutation(len(self._old))[: self.configuration.old_levels]
        return tasks + [self._old[place] for place in replayed]

    def _generate(self, count: int) -> np.ndarray:
        noise = self.configuration.noise * self.rng.standard_normal((count, self.box.num_dimensions))
        return _RANGE * self.gan.points(self.rng, count) + noise


_VALUES = ("first", "updates", "fits", "good_share")
