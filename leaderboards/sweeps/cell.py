"""Cell: one training run of a sweep, and where it lies."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from procgen_bench.baselines.method_table import get_method
from procgen_bench.baselines.training.run_folder import (
    curve_of,
    is_finished,
    plain_configuration,
    read_config,
    refuse_other_settings,
)
from procgen_bench.core.benchmarks import get_benchmark

_LONGEST_NAME = 80


@dataclass(frozen=True)
class Cell:
    """One training run.

    Attributes:
        method: Name of the method.
        benchmark: Id of the benchmark that is trained for and evaluated on.
        options: The method's options that are not left at their defaults, by field name.
        seed: Its seed.
        steps: Environment steps that it trains for.
        out: Folder of all runs, see :attr:`folder`.
    """

    method: str
    benchmark: str
    options: Mapping[str, Any]
    seed: int
    steps: int
    out: Path

    @cached_property
    def folder(self) -> Path:
        """Its run folder, ``BENCHMARK/METHOD-OPTIONS/STEPS/seed-N``: cells of other options have another.

        Defaults are not in it, and may change: :meth:`check_kept`. Of many options the name holds their digest.
        """
        settings = "-".join([self.method, *(f"{name}-{value}" for name, value in self.options.items())])
        plain = "".join(letter if letter.isalnum() or letter in ".+=," else "-" for letter in settings.lower())
        if len(plain) > _LONGEST_NAME:
            words = [self.method, *self._teacher, hashlib.sha256(settings.encode()).hexdigest()[:8]]
            plain = "-".join(words)
        return self.out / self.benchmark.replace("/", "-") / plain / f"{self.steps}" / f"seed-{self.seed}"

    @property
    def configuration(self) -> Any:
        """The method's, with the cell's options."""
        return get_method(self.method).configured(get_benchmark(self.benchmark).environment_id, self.options)

    @property
    def log(self) -> Path:
        """What its training says, beside its folder."""
        return self.folder.with_suffix(".log")

    @property
    def name(self) -> str:
        """What it is called, e.g. ``ppo plr grid-world/graded seed 0``."""
        return " ".join([self.method, *self._teacher, self.benchmark, f"seed {self.seed}"])

    @property
    def finished(self) -> bool:
        """Whether the run has reached its last step."""
        return is_finished(self.folder)

    def check_kept(self) -> None:
        """Raise :class:`.RunFolderError` where the run is over and had other settings than it would have today.

        What the benchmark decides, where an option is ``None``, is not looked at, nor where its networks were.
        """
        config = read_config(self.folder)
        if config is None or not config["finished"]:
            return  # resuming it is refused by its folder
        configuration = self.configuration
        plain = plain_configuration(configuration)
        decided = {name: value for name, value in plain.items() if value is not None and name != "device"}
        version = get_benchmark(self.benchmark).version
        wanted = {"seed": self.seed, "benchmark_version": version, "configuration": decided}
        refuse_other_settings(self.folder, config["settings"], wanted, type(configuration))

    @property
    def _teacher(self) -> list[str]:
        return [self.options["teacher"]] if "teacher" in self.options else []

    def read_curve(self) -> list[dict[str, float]]:
        """The evaluations so far; none where it has not begun."""
        return curve_of(self.folder)
