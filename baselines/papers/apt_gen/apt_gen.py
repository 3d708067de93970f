"""APT-Gen: a generator of tasks that are as similar to the targets as the student can handle.

Method and settings: Fang et al. 2021, "Adaptive Procedural Task Generation for Hard-Exploration Problems", sections 3,
B and D. No public code was found. Choices of this suite, or left open there:

- Targets and generated tasks are played for the same number of steps (3.4). A target is the benchmark's own task if it
  may be trained on, otherwise a fresh one of its distribution.
- All tasks but the targets are generated, as there; with ``explored`` a share of them is uniform. The networks also
  learn from these; beta does not.
- A generated task that is not admitted (if levels must be solvable: one without a solution) is not played but
  generated again, several times; then a uniform level is played. Admission is a second objective beside the
  return: a third network predicts it. Its weight is constant.
- Returns and admission count only while a batch's mean expectation of them falls short, and beta rests while the
  networks do not learn. ``published`` weighs every return, plays tasks as generated, and leaves ``sharpness`` at 1.
- The expected return is compared to 0.5, so it must have that scale. In GridWorld and TablePush it is the episode's
  return, as there; in all other families, whose returns have other scales, it is 1 for success and 0 otherwise.
  ``episode_value`` overrides this, for example in other people's environments with returns of about 1.
- There, the networks learn after every environment step, and beta may change after every 500. Here they learn as often,
  but when the student is updated, and from finished episodes. ``iterations`` makes this rarer, for students that take
  many steps.
- A batch consists of episodes. The discriminator sees some steps of each, which represent all.
"""

from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from procgen_bench.baselines.curricula.level_box import LevelBox
from procgen_bench.baselines.papers.apt_gen.adaptive_weight import BETA_BOUNDS, TOLERANCE, AdaptiveWeight
from procgen_bench.baselines.policies.arrays import below
from procgen_bench.baselines.training.contracts import FinishedEpisodes, Proposal, Student
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.settings import AMOUNT, COUNT, NUMBER, PAIR, POSITIVE, SHARE, Range, option
from procgen_bench.baselines.training.teacher import Teacher, TeacherArrays, TeacherValues
from procgen_bench.core.checks import check_choice
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.extras import import_extra
from procgen_bench.core.registrations import family_id
from procgen_bench.core.task import Task

#: What counts as an episode's value: what is usual in its family, its return, or whether it succeeds.
_EPISODE_VALUES = (_USUAL, _RETURN, _SUCCESS) = ("usual", "return", "success")
#: Where its return is usual; elsewhere, whether it succeeds.
_BY_RETURN = ("GridWorld-v0", "GridWorldLarge-v0", "TablePush-v0")
#: What a level's number modulo 2 tells.
_KINDS = _GENERATED, _TARGET = 0, 1
#: How often a task that is not admitted is generated again.
_TRIES = 20
#: Generated levels that are being played, at most: those of runs that stop short do not pile up.
_MOST_IN_FLIGHT = 16_384
#: The range of the weight of the return.
_BETA = Range("from {:g} to {:g}".format(*BETA_BOUNDS), *BETA_BOUNDS)


@dataclass(frozen=True)
class APTGenConfiguration:
    """The published settings; of what is open there, ours."""

    delta: float = option(0.5, "minimum return of generated tasks", NUMBER)
    beta: float = option(1.0, "weight of the return beside the progress, at first", _BETA)
    beta_period: int = option(500, "environment steps between changes of beta, which halve or double it", COUNT)
    beta_episodes: int = option(50, "latest generated episodes whose mean return decides", COUNT)
    admitted: float = option(0.5, "share of the generated tasks that are to be admitted, at least", SHARE)
    admission: float = option(8.0, "weight of admission beside the progress", AMOUNT)
    progress: float = option(1.0, "weight of the progress; 0: generated for the return only", AMOUNT)
    returns: float = option(1.0, "further weight of the return; 0: generated for the progress only", AMOUNT)
    latest_tasks: int = option(
        150, "latest generated tasks, which are half of what the value networks learn from", COUNT
    )
    latest: int = option(
        10_000, "latest steps of generated and of target tasks that the discriminator learns from", COUNT
    )
    warm_up: int = option(3_000, "environment steps before the networks begin to learn", AMOUNT)
    iterations: float = option(0.2, "steps of every network per environment step", AMOUNT)
    batch: int = option(128, "episodes, or noises, per step of a network", PAIR)
    steps: int = option(1, "steps of every episode of a batch that the discriminator sees", COUNT)
    learning_rate: float = option(3e-4, "learning rate of the generator and the discriminator", AMOUNT)
    value_rate: float = option(1e-3, "learning rate of the value networks", AMOUNT)
    discriminator_decay: float = option(
        10.0, "weight decay of the discriminator, which would be sure of all it sees", AMOUNT
    )
    spread: float = option(0.03, "standard deviation of noise on generated numbers, of their range", AMOUNT)
    sharpness: float = option(1.0, "factor of the logits of choices before the softmax", POSITIVE)
    restraint: float = option(0.0005, "weight of KL(even || generated), which keeps choices from certainty", AMOUNT)
    decay: float = option(0.1, "weight decay of the value networks, which learn from few tasks many times", AMOUNT)
    noise_size: int = option(64, "dimensions of the generator's noise", COUNT)
    explored: float = option(0.0, "share of the tasks beside the targets that are uniform, not generated", SHARE)
    mixtures: bool = option(
        False,
        "whether the discriminator learns from episodes of both sources mixed number by number; otherwise from whole "
        "episodes",
    )
    published: bool = option(
        False,
        "the paper's rules: progress is the discriminator's chance, every return is weighed, values learn from all "
        "generated tasks alike, tasks are played as generated, in turns with targets",
    )
    episode_value: str = option(
        _USUAL, "an episode's value: return, success, or usual: the return in GridWorld and TablePush, else success"
    )

    def __post_init__(self) -> None:
        check_choice("episode_value", self.episode_value, _EPISODE_VALUES)
        if self.published and self.sharpness != 1:
            raise InvalidOptionError(
                f"sharpness is {self.sharpness:g}, expected 1 with published=true: the paper's softmax has no factor"
            )


class APTGenTeacher(Teacher):
    """Alternates generated tasks and targets; generated ones become more like targets as the student improves.

    Raises:
        UndrawnTasksError: There are no targets.
        MissingExtraError: torch is not installed.
    """

    required_columns = frozenset({"steps"})

    def __init__(self, levels: LevelSource, rng: np.random.Generator, configuration: Any):
        super().__init__(levels, rng, configuration)
        levels.check_targets("teacher 'apt-gen'")
        self._module = import_extra("procgen_bench.baselines.papers.apt_gen.task_networks")
        self.box = LevelBox(levels, rng)
        latest = configuration.beta_episodes
        self._return = AdaptiveWeight(configuration.beta, BETA_BOUNDS, configuration.delta, TOLERANCE, latest)
        self._by_return = configuration.episode_value == _RETURN
        if configuration.episode_value == _USUAL:
            self._by_return = family_id(levels.benchmark.environment_id) in _BY_RETURN
        self._flying: dict[int, np.ndarray] = {}
        self._replaced: set[int] = set()
        self._lengths = {kind: deque[int](maxlen=latest) for kind in _KINDS}
        self._steps, self._learned, self._due, self._turn = 0, 0, 0.0, 0.0
        self._generated, self._uniform, self._tried, self._admitted = 0, 0, 0, 0

    @property
    def beta(self) -> float:
        """Weight of the return beside the progress."""
        return self._return.value

    def setup(self, observation_space: spaces.Space, action_space: spaces.Space) -> None:
        """Make the networks."""
        seed = int(self.rng.integers(2**63))
        self.networks = self._module.TaskNetworks(
            self.levels.task_space, observation_space, action_space, self.configuration, seed
        )

    def propose(self, rows: np.ndarray, step: int) -> list[Proposal]:
        """Generated tasks, whose levels have even numbers, and targets, by which both are played for as many steps."""
        numbers = [2 * self.next_number() + self._next_kind() for _ in rows]
        generated = self._generate([number for number in numbers if number % 2 == _GENERATED])
        proposals = [Proposal(number, generated.get(number) or self.levels.draw_target(self.rng)) for number in numbers]
        while len(self._flying) > _MOST_IN_FLIGHT:
            oldest = next(iter(self._flying))
            del self._flying[oldest]
            self._replaced.discard(oldest)
        return proposals

    def observe(self, played: FinishedEpisodes) -> None:
        """Keep what happened; change the weights where their time has come."""
        assert played.steps is not None  # as is wanted
        values = played.return_ if self._by_return else played.success
        columns = zip(played.level.tolist(), values.tolist(), played.length.tolist(), played.steps, strict=True)
        for number, value, length, steps in columns:
            self.networks.discriminator.update_normaliser(steps.observations)
            self._lengths[number % 2].append(length)
            if number % 2 == _TARGET:
                self.networks.targets.add(steps, np.zeros(0), 0.0)
            elif (point := self._flying.pop(number, None)) is not None:
                self.networks.generated.add(steps, point, float(value))
                if number not in self._replaced:
                    self._return.record(float(value))
                self._replaced.discard(number)
            self._count(length)

    def learn(self, student: Student) -> dict[str, float]:
        """Train the networks as often as there were steps since."""
        settings, networks = self.configuration, self.networks
        if self._steps >= settings.warm_up and len(networks.targets) and len(networks.generated):
            self._due += settings.iterations * (self._steps - self._learned)
        self._learned = self._steps
        weights = {"progress": settings.progress, "return": settings.returns * self.beta}
        progress, losses = [], []
        for _ in range(int(self._due)):
            losses.append(networks.discriminate(self.rng))
            progress.append(networks.fit(self.rng))
            if networks.fit_admission(self.rng):
                weights["admission"] = settings.admission
            networks.generate(self.rng, weights)
        self._due %= 1.0
        measures = {"beta": self.beta, "generated_return": self._return.mean}
        if progress:
            measures |= {"progress": float(np.mean(progress)), "discriminator_loss": float(np.mean(losses))}
        if self._generated:
            measures["uniform_share"] = self._uniform / self._generated
        if self._tried:
            measures["admitted_share"] = self._admitted / self._tried
        self._generated, self._uniform, self._tried, self._admitted = 0, 0, 0, 0
        return measures

    def state(self) -> tuple[TeacherArrays, TeacherValues]:
        """With the networks, their optimisers' moments, and the experience that they learn from."""
        arrays, values = super().state()
        points = list(self._flying.values()) or [np.zeros(self.box.num_dimensions, np.float32)]
        arrays |= {"flying": np.array(list(self._flying), np.int64), "flying_points": np.stack(points)}
        arrays |= self.box.state() | {f"networks.{name}": array for name, array in self.networks.state().items()}
        values |= {name: getattr(self, f"_{name}") for name in _VALUES}
        values |= {"replaced": sorted(self._replaced), "lengths": [list(kept) for kept in self._lengths.values()]}
        return arrays, values | {"return": self._return.state()}

    def restore(self, arrays: TeacherArrays, values: TeacherValues) -> None:
        """Continue from what :meth:`state` returned; after :meth:`setup`."""
        super().restore(arrays, values)
        self._flying = dict(zip(arrays["flying"].tolist(), arrays["flying_points"].copy()))
        self.box.restore(arrays)
        self.networks.restore(below(arrays, "networks"))
        self._return.restore(values["return"])
        self._replaced = set(values["replaced"])
        for kept, lengths in zip(self._lengths.values(), values["lengths"], strict=True):
            kept.clear()
            kept.extend(lengths)
        for name in _VALUES:
            setattr(self, f"_{name}", values[name])

    def _next_kind(self) -> int:
        """Which kind of task is next: the longer its latest episodes, the rarer a kind; as published, both in turns."""
        known = all(self._lengths.values()) and not self.configuration.published
        generated, target = (np.mean(self._lengths[kind]) if known else 1.0 for kind in _KINDS)
        self._turn += float(generated / (generated + target))
        kind = _TARGET if self._turn >= 1 else _GENERATED
        self._turn %= 1.0
        return kind

    def _generate(self, numbers: list[int]) -> dict[int, Task]:
        """Tasks that may be proposed, for levels of these numbers."""
        made: dict[int, Task] = {}
        share = self.configuration.explored
        asked = [number for number in numbers if not share or self.rng.random() >= share]
        for _ in range(_TRIES):
            missing = [number for number in asked if number not in made]
            for number, point in zip(missing, self.networks.points(self.rng, len(missing)) if missing else ()):
                tasks = self.box.tasks(2 * point[None] - 1)
                self._tried += 1
                self._admitted += len(tasks)
                self.networks.tries[bool(tasks)].append(point)
                if tasks:
                    made[number], self._flying[number] = tasks[0], point
        missing = [number for number in numbers if number not in made]
        for number, task in zip(missing, self.levels.draw(self.rng, len(missing))):
            point = ((self.box.points([task])[0] + 1) / 2).astype(np.float32)
            made[number], self._flying[number] = task, point
            self.networks.tries[True].append(point)
            self._replaced.add(number)
        self._generated += len(numbers)
        self._uniform += len(missing)
        return made

    def _count(self, steps: int) -> None:
        """Steps that were played: once in a period, beta changes.

        Not in the warm-up: beta would reach its bound while the generator cannot respond.
        """
        period, warm_up = self.configuration.beta_period, self.configuration.warm_up
        before, after = (max(count - warm_up, 0) for count in (self._steps, self._steps + steps))
        periods = after // period - before // period
        self._steps += steps
        for _ in range(periods):
            self._return.change()


_VALUES = ("steps", "learned", "due", "turn", "generated", "uniform", "tried", "admitted")
