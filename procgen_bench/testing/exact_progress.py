"""Exact progress: whether a teacher that generates tasks can copy one task when it is told how near each task is to it.

No student and no discriminator stand between, so what is wrong after many tasks is the generator's own failure.

``python -m procgen_bench.testing.exact_progress TEACHER BENCHMARK [OPTIONS [SEED ...]]`` prints how far generated tasks
are from the benchmark's target, up to 2,000 (``--tasks=N``): half a minute a seed. ``--growth=0.02`` tells an exact
return, too, of a student that grows by so much with each task near its reach.
"""

import argparse
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from procgen_bench.baselines.curricula.level_box import LevelBox
from procgen_bench.baselines.papers.apt_gen.adaptive_weight import BETA_BOUNDS, TOLERANCE
from procgen_bench.baselines.papers.apt_gen.apt_gen import APTGenTeacher
from procgen_bench.baselines.papers.apt_gen.task_discriminator import EpisodeSample
from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.baselines.training.contracts import EpisodeSteps, FinishedEpisodes, Proposal
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.teacher import Teacher
from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.core.benchmarks import Benchmark, get_benchmark
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.core.task import Task
from procgen_bench.testing.states import ConformanceError, listed

#: Logits by which progress falls from a copy to a task that differs in everything.
_SCALE = 8.0
#: Steps of every episode, and tasks over which distances are averaged.
_LENGTH, _WINDOW = 5, 200
#: Tasks from one look at beta to the next.
_LOOKED = 10
_OBSERVATIONS = spaces.Dict({"progress": spaces.Box(-_SCALE, 0.0, (1,))})
_ACTIONS = spaces.Discrete(2)


@dataclass(frozen=True)
class Copying:
    """How near the latest generated tasks come to the target.

    Attributes:
        tasks: Generated tasks so far.
        apart: By name of a parameter, in [0, 1]: the share of choices that differ, or the mean distance of numbers as a
            share of their range.
        return_: Mean exact return of these tasks; 0 where none is told.
        reach: Steps of solutions of which the student solves half.
        beta: The weight of the return, if the teacher has one; else NaN.
        near_delta: Of the times at which it was looked, every ten tasks since they were asked for, the share at which
            the mean return of the latest 50 tasks was within the tolerance of delta.
        free: The share at which beta was at neither of its bounds.
    """

    tasks: int
    apart: dict[str, float]
    return_: float
    reach: float
    beta: float
    near_delta: float
    free: float


class TaskDistances:
    """How far tasks are from a target, parameter by parameter.

    Args:
        levels: Where the tasks come from.
        target: From which they are measured.
    """

    def __init__(self, levels: LevelSource, target: Task):
        self._space, self._box = levels.task_space, LevelBox(levels, np.random.default_rng(0))
        self._point = self._cube([target])[0]

    def apart(self, tasks: list[Task]) -> np.ndarray:
        """Distances of n tasks, parameter by parameter: float64 (n, leaves), at least 0."""
        return self.apart_of(self._cube(tasks))

    def apart_of(self, points: np.ndarray) -> np.ndarray:
        """The same of n tasks' parameters (n, d), each in [0, 1], whose choices are made."""
        differences = np.abs(points - self._point)
        distances, column = [], 0
        for name, leaf in self._space.space.items():
            width = spaces.flatdim(leaf)
            own = differences[:, column : column + width]
            # Of a wrong choice two of its categories' numbers differ by 1.
            distances.append(own.mean(axis=1) * ((leaf.shape or (1,))[-1] / 2 if name in self._space.choices else 1))
            column += width
        return np.stack(distances, axis=1)

    def _cube(self, tasks: list[Task]) -> np.ndarray:
        return (self._box.points(tasks) + 1) / 2


def progress_of(apart: np.ndarray) -> np.ndarray:
    """The logit that a discriminator in the know gives tasks at these distances: float64 (n, leaves) -> (n,)."""
    return -_SCALE * apart.mean(axis=1)


class ExactStudent:
    """Tells how near each task is to a target: exactly, by what it observes, and roughly, by what it solves.

    It observes the progress, minus the distance. Without growth it solves every second episode of tasks that are
    nearer than three quarters of the latest ones, so that these are of intermediate difficulty. With growth its return
    is a formula: the chance of solving falls with the solution's length, by half at its reach.

    Args:
        teacher: Whom it learns from; its networks, if any, are told the progress in place of a discriminator's score.
        levels: Where the teacher's levels come from.
        target: What is to be copied.
        growth: Steps by which its reach grows with each task near it, by the chance of solving it; 0: no returns.
    """

    def __init__(self, teacher: Teacher, levels: LevelSource, target: Task, growth: float = 0.0):
        self.reach = 2.5
        self._teacher, self._levels, self._target, self.growth = teacher, levels, target, growth
        self.distances = TaskDistances(levels, target)
        self._latest: deque[tuple[np.ndarray, float]] = deque(maxlen=_WINDOW)
        self._tasks, self._episodes = 0, 0
        teacher.setup(_OBSERVATIONS, _ACTIONS)
        networks: Any = getattr(teacher, "networks", None)
        if networks is not None:
            networks.discriminator = ExactDiscriminator()

    def learn_with(self, tasks: int) -> Copying:
        """Play until so many more tasks were generated."""
        enough, near, free = self._tasks + tasks, list[bool](), list[bool]()
        while self._tasks < enough:
            proposals = self._teacher.propose(np.arange(2), 2 * _LENGTH * self._tasks)
            self._teacher.observe(self.play(proposals))
            self._teacher.learn(self)  # type: ignore[arg-type]
            if isinstance(self._teacher, APTGenTeacher) and self._tasks >= enough - tasks + _LOOKED * (len(free) + 1):
                settings = self._teacher.configuration
                mean = np.mean([own for _, own in self._latest][-settings.beta_episodes :])
                near.append(bool(abs(mean - settings.delta) <= TOLERANCE))
                free.append(BETA_BOUNDS[0] < self._teacher.beta < BETA_BOUNDS[1])
        apart, returns = zip(*self._latest)
        names = list(self._levels.task_space.space)
        means = dict(zip(names, np.mean(apart, axis=0).tolist(), strict=True))
        beta = float(getattr(self._teacher, "beta", np.nan))
        shares = (float(np.mean(own)) if own else float("nan") for own in (near, free))
        return Copying(self._tasks, means, float(np.mean(returns)), self.reach, beta, *shares)

    def play(self, proposals: Sequence[Proposal]) -> FinishedEpisodes:
        """Episodes of these tasks."""
        tasks = [own.task for own in proposals]
        apart = self.distances.apart(tasks)
        progress = progress_of(apart)
        returns, success = np.zeros(len(tasks)), np.zeros(len(tasks), np.bool_)
        known = [own.mean() for own, _ in self._latest]
        nearer = np.quantile(known, 0.25) if known else np.inf
        for row, task in enumerate(tasks):
            self._episodes += 1
            if task is self._target:
                continue
            returns[row] = self._return(task) if self.growth else 0.0
            success[row] = self._episodes % 2 == 0 and apart[row].mean() <= nearer
            self._tasks += 1
            self._latest.append((apart[row], float(returns[row])))
        unknown = np.full(len(tasks), np.nan, np.float32)
        return FinishedEpisodes(
            level=np.array([own.level for own in proposals], np.int64),
            player=np.zeros(len(tasks), np.int16),
            train=np.ones(len(tasks), np.bool_),
            return_=returns,
            success=success,
            length=np.full(len(tasks), _LENGTH, np.int64),
            start_value=unknown,
            mean_value=unknown,
            value_loss=unknown,
            steps=tuple(map(_episode, progress.tolist())),
        )

    def _return(self, task: Task) -> float:
        length = self._levels.task_space.solution_length(task)
        if length is None:
            return 0.0
        chance = 1 / (1 + np.exp(min(length - self.reach, 50.0)))
        if length > self.reach - 2:
            self.reach += self.growth * chance
        return float(chance)


class _OneTarget(LevelSource):
    """Levels whose target is always the same object, which tells it from a copy that was generated."""

    def __init__(self, benchmark: Benchmark, solvable: bool, rng: np.random.Generator):
        super().__init__(benchmark, solvable)
        self.target = benchmark.draw(rng)

    def draw_target(self, rng: np.random.Generator) -> Task:
        return self.target


class ExactDiscriminator:
    """In a discriminator's place: its logit is the observation ``progress`` (1,) that episodes begin with."""

    def logits(self, episodes: EpisodeSample) -> np.ndarray:
        """float64 (B,): the progress that each episode shows."""
        return episodes.first["progress"][:, 0].astype(np.float64)

    def learn(self, episodes: EpisodeSample, gradients: np.ndarray) -> None:
        """It knows already."""

    def update_normaliser(self, observations: Arrays) -> None:
        """Nothing is normalised."""

    def state(self) -> Arrays:
        """Nothing is kept."""
        return {}

    def restore(self, arrays: Arrays) -> None:
        """It has no state."""


def check_copies(teacher: str, benchmark_id: str, options: str, tasks: int, tolerance: float, seed: int = 0) -> Copying:
    """Check that a teacher copies a benchmark's target under exact progress.

    Args:
        teacher: Name of a teacher that generates tasks.
        benchmark_id: Whose target is copied.
        options: The teacher's own settings, as of ``--teacher-options``.
        tasks: How many it generates.
        tolerance: By which share the parameters of the last 200 may differ from the target's, each kind for itself.
        seed: Of the teacher.

    Raises:
        ConformanceError: Some parameters differ by more.
    """
    found = exact_student(teacher, benchmark_id, options, seed).learn_with(tasks)
    if far := {name: share for name, share in found.apart.items() if not share <= tolerance}:
        told = listed([f"{name} by {share:.3f}" for name, share in far.items()])
        raise ConformanceError(
            f"teacher {teacher} does not copy the target of {benchmark_id}: after {found.tasks} tasks of exact "
            f"progress they differ in {told}, expected at most {tolerance:g}"
        )
    return found


def exact_student(teacher: str, benchmark_id: str, options: str, seed: int, growth: float = 0.0) -> ExactStudent:
    """A student that tells a new teacher exact progress towards the benchmark's target; any task may be proposed."""
    rng = np.random.default_rng(seed)
    levels = _OneTarget(get_benchmark(benchmark_id), growth > 0, rng)
    return ExactStudent(get_teacher(teacher).make(options, levels, rng), levels, levels.target, growth)


def _episode(progress: float) -> EpisodeSteps:
    shown = np.full((_LENGTH + 1, 1), progress, np.float32)
    return EpisodeSteps({"progress": shown}, np.zeros(_LENGTH, np.int64), np.zeros(_LENGTH, np.float32))


def main(words: Sequence[str] | None = None) -> None:
    """Print how far each seed's tasks are from the target, four times."""
    parser = argparse.ArgumentParser(prog="python -m procgen_bench.testing.exact_progress", description=main.__doc__)
    parser.add_argument("teacher", help="a teacher that generates tasks, as apt-gen")
    parser.add_argument("benchmark", help="whose first target is copied, as grid-world/target-c")
    parser.add_argument("options", nargs="?", default="", help="the teacher's, as sharpness=6,restraint=0")
    parser.add_argument("seeds", nargs="*", type=int, default=[0], help="of the teacher, one after the other; 0")
    parser.add_argument("--tasks", type=int, default=2_000, help="tasks of each seed, 4 or more; %(default)s")
    parser.add_argument("--growth", type=float, default=0.0, help="steps by which the student's reach grows; 0: none")
    given = parser.parse_args(words)
    if given.tasks < 4 or given.growth < 0:
        parser.error(f"--tasks is {given.tasks} and --growth {given.growth:g}, expected at least 4 and 0")
    try:
        for seed in given.seeds:
            _report(exact_student(given.teacher, given.benchmark, given.options, seed, given.growth), seed, given.tasks)
    except ProcgenBenchError as error:
        parser.error(str(error))


def _report(student: ExactStudent, seed: int, tasks: int) -> None:
    for _ in range(4):
        found = student.learn_with(tasks // 4)
        told = [f"{name} {share:.3f}" for name, share in found.apart.items()]
        if student.growth:
            told += [f"return {found.return_:.2f}", f"reach {found.reach:.1f}", f"beta {found.beta:g}"]
            told += [f"near delta {found.near_delta:.2f}", f"beta free {found.free:.2f}"]
        print(f"seed {seed}, {found.tasks} tasks:", ", ".join(told), flush=True)


if __name__ == "__main__":
    main()
