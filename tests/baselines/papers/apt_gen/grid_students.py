"""Students of grid worlds without a network, and what APT-Gen generates for one who grows by what it solves.

``python -m tests.baselines.papers.apt_gen.grid_students [OPTIONS] [SEED ...]``, in which ``OPTIONS`` are those of
``--teacher-options``, prints for each quarter of 16,000 steps what :func:`measured` gives: a minute a seed. With
``--exact`` the teacher learns how near each task is to the target, in place of its discriminator's score.
"""

import argparse

import gymnasium
import numpy as np

from procgen_bench.baselines.papers.apt_gen.adaptive_weight import BETA_BOUNDS
from procgen_bench.baselines.papers.apt_gen.apt_gen import APTGenTeacher
from procgen_bench.baselines.training.contracts import EpisodeSteps, FinishedEpisodes
from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.tasks.grid_world import GridWorldTask
from procgen_bench.testing.exact_progress import ExactDiscriminator, TaskDistances, progress_of
from tests.baselines.curricula.students import levels_of

#: Generated tasks that are looked at together.
WINDOW = 50
STEPS = 16_000


class SolvingStudent:
    """Plays a benchmark's target at random and all that is generated as well as it can be."""

    def __init__(self, seed: int, solvable: bool, benchmark_id: str = "grid-world/target-b"):
        self.rng = np.random.default_rng(seed)
        self.levels = levels_of(benchmark_id, solvable)
        self.target = self.levels.benchmark.draw(self.rng)
        self.env = gymnasium.make("GridWorld-v0")
        #: How near tasks are to the target, if the teacher learns that in place of its discriminator's score.
        self.exact: TaskDistances | None = None
        #: Of every generated task: its return, and its goal's distance from the target's along the axes.
        self.returns: list[float] = []
        self.distances: list[int] = []
        #: All generated tasks, and of every round what the teacher measured, each with the steps until then.
        self.tasks: list[tuple[int, GridWorldTask]] = []
        self.measures: list[tuple[int, dict[str, float]]] = []

    def learn_with(self, teacher: APTGenTeacher, steps: int) -> None:
        teacher.setup(self.env.observation_space, self.env.action_space)
        if self.exact is not None:
            teacher.networks.discriminator = ExactDiscriminator()
        played = 0
        while played < steps:
            for own in teacher.propose(np.arange(2), played):
                happened = self.play(own.task)
                played += len(happened)
                teacher.observe(as_played(own.level, happened))
                if own.task != self.target:
                    self.tasks.append((played, own.task))
                    self.returns.append(float(happened.rewards.sum()))
                    self.distances.append(int(np.abs(own.task.objects[0] - self.target.objects[0]).sum()))
            self.measures.append((played, teacher.learn(None)))

    def play(self, task) -> EpisodeSteps:
        seen = [self.env.reset(seed=0, options={"task": task})[0]]
        known = self.way_in_target() if task == self.target else self.solution(task)
        known = [] if known is None else known
        actions, rewards, over = [], [], False
        while not over:
            actions.append(known[len(actions)] if len(actions) < len(known) else self.rng.integers(4))
            observation, reward, terminated, truncated, _ = self.env.step(actions[-1])
            seen.append(observation)
            rewards.append(reward)
            over = terminated or truncated
        columns = {name: np.stack([one[name] for one in seen]) for name in seen[0]}
        if self.exact is not None:
            columns["progress"] = np.full((len(seen), 1), progress_of(self.exact.apart([task]))[0], np.float32)
        return EpisodeSteps(columns, np.array(actions), np.array(rewards, np.float32))

    def solution(self, task) -> list[int] | None:
        """The actions that it knows; ``None``: it acts at random."""
        return self.levels.task_space.solve(task)

    def way_in_target(self) -> list[int] | None:
        """The actions of the target's solution that it begins with before it acts at random."""
        return None

    def nearest(self) -> float:
        """The least mean distance of tasks that follow each other and are solved, nearly all."""
        returns, distances = (
            np.convolve(own, np.ones(WINDOW) / WINDOW, "valid") for own in (self.returns, self.distances)
        )
        return float(distances[returns > 0.8].min(initial=np.inf))


class GrowingStudent(SolvingStudent):
    """Solves tasks by chance, those beyond its reach ever more rarely; it grows by those not far below its reach.

    Args:
        seed: Of its chances.
        growth: Steps by which its reach grows with each of these.
        goes_on: Whether it begins half of the target's episodes with as many right steps as its reach is.
    """

    def __init__(self, seed: int, growth: float = 0.04, goes_on: bool = False):
        super().__init__(seed, True, "grid-world/target-c")
        self.reach, self.growth, self.goes_on = 2.5, growth, goes_on

    def way_in_target(self) -> list[int] | None:
        if not self.goes_on or self.rng.random() < 0.5:
            return None
        return self.levels.task_space.solve(self.target)[: int(self.reach)]

    def solution(self, task) -> list[int] | None:
        known = super().solution(task)
        if known is None or self.rng.random() > 0.9 / (1 + np.exp(len(known) - self.reach)):
            return None
        if len(known) > self.reach - 2:
            self.reach += self.growth
        return known


def as_played(level: int, happened: EpisodeSteps) -> FinishedEpisodes:
    value, unknown = float(happened.rewards.sum()), np.full(1, np.nan, np.float32)
    columns = (np.array([level]), np.array([True]), np.array([value]), np.array([value > 0]), np.array([len(happened)]))
    return FinishedEpisodes(columns[0], np.zeros(1, np.int16), *columns[1:], unknown, unknown, unknown, (happened,))


def measured(student: SolvingStudent, teacher: APTGenTeacher, first: int, end: int) -> dict[str, float]:
    """Means over what was generated between two numbers of steps.

    Of the tasks: ``key_share``, ``kept_walls``, and from the target's ``tiles``, how many differ, and ``objects``, how
    many steps along the axes those that appear lie apart. Of the teacher: ``at_bound``, the share of rounds in which
    beta is at one of its bounds, and ``loss``, the discriminator's median.
    """
    tasks = [task for played, task in student.tasks if first < played <= end]
    rounds = [own for played, own in student.measures if first < played <= end]
    objects = np.stack([task.objects for task in tasks])
    apart, appear = np.abs(objects - student.target.objects).sum(axis=2), objects[:, :, 0] > 0
    losses = [own["discriminator_loss"] for own in rounds if "discriminator_loss" in own]
    return student.levels.task_space.shares(tasks, [student.target]) | {
        "tiles": float(np.mean([(task.tiles != student.target.tiles).sum() for task in tasks])),
        "objects": float(apart[appear].mean()),
        "at_bound": float(np.mean([own["beta"] in BETA_BOUNDS for own in rounds])),
        "loss": float(np.median(losses)) if losses else float("nan"),
    }


def taught(
    options: str, seed: int, growth: float = 0.04, goes_on: bool = False, exact: bool = False
) -> tuple[GrowingStudent, APTGenTeacher]:
    """A growing student, and the teacher with these options that it learned with."""
    student, rng = GrowingStudent(seed, growth, goes_on), np.random.default_rng(seed)
    if exact:
        student.exact = TaskDistances(student.levels, student.target)
    teacher = get_teacher("apt-gen").make(options, student.levels, rng)
    assert isinstance(teacher, APTGenTeacher)
    student.learn_with(teacher, STEPS)
    return student, teacher


def main() -> None:
    """Print what is measured of each seed's student, which grows fast and goes on where its reach ends."""
    parser = argparse.ArgumentParser(prog="python -m tests.baselines.papers.apt_gen.grid_students")
    parser.add_argument("options", nargs="?", default="", help="the teacher's, as mixtures=true")
    parser.add_argument("seeds", nargs="*", type=int, default=[0], help="of students and teachers; 0")
    parser.add_argument("--exact", action="store_true", help="exact progress in place of the score")
    given = parser.parse_args()
    for seed in given.seeds:
        student, teacher = taught(given.options, seed, growth=0.15, goes_on=True, exact=given.exact)
        for first in range(0, STEPS, STEPS // 4):
            row = measured(student, teacher, first, first + STEPS // 4)
            print(f"seed {seed}, to {first + STEPS // 4}: ", ", ".join(f"{name} {row[name]:.3f}" for name in row))
        print(f"seed {seed}: reach {student.reach:.1f}", flush=True)


if __name__ == "__main__":
    main()
