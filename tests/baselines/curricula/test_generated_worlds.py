"""APT-Gen in GridWorld, with a solver in the student's place, or one who grows by what it solves."""

import gymnasium
import numpy as np
import pytest

from procgen_bench.baselines.curricula.apt_gen import APTGenTeacher
from procgen_bench.baselines.training.contracts import EpisodeSteps, FinishedEpisodes
from procgen_bench.baselines.training.teacher_table import get_teacher
from tests.baselines.curricula.students import levels_of

pytest.importorskip("torch")

#: Generated tasks that are looked at together.
WINDOW = 50


class SolvingStudent:
    """Plays a benchmark's target at random and all that is generated as well as it can be."""

    def __init__(self, seed: int, solvable: bool, benchmark_id: str = "grid-world/target-b"):
        self.rng = np.random.default_rng(seed)
        self.levels = levels_of(benchmark_id, solvable)
        self.target = self.levels.benchmark.draw(self.rng)
        self.env = gymnasium.make("GridWorld-v0")
        #: Of every generated task: its return, and its goal's distance from the target's along the axes.
        self.returns: list[float] = []
        self.distances: list[int] = []

    def learn_with(self, teacher: APTGenTeacher, steps: int) -> None:
        teacher.setup(self.env.observation_space, self.env.action_space)
        played = 0
        while played < steps:
            for own in teacher.propose(np.arange(2), played):
                happened = self.play(own.task)
                played += len(happened)
                teacher.observe(as_played(own.level, happened))
                if own.task != self.target:
                    self.returns.append(float(happened.rewards.sum()))
                    self.distances.append(int(np.abs(own.task.objects[0] - self.target.objects[0]).sum()))
            teacher.learn(None)

    def play(self, task) -> EpisodeSteps:
        seen = [self.env.reset(seed=0, options={"task": task})[0]]
        solution = None if task == self.target else self.solution(task)
        actions, rewards, over = [], [], False
        while not over:
            actions.append(self.rng.integers(4) if solution is None else solution[len(actions)])
            observation, reward, terminated, truncated, _ = self.env.step(actions[-1])
            seen.append(observation)
            rewards.append(reward)
            over = terminated or truncated
        columns = {name: np.stack([one[name] for one in seen]) for name in seen[0]}
        return EpisodeSteps(columns, np.array(actions), np.array(rewards, np.float32))

    def solution(self, task) -> list[int] | None:
        """The actions that it knows; ``None``: it acts at random."""
        return self.levels.task_space.solve(task)

    def nearest(self) -> float:
        """The least mean distance of tasks that follow each other and are solved, nearly all."""
        returns, distances = (
            np.convolve(own, np.ones(WINDOW) / WINDOW, "valid") for own in (self.returns, self.distances)
        )
        return float(distances[returns > 0.8].min(initial=np.inf))


class GrowingStudent(SolvingStudent):
    """Solves tasks by chance, those beyond its reach ever more rarely; it grows by those not far below its reach."""

    def __init__(self, seed: int):
        super().__init__(seed, True, "grid-world/target-c")
        self.reach = 2.5

    def solution(self, task) -> list[int] | None:
        known = super().solution(task)
        if known is None or self.rng.random() > 0.9 / (1 + np.exp(len(known) - self.reach)):
            return None
        if len(known) > self.reach - 2:
            self.reach += 0.04
        return known


def as_played(level: int, happened: EpisodeSteps) -> FinishedEpisodes:
    value, unknown = float(happened.rewards.sum()), np.full(1, np.nan, np.float32)
    columns = (np.array([level]), np.array([True]), np.array([value]), np.array([value > 0]), np.array([len(happened)]))
    return FinishedEpisodes(columns[0], np.zeros(1, np.int16), *columns[1:], unknown, unknown, unknown, (happened,))


def nearest(options: str, solvable: bool) -> float:
    """How near the goals of generated tasks come to the target's, in steps along the axes, while these are solved."""
    student, rng = SolvingStudent(0, solvable), np.random.default_rng(0)
    student.learn_with(get_teacher("apt-gen").make(options, student.levels, rng), 14_000)
    return student.nearest()


@pytest.mark.slow
@pytest.mark.parametrize(("solvable", "bound"), [(True, 4), (False, 8)])
def test_solvable_tasks_come_near_the_target(solvable, bound):
    """Nearer, where the generator learns what has no solution."""
    assert nearest("", solvable) < bound


def reached(options: str, seed: int) -> float:
    """How long the tasks become that a growing student solves half of the time, in 16,000 steps."""
    student, rng = GrowingStudent(seed), np.random.default_rng(seed)
    student.learn_with(get_teacher("apt-gen").make(options, student.levels, rng), 16_000)
    return student.reach


@pytest.mark.slow
def test_tasks_grow_with_a_student_who_grows_by_them():
    assert np.mean([reached("", seed) for seed in range(3)]) > 10


@pytest.mark.slow
@pytest.mark.parametrize("options", ["returns=0", "progress=0"])
def test_without_any_part_of_it_they_do_not(options):
    assert np.mean([reached(options, seed) for seed in range(3)]) < 8.5
