"""The training loop: collect, tell the teacher, update, evaluate, keep."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from tqdm import tqdm

from procgen_bench.baselines.learning.allocator import freed_memory_is_kept
from procgen_bench.baselines.learning.collection import Collector, RowCollector
from procgen_bench.baselines.learning.evaluation import evaluate
from procgen_bench.baselines.learning.learner import Learner
from procgen_bench.baselines.learning.proposed_levels import ProposedLevels
from procgen_bench.baselines.learning.student import TaughtStudent
from procgen_bench.baselines.learning.taught_rows import TaughtRows
from procgen_bench.baselines.named_arrays import Arrays, below
from procgen_bench.baselines.policies import PolicyFolder
from procgen_bench.baselines.reporting import TensorBoard, reporting_to
from procgen_bench.baselines.run_folder import RunFolder
from procgen_bench.baselines.teachers.proposal import Played
from procgen_bench.baselines.weighted_policy import WeightedPolicy
from procgen_bench.core.errors import LearningDivergedError


class LoopSettings(Protocol):
    """What the loop asks of a method's configuration."""

    evaluate_every: int
    evaluation_tasks: int | None
    evaluation_episodes: int | None
    checkpoint_every: int
    stochastic: bool


class _Kept(Protocol):
    """A part of a run that goes on exactly from its arrays and plain values."""

    def state(self) -> tuple[Arrays, dict[str, Any]]: ...

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None: ...


@dataclass
class Training:
    """One run of a learner under a teacher, to its last step; goes on from the run's checkpoint if there is one.

    Attributes:
        run: Where everything is kept.
        learner: Who is trained.
        rows: Where it acts, and who teaches it.
        policy: Plays with the learner's weights.
        policy_settings: What the policy is built from besides the environment, kept beside its weights.
        rollout_steps: Actions of every row between updates.
        collector_type: How it acts.
    """

    run: RunFolder
    learner: Learner
    rows: TaughtRows
    policy: WeightedPolicy
    policy_settings: dict[str, Any]
    rollout_steps: int
    collector_type: Callable[..., RowCollector] = Collector

    def __post_init__(self):
        self._settings: LoopSettings = self.run.configuration
        self._student = TaughtStudent(self.learner, self.rows, self._current_policy, self.run)
        self._levels = ProposedLevels(self.run.path, self.rows.env.task_space, self.run.benchmark.trainable_tasks)
        self._curve: list[dict[str, float]] = []
        self._measures = _Means()
        self._started = time.perf_counter()
        self._checkpointed = 0

    def train(self) -> None:
        """Train to the run's last step.

        Raises:
            LearningDivergedError: What is learned is no longer of finite numbers.
        """
        if self.run.finished:
            return
        collector = self.collector_type(self.rows, self.learner, self.rollout_steps)
        self._resume(collector)
        title = f"{self.run.method} {self.run.benchmark.id}"
        with (
            tqdm(total=self.run.steps, initial=self.rows.steps, unit="step", desc=title, smoothing=0.05) as bar,
            reporting_to(TensorBoard(self.run.path / "tensorboard")),
            freed_memory_is_kept(),
        ):
            while affordable := collector.affordable(self.run.steps - self.rows.steps):
                if self._is_due(self._settings.evaluate_every):
                    self._evaluate(bar)
                    if self.rows.steps - self._checkpointed >= self._settings.checkpoint_every:
                        self._checkpoint(collector)
                self._learn_from_one_rollout(collector, affordable)
                bar.update(self.rows.steps - bar.n)
            if not self._curve or self._curve[-1]["step"] < self.rows.steps:
                self._evaluate(bar)
        self._checkpoint(collector)
        self.run.finish()

    def _learn_from_one_rollout(self, collector: RowCollector, num_steps: int) -> None:
        rollout = collector.collect(num_steps)
        played = collector.played(rollout)
        self.rows.teacher.observe(played)
        self._measures.add(_summary(played))
        learned = self.learner.update(rollout)
        self._refuse_divergence(learned)
        self._measures.add(learned)
        taught = self.rows.teacher.learn(self._student)  # its probes, too, stay within the run's steps
        self._measures.add({f"teacher_{name}": value for name, value in taught.items()})

    def _refuse_divergence(self, learned: dict[str, float]) -> None:
        for name, value in learned.items():
            if not math.isfinite(value):
                raise LearningDivergedError(f"{name} is {value} after {self.rows.steps:,} steps")

    def _is_due(self, every: int) -> bool:
        evaluated = self._curve[-1]["step"] if self._curve else -1
        return self.rows.steps // every > evaluated // every

    def _evaluate(self, bar: tqdm) -> None:
        settings = self._settings
        sizes = settings.evaluation_tasks, settings.evaluation_episodes
        scores = evaluate(self._current_policy(), self.run.benchmark, *sizes)
        row = {"step": self.rows.steps, "seconds": round(time.perf_counter() - self._started, 1), **scores}
        row |= self._measures.take() | self._levels.add(self.rows.steps, self.rows.take_proposed())
        self.learner.after_evaluation(row)
        self._curve.append(row)
        self.run.write_curve(self._curve)
        bar.set_postfix({name: f"{row[name]:.3f}" for name in scores})
        # Before the policy: a kill between the two leaves a list of too many tasks, not of too few.
        self.run.write_training_tasks(self.rows.recorder.fingerprints())
        configuration = {"stochastic": self._settings.stochastic, "training_steps": self.rows.steps}
        PolicyFolder(
            self.run.method,
            self.run.benchmark.environment_id,
            configuration | self.policy_settings,
            self.learner.policy_weights(),
        ).write(self.run.policy_path)

    def _current_policy(self) -> WeightedPolicy:
        self.policy.load_weights(self.learner.policy_weights())
        return self.policy

    def _parts(self) -> dict[str, "_Kept"]:
        """What a checkpoint consists of, in the order in which it is restored."""
        return {"learner": self.learner, "teacher": self.rows.teacher, "rows": self.rows}

    def _checkpoint(self, collector: RowCollector) -> None:
        arrays: Arrays = {"memory": collector.memory.cpu().numpy(), "scores": collector.scores.sums}
        values: dict[str, Any] = {"curve": self._curve, "measures": self._measures.state()}
        values["seconds"] = time.perf_counter() - self._started
        for name, part in self._parts().items():
            own_arrays, values[name] = part.state()
            arrays |= {f"{name}.{key}": np.asarray(array, order="C") for key, array in own_arrays.items()}
        if collector.unfinished is not None:
            arrays |= {f"unfinished.{key}": array for key, array in collector.unfinished.arrays().items()}
        self.run.write_checkpoint(arrays, values)
        self._checkpointed = self.rows.steps
        if not self.rows.can_be_kept:
            collector.begin_anew()

    def _resume(self, collector: RowCollector) -> None:
        checkpoint = self.run.read_checkpoint()
        if checkpoint is None:
            return
        arrays, values = checkpoint
        for name, part in self._parts().items():
            part.restore(below(arrays, name), values[name])
        going_on = torch.as_tensor(~self.rows.starts)[:, None]
        collector.memory = (torch.as_tensor(arrays["memory"]) * going_on).to(self.learner.device)
        collector.scores.sums[...] = arrays["scores"]
        if collector.unfinished is not None and self.rows.can_be_kept:
            collector.unfinished.restore(below(arrays, "unfinished"))
        self._curve = values["curve"]
        self._measures.restore(values["measures"])
        self._started = time.perf_counter() - values["seconds"]
        self._checkpointed = self.rows.steps


class _Means:
    """Means of measures since they were last taken."""

    def __init__(self):
        self._sums: dict[str, list[float]] = {}

    def add(self, measures: dict[str, float]) -> None:
        for name, value in measures.items():
            total = self._sums.setdefault(name, [0.0, 0])
            total[0] += value
            total[1] += 1

    def take(self) -> dict[str, float]:
        """The means; what was measured before and has not been since is NaN, so that columns stay."""
        means = {name: total / count if count else float("nan") for name, (total, count) in self._sums.items()}
        self._sums = {name: [0.0, 0] for name in self._sums}
        return means

    def state(self) -> dict[str, list[float]]:
        return self._sums

    def restore(self, sums: dict[str, list[float]]) -> None:
        self._sums = sums


def _summary(played: Played) -> dict[str, float]:
    trained = played.of(played.train)
    if not len(trained):
        return {}
    return {
        "training_return": float(trained.return_.mean()),
        "training_success": float(trained.success.mean()),
        "training_length": float(trained.length.mean()),
    }
