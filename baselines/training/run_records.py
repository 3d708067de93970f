"""The runs that lie below a folder, as their folders tell; nothing that trains is loaded."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from procgen_bench.baselines.training.run_folder import (
    CHECKPOINT_FOLDERS,
    CONFIG_FILE,
    DamagedRunError,
    curve_of,
    read_config,
)

State = Literal["finished", "resumable", "begun"]


@dataclass(frozen=True)
class RunRecord:
    """One training run.

    Attributes:
        folder: Its folder.
        settings: What is run; see :attr:`~procgen_bench.baselines.training.run_folder.RunFolder.settings`.
        command: The command that trains it again; with ``--out`` and its folder, further.
        state: ``"finished"``; ``"resumable"``: it is not, and has a checkpoint to continue from; or ``"begun"``: it has
            none yet, and would begin again.
        curve: Its evaluations so far, a dict of numbers each.
    """

    folder: Path
    settings: dict[str, Any]
    command: str
    state: State
    curve: list[dict[str, float]]

    @property
    def method(self) -> str:
        """Name of the method."""
        return self.settings["method"]

    @property
    def teacher(self) -> str | None:
        """Name of the teacher; ``None`` where the method has none."""
        return self.settings["configuration"].get("teacher")

    @property
    def benchmark(self) -> str:
        """Id of the benchmark."""
        return self.settings["benchmark"]

    @property
    def seed(self) -> int:
        """The run's seed."""
        return self.settings["seed"]

    @property
    def steps(self) -> int:
        """Environment steps that it trains for."""
        return self.settings["steps"]

    @property
    def steps_done(self) -> int:
        """Environment steps until its last evaluation."""
        return int(self.curve[-1]["step"]) if self.curve else 0

    @property
    def seconds(self) -> float:
        """Wall time until its last evaluation."""
        return self.curve[-1]["seconds"] if self.curve else 0.0


def find_runs(folder: Path) -> tuple[list[RunRecord], list[DamagedRunError]]:
    """The runs in and below ``folder``, by their paths; and what is wrong with those that cannot be read."""
    records, damaged = [], []
    for path in sorted(folder.rglob(CONFIG_FILE)):
        try:
            record = _read(path.parent)
        except DamagedRunError as error:
            damaged.append(error)
        else:
            records += [record] if record else []
    return records, damaged


def _read(folder: Path) -> RunRecord | None:
    """The run in ``folder``; ``None`` where the configuration there is another program's."""
    config = read_config(folder)
    if config is None:
        return None
    kept = any((folder / name).exists() for name in CHECKPOINT_FOLDERS)
    state: State = "finished" if config["finished"] else "resumable" if kept else "begun"
    return RunRecord(folder, config["settings"], config["command"], state, curve_of(folder))
