"""TaskNetworks: APT-Gen's generator, discriminator and value networks, and how they learn from each other."""

from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from scipy.special import expit, log_expit

from procgen_bench.baselines.fast.trained_network import TrainedNetwork
from procgen_bench.baselines.papers.apt_gen.adaptive_weight import TOLERANCE
from procgen_bench.baselines.papers.apt_gen.experience import Experience, joined, mixed
from procgen_bench.baselines.papers.apt_gen.generated_parameters import Generator, ParameterValue
from procgen_bench.baselines.papers.apt_gen.parameter_points import ParameterPoints
from procgen_bench.baselines.papers.apt_gen.task_discriminator import TaskDiscriminator
from procgen_bench.baselines.policies.arrays import below
from procgen_bench.baselines.training.teacher import TeacherArrays
from procgen_bench.core.task_space import TaskSpace

#: Standard deviations from a batch's mean progress that count, at most.
_FARTHEST = 3.0
#: Of generated tasks' experience, from which the value networks learn.
_MOST_STEPS = 200_000
#: What is expected of a task: the progress, the return, and the probability of being admitted.
_EXPECTED = ("progress", "return", "admission")


class TaskNetworks:
    """Five networks, each with an Adam of its own.

    Args:
        task_space: Whose parameters are generated.
        observation_space: What a row of the student observes.
        action_space: What it does.
        settings: An :class:`.APTGenConfiguration`.
        seed: Of the first weights.

    Attributes:
        space: The parameters.
        generated: Experience of generated tasks, with their parameters and the values of their episodes.
        targets: Experience of target tasks.
        tries: Parameters (d,) of the latest tasks that were not admitted (``False``), and of those that were.
    """

    def __init__(
        self,
        task_space: TaskSpace,
        observation_space: spaces.Space,
        action_space: spaces.Space,
        settings: Any,
        seed: int,
    ):
        self._settings, batch, rate = settings, settings.batch, settings.learning_rate
        self.generated = Experience(_MOST_STEPS, settings.latest)
        self.targets = Experience(settings.latest, settings.latest)
        self.tries = {admitted: deque[np.ndarray](maxlen=settings.latest_tasks) for admitted in (False, True)}
        self.space = ParameterPoints(task_space, settings.sharpness)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            generator = Generator(task_space, settings.noise_size)
            self._generator = TrainedNetwork(generator, rate, batch)
            self.discriminator = TaskDiscriminator(
                observation_space, action_space, rate, batch, settings.steps, settings.discriminator_decay
            )
            self._values = {
                name: TrainedNetwork(ParameterValue(task_space), settings.value_rate, batch, settings.decay)
                for name in _EXPECTED
            }
        self._floors = {"return": settings.delta, "admission": settings.admitted}

    def points(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Generated parameters as they are to be tried, float32 (count, d), as many of a batch as it holds."""
        batches = range(0, count, self._settings.batch)
        logits = [self._generator.forward({"noise": self._noise(rng)}).copy() for _ in batches]
        points = self.space.from_logits(np.concatenate(logits)[:count])
        if self._settings.published:
            return points
        return self.space.tried(points, self._settings.spread, rng)

    def discriminate(self, rng: np.random.Generator) -> float:
        """A step of the discriminator, on episodes from each source; returns its loss.

        Half of the episodes are targets', the others generated ones. Of such it learns the one number that gives the
        target away, and sees nothing else. With ``mixtures`` it learns which share of an episode is a target's, from
        pairs that are mixed number by number.
        """
        batch, mixtures = self._settings.batch, self._settings.mixtures
        count = batch if mixtures else batch // 2
        targets, generated = (
            own.sample(rng, own.draw(rng, count, own.first_latest), self._settings.steps)
            for own in (self.targets, self.generated)
        )
        if mixtures:
            shares = rng.random(batch, np.float32)
            episodes = mixed(targets, generated, shares, rng)
        else:
            episodes, shares = joined([targets, generated]), (np.arange(2 * count) < count).astype(np.float32)
        logits = self.discriminator.logits(episodes)
        self.discriminator.learn(episodes, 2 * (expit(logits) - shares) / len(shares))
        return float(-2 * (shares * log_expit(logits) + (1 - shares) * log_expit(-logits)).mean())

    def fit(self, rng: np.random.Generator) -> float:
        """A step of the networks of progress and return, on a batch of played tasks; returns its mean progress.

        Half of the tasks are among the latest, which show what the student is able to do now. The others are any, so
        that a generator that has lost the student does not forget where that was.

        Progress is the chance that the discriminator gives a target. The network learns by how many standard deviations
        of the batch its logit is above the mean: of a discriminator that is sure, chances are 0 whatever the task.

        As published, all tasks are any, and the network learns the chance.
        """
        published, half = self._settings.published, self._settings.batch // 2
        latest = 0 if published else max(len(self.generated) - self._settings.latest_tasks, 0)
        places = np.concatenate([self.generated.draw(rng, half, first) for first in (0, latest)])
        logits = self.discriminator.logits(self.generated.sample(rng, places, self._settings.steps))
        deviations = ((logits - logits.mean()) / (logits.std() + 1e-6)).clip(-_FARTHEST, _FARTHEST)
        progress = expit(logits) if published else deviations
        points, values = self.generated.values(places)
        self._fit("progress", points, progress)
        self._fit("return", points, values)
        return float(expit(logits).mean())

    def fit_admission(self, rng: np.random.Generator) -> bool:
        """A step of the network of admission, on as many refused tasks as others; whether there are any of both."""
        half = self._settings.batch // 2
        if not all(self.tries.values()):
            return False
        points = np.stack([own[place] for own in self.tries.values() for place in rng.integers(len(own), size=half)])
        self._fit("admission", points, np.repeat(np.array(list(self.tries), np.float32), half))
        return True

    def generate(self, rng: np.random.Generator, weights: Mapping[str, float]) -> None:
        """A step of the generator up what is expected of a batch of its tasks, each expectation by its weight.

        Value networks learn from tasks, whose choices are made, and are asked about such tasks: choices are drawn, and
        gradients pass to their probabilities. About the probabilities themselves they would be asked what they never
        learned: the expected return of a blend of tasks can reach delta while every one of these fails.

        Returns and admission count fully while their mean over the batch is below what is wanted, less a tolerance, and
        not at all from as far above it on: only a constraint that is not met holds progress back.

        As published, returns and admission always count, and value networks learn from probabilities and are asked
        about these.
        """
        published = self._settings.published
        logits = self._generator.forward({"noise": self._noise(rng)})
        points = self.space.from_logits(logits)
        asked = points if published else self.space.tried(points, 0.0, rng)
        by_leaf, gradients = self.space.by_leaf(asked), np.zeros_like(points)
        for name, weight in weights.items():
            expected = self._values[name].forward(by_leaf)
            if name in self._floors and not published:
                most = self._floors[name] + TOLERANCE
                weight *= float(np.clip((most - expected.mean()) / (2 * TOLERANCE), 0, 1))
            downwards = np.full((self._settings.batch, 1), -weight / self._settings.batch, np.float32)
            gradients += np.concatenate(self._values[name].input_gradients(list(by_leaf), downwards), axis=1)
        restraint = self._settings.restraint / self._settings.batch * self.space.unevenness(points)
        self._generator.learn(self.space.logit_gradients(gradients, points) + restraint)

    def state(self) -> TeacherArrays:
        """Weights, statistics, the optimisers' moments, and the experience."""
        parts = self._parts()
        arrays = {f"{name}.{own}": array for name, part in parts.items() for own, array in part.state().items()}
        return arrays | {f"tries.{admitted}": np.stack(own) for admitted, own in self.tries.items() if own}

    def restore(self, arrays: TeacherArrays) -> None:
        """Continue from what :meth:`state` returned."""
        for name, part in self._parts().items():
            part.restore(below(arrays, name))
        for admitted, own in self.tries.items():
            own.clear()
            own.extend(arrays.get(f"tries.{admitted}", np.zeros((0, self.space.size), np.float32)).copy())

    def _fit(self, name: str, points: np.ndarray, targets: np.ndarray) -> None:
        """A step of a value network on points (n, d) towards targets (n,)."""
        errors = self._values[name].forward(self.space.by_leaf(points))[:, 0] - targets
        self._values[name].learn(2 * errors[:, None] / len(points))

    def _parts(self) -> dict:
        experience = {"generated": self.generated, "targets": self.targets}
        return {"generator": self._generator, "discriminator": self.discriminator} | self._values | experience

    def _noise(self, rng: np.random.Generator) -> np.ndarray:
        return rng.standard_normal((self._settings.batch, self._settings.noise_size), np.float32)
