"""Students without a network: they solve a level by chance, the better the more they learned on levels like it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from gymnasium import spaces

from procgen_bench.baselines.training.contracts import EpisodeSteps, FinishedEpisodes
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.registrations import make_task_space
from procgen_bench.core.task import Task


class LogisticStudent:
    """Solves a level with probability 1 / (1 + exp((difficulty - skill) / width)).

    Every success on a level that it trains on raises the skill by ``rate * 4 p (1 - p)``: nothing is learned from what
    is always or never solved. Its critic knows p, and its value loss is p (1 - p).
    """

    def __init__(self, difficulty: Callable[[Task], float], seed: int, skill: float, width: float, rate: float):
        self.difficulty, self.skill, self.width, self.rate = difficulty, skill, width, rate
        self.rng = np.random.default_rng(seed)
        self.steps_used = 0
        #: Says what happened in an episode, by its task and its success.
        self.happened: Callable[[Task, bool], EpisodeSteps] | None = None

    def play(self, tasks, numbers, train) -> FinishedEpisodes:
        difficulties = np.array([self.difficulty(task) for task in tasks])
        chance = 1 / (1 + np.exp(np.clip((difficulties - self.skill) / self.width, -50, 50)))
        success = self.rng.random(len(tasks)) < chance
        train = np.asarray(train, bool)
        self.skill += self.rate * (4 * chance * (1 - chance))[success & train].sum()
        self.steps_used += len(tasks)
        steps = tuple(map(self.happened, tasks, success.tolist())) if self.happened else None
        return FinishedEpisodes(
            steps=steps,
            level=np.array(numbers, np.int64),
            player=np.zeros(len(numbers), np.int16),
            train=train,
            return_=success.astype(np.float64),
            success=success,
            length=np.full(len(tasks), 10),
            start_value=chance.astype(np.float32),
            mean_value=chance.astype(np.float32),
            value_loss=(chance * (1 - chance)).astype(np.float32),
        )

    def play_proposals(self, proposals) -> FinishedEpisodes:
        return self.play(
            [proposal.task for proposal in proposals],
            [proposal.level for proposal in proposals],
            [proposal.train for proposal in proposals],
        )

    def evaluate(self, tasks, episodes, player="student") -> FinishedEpisodes:
        numbers = np.repeat(np.arange(len(tasks)), episodes)
        return self.play([tasks[number] for number in numbers], numbers, np.zeros(len(numbers), bool))


class SecretHoldOut:
    """A benchmark that holds out every second task, whichever: teachers can only ask."""

    levels = plain_levels = "space"
    has_fresh_tasks, has_training_tasks, minimum, maximum = True, True, 0.0, 1.0
    level_options: Mapping[str, Any] = MappingProxyType({})

    def __init__(self, environment_id: str):
        self.environment_id = environment_id

    def holds_out(self, task: Task) -> bool:
        return int(task.fingerprint()[0], 16) < 8

    def held_out_among(self, tasks: Sequence[Task]) -> np.ndarray:
        return np.array([self.holds_out(task) for task in tasks], np.bool_)

    def draw(self, rng: np.random.Generator) -> Task:
        space = make_task_space(self.environment_id)
        return space.decode(space.sample(rng))

    def draw_training(self, rng: np.random.Generator) -> Task:
        return next(task for task in iter(lambda: self.draw(rng), None) if not self.holds_out(task))


#: What a student observes whose episodes are made up, and what it does.
OBSERVATIONS = spaces.Dict({"seen": spaces.Box(0.0, 1.0, (4,))})
ACTIONS = spaces.Discrete(2)


def made_up(task: Task, success: bool) -> EpisodeSteps:
    """Ten steps that show numbers of the task's own."""
    seen = np.array([int(digit, 16) / 15 for digit in task.fingerprint()[:4]], np.float32)
    return EpisodeSteps({"seen": np.tile(seen, (11, 1))}, np.zeros(10, np.int64), np.full(10, success / 10, np.float32))


def levels_of(benchmark_id: str, solvable: bool) -> LevelSource:
    """Levels of a benchmark that are alike for all teachers, so that these can be compared."""
    benchmark = get_benchmark(benchmark_id)
    return LevelSource(replace(benchmark, plain_levels=benchmark.levels), solvable)


def climber(levels: LevelSource, seed: int = 0) -> LogisticStudent:
    """One to whom levels are as difficult as their solutions are long."""
    return LogisticStudent(lambda task: len(levels.task_space.solve(task)), seed, skill=1.0, width=1.0, rate=0.01)


def trained_skill(teacher, student: LogisticStudent, episodes: int, rows: int = 20, rounds: int = 5) -> float:
    """The student's skill after so many episodes, probes among them, in rounds of rows between two updates."""
    while student.steps_used < episodes:
        for _ in range(rounds):
            teacher.observe(student.play_proposals(teacher.propose(np.arange(rows), student.steps_used)))
        teacher.learn(student)
    return student.skill


def wanderer(levels: LevelSource, seed: int = 0) -> LogisticStudent:
    """One to whom levels are as difficult as their parameters are far from a corner of the flat box, 0 to 10 a side."""
    box = levels.task_space.flat_space

    def difficulty(task: Task) -> float:
        return float(np.linalg.norm((levels.vectors([task])[0] - box.low) / (box.high - box.low) * 10))

    return LogisticStudent(difficulty, seed, skill=5.0, width=0.5, rate=0.01)
