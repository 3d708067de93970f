"""Training runs as the conformance suite needs them: watched, stopped between two rollouts, and compared."""

import dataclasses
import io
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import torch

from procgen_bench.baselines.method_table import Method
from procgen_bench.baselines.policies.tensors import global_generators_kept
from procgen_bench.baselines.training.run_folder import RunFolder
from procgen_bench.baselines.training.trainer import Trainer
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.testing.states import State

#: Settings of those names that a method has, under which everything that it does happens within some hundred steps.
SMALL: Mapping[str, Any] = {
    "num_envs": 8,
    "rollouts": 2,
    "rollout_steps": 8,
    "minibatches": 2,
    "epochs": 1,
    "width": 16,
    "batch_size": 16,
    "learning_starts": 64,
    "updates_per_step": 0.25,
    "buffer_size": 1_000,
    "bonus_starts": 64,
    "bonus_width": 16,
    "evaluation_tasks": 1,
    "evaluation_episodes": 1,
    "evaluate_every": 100,
    "checkpoint_every": 250,
}


class StoppedError(Exception):
    """The run was stopped, as a kill would have done."""


@dataclasses.dataclass(frozen=True)
class Run:
    """How a method is trained.

    Attributes:
        method: It.
        benchmark: For what.
        configuration: Its settings.
        steps: Environment steps.
    """

    method: Method
    benchmark: Benchmark
    configuration: Any
    steps: int

    @classmethod
    def small(cls, method: Method, benchmark: Benchmark, steps: int, settings: Mapping[str, Any]) -> "Run":
        """One with the small settings of those names that the method has, and with ``settings``."""
        configuration = method.within(benchmark.environment_id).load("configuration")
        fields = {field.name for field in dataclasses.fields(configuration)}
        small = {name: value for name, value in SMALL.items() if name in fields}
        return cls(method, benchmark, configuration(**small | dict(settings)), steps)

    def train(self, out: Path, seed: int, noise: int, watch: Callable[[Trainer], None] | None = None) -> RunFolder:
        """Train, or go on with what ``out`` holds; nothing of it is shown.

        Args:
            out: Run folder.
            seed: Of the run.
            noise: Seed of the global random generators, from which nothing in a run may come.
            watch: Called before every rollout; what it raises ends the run.
        """
        with global_generators(noise), _watched(watch), _unshown():
            return self.method.train(self.benchmark, self.configuration, seed, self.steps, out)

    def stopped(self, out: Path, seed: int, noise: int, watch: Callable[[Trainer], None]) -> None:
        """Train until ``watch`` raises :class:`StoppedError`, or to the end."""
        try:
            self.train(out, seed, noise, watch)
        except StoppedError:
            return


def kept(run: RunFolder) -> State:
    """What a run's newest checkpoint keeps, and what lies beside it, but for the time that it took."""
    checkpoint = run.read_checkpoint()
    assert checkpoint is not None  # callers have seen to that
    arrays, values = checkpoint
    del values["seconds"]
    for holder in [values, *(value for name, value in values.items() if name.startswith("player."))]:
        if "curve" in holder:  # a run of one learner may keep it as its own
            holder["curve"] = [_without_time(row) for row in holder["curve"]]
    files = [path for path in run.path.rglob("*") if path.is_file() and _is_outcome(path.relative_to(run.path))]
    written = {f"file {path.relative_to(run.path)}": path.read_bytes().hex() for path in files}
    return arrays, values | written


def _is_outcome(path: Path) -> bool:
    """Whether a file of a run says what was played and learned, and not how long that took."""
    return not {"policy", "policies"}.isdisjoint(path.parts) or path.name in ("levels.jsonl", "training_tasks.npy")


def _without_time(row: dict[str, float]) -> dict[str, float]:
    return {name: value for name, value in row.items() if name != "seconds"}


@contextmanager
def _watched(watch: Callable[[Trainer], None] | None) -> Iterator[None]:
    """Meanwhile every trainer calls ``watch`` before each of its rollouts."""
    learn = Trainer._learn_from_one_rollout

    def watched(trainer: Trainer, num_steps: int) -> None:
        if watch is not None:
            watch(trainer)
        learn(trainer, num_steps)

    with mock.patch.object(Trainer, "_learn_from_one_rollout", watched):
        yield


@contextmanager
def _unshown() -> Iterator[None]:
    """Meanwhile settings and progress go nowhere."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        yield


@contextmanager
def global_generators(seed: int) -> Iterator[None]:
    """Meanwhile Python's, NumPy's and torch's global generators are of this seed."""
    with global_generators_kept():
        random.seed(seed)
        np.random.seed(seed)
        torch.manual_seed(seed)
        yield
