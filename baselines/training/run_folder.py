"""RunFolder: where a training run keeps its configuration, its curve, its checkpoint and its policy.

config.json         what was run: method, benchmark, seed, steps, configuration, command, commit, versions, hardware
curve.csv           one row per evaluation
levels.jsonl        what the teacher proposed at each of them
tensorboard/        the same and the learner's own curves
wandb/              what Weights & Biases keeps, where it is asked for
checkpoint/         the newest state from which the run resumes exactly
training_tasks.npy  the tasks that were played until the newest evaluation, as short fingerprints: uint64, rising
policy/             the policy as of the newest evaluation; the run is over when config.json says "finished"
policies/           that of every evaluation, by its step, where they are kept
.lock               held by the process that trains it
"""

import contextlib
import csv
import dataclasses
import hashlib
import io
import json
import shlex
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
from filelock import FileLock, Timeout
from safetensors import SafetensorError
from safetensors.numpy import load_file

from procgen_bench.baselines.training.reporting import report
from procgen_bench.core.atomic import replaced_folder, retired_folder, write_bytes, write_text, write_weights
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.core.paths import check_folder
from procgen_bench.core.provenance import CHANGED, commit, provenance
from procgen_bench.core.seeding import checked_seed

CONFIG_FILE, TRAINING_TASKS_FILE, _LOCK_FILE = "config.json", "training_tasks.npy", ".lock"
#: Where the newest checkpoint is: a write that is killed between its two renames leaves it in the second.
CHECKPOINT_FOLDERS = ("checkpoint", retired_folder(Path("checkpoint")).name)
_CHECKPOINT_ARRAYS, _CHECKPOINT_VALUES = "arrays.safetensors", "values.json"
#: Under what name the values hold the SHA-256 of the arrays' file: who restores cannot tell an array that is missing.
_DIGEST = "arrays_sha256"


@dataclass(frozen=True)
class TrainingRecord:
    """How a policy was trained, as its run folder tells.

    Attributes:
        benchmark: Id of the benchmark that it was trained for and evaluated on.
        command: The command that trains it again.
        commit: Commit of the checkout; ``None`` outside one.
        hardware: Processor and number of cores.
        seconds: Wall time of the training, evaluations included.
        curve: One dict per evaluation: ``step``, ``seconds``, ``return``, ``success``, ``length``, the method's own.
        tasks: The content of ``training_tasks.npy``; ``None`` where there is none, as in older runs.
    """

    benchmark: str
    command: str
    commit: str | None
    hardware: str
    seconds: float
    curve: list[dict[str, float]]
    tasks: bytes | None = None


class RunFolderError(ProcgenBenchError):
    """The folder holds another run, or cannot be used for one."""


class DamagedRunError(RunFolderError):
    """A file of a run is not what was written: cut short, say."""

    def __init__(self, path: Path, reason: object, run: Path):
        super().__init__(
            f"{path} is damaged ({' '.join(str(reason).split())}); remove {run} to train it from the beginning, "
            "or choose another --out"
        )


class _UnopenedError(Exception):
    """Ends a run that is only to be checked."""


_UNOPENED: ContextVar[bool] = ContextVar("unopened", default=False)


@contextlib.contextmanager
def unopened() -> Iterator[None]:
    """Meanwhile a run ends where its folder would be opened: what it refuses is refused, and nothing is trained."""
    token = _UNOPENED.set(True)
    try:
        with contextlib.suppress(_UnopenedError):
            yield
    finally:
        _UNOPENED.reset(token)


@dataclass
class RunFolder:
    """One training run on disk.

    Attributes:
        path: The folder, which :meth:`open` creates. A run of the same settings that is there is resumed.
        method: Name of the method.
        benchmark: What is trained for.
        configuration: The method's configuration dataclass.
        seed: Seed of the run.
        steps: Environment steps to train for in all.
        begins_with: Hash of the weights that it begins with, where these are another run's; empty: they are not.
    """

    path: Path
    method: str
    benchmark: Benchmark
    configuration: Any
    seed: int
    steps: int
    begins_with: str = ""
    _lock: FileLock | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self):
        self.seed = checked_seed(self.seed)

    def open(self) -> Self:
        """Create the folder, or find that it holds this run; until then nothing is written.

        While this object lives, no other process may open it.

        Raises:
            RunFolderError: It holds another run, or a damaged one, or another process trains it.
            UnwritablePathError: It is a file.
        """
        if _UNOPENED.get():
            raise _UnopenedError
        check_folder(self.path)
        self.path.mkdir(parents=True, exist_ok=True)
        settings, config = self.settings, read_config(self.path)
        is_new = {one.name for one in self.path.iterdir()} <= {CONFIG_FILE, _LOCK_FILE}  # or never evaluated
        if config is None and not is_new:
            raise RunFolderError(f"{self.path} is not empty and holds no run; choose another --out")
        self._lock = FileLock(self.path / _LOCK_FILE, timeout=0, is_singleton=True)
        try:  # two processes in one folder would write over each other's checkpoints
            self._lock.acquire()
        except Timeout:
            raise RunFolderError(f"{self.path} is trained by another process; wait, or choose another --out") from None
        if is_new:
            untouched = type(self.configuration).within(self.benchmark.environment_id)
            command = training_command(settings, plain_configuration(untouched))
            self._write_config(settings=settings, finished=False, command=command, provenance=provenance())
        elif config is not None:
            refuse_other_settings(self.path, config["settings"], settings, type(self.configuration))
            began = config["provenance"]["commit"]
            if not config["finished"] and began and CHANGED not in began and began != commit():
                config["provenance"]["commit"] = began + CHANGED
                self._write_config(**config)
        return self

    @property
    def settings(self) -> dict[str, Any]:
        """What is run, in JSON's types: method, benchmark and its version, seed, steps and configuration."""
        begun = {"begins_with": self.begins_with} if self.begins_with else {}
        return begun | {
            "method": self.method,
            "benchmark": self.benchmark.id,
            "benchmark_version": self.benchmark.version,
            "seed": self.seed,
            "steps": self.steps,
            "configuration": plain_configuration(self.configuration),
        }

    @property
    def policy_path(self) -> Path:
        """Where the policy is kept."""
        return self.path / "policy"

    @property
    def finished(self) -> bool:
        """Whether the run has reached its last step."""
        return is_finished(self.path)

    def finish(self) -> None:
        """Mark the run as finished; its provenance stays that of its beginning: the checkout may have changed since."""
        self._write_config(**(read_config(self.path) or {}) | {"settings": self.settings, "finished": True})

    def write_curve(self, rows: list[dict[str, float]], folder: Path | None = None) -> None:
        """Write ``curve.csv``; the last row of the run's own is also reported (:mod:`.reporting`).

        It has one row per evaluation, the columns of the last; empty where an earlier one lacks it.
        """
        text = io.StringIO()
        writer = csv.DictWriter(text, rows[-1].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        (folder or self.path).mkdir(parents=True, exist_ok=True)
        write_text((folder or self.path) / "curve.csv", text.getvalue())
        if folder in (None, self.path):
            report(self.path, self.settings, rows[-1])

    def write_training_tasks(self, fingerprints: np.ndarray) -> None:
        """Replace ``training_tasks.npy`` by uint64 (n,), the fingerprints of a :class:`~.task_records.TaskRecorder`."""
        content = io.BytesIO()
        np.save(content, fingerprints, allow_pickle=False)
        write_bytes(self.path / TRAINING_TASKS_FILE, content.getvalue())

    def write_checkpoint(self, arrays: dict[str, np.ndarray], values: dict[str, Any]) -> None:
        """Replace the checkpoint, arrays (any shape) and plain values; a killed write leaves the old one."""
        with replaced_folder(self.path / CHECKPOINT_FOLDERS[0]) as building:
            write_weights(building / _CHECKPOINT_ARRAYS, arrays)
            values = values | {_DIGEST: _digest(building / _CHECKPOINT_ARRAYS)}
            write_text(building / _CHECKPOINT_VALUES, json.dumps(values))

    def read_checkpoint(self) -> tuple[dict[str, np.ndarray], dict[str, Any]] | None:
        """The newest checkpoint, arrays of any shape and dtype and values; ``None`` where there is none yet.

        Raises:
            DamagedRunError: It cannot be read.
        """
        folder = next((self.path / name for name in CHECKPOINT_FOLDERS if (self.path / name).exists()), None)
        if folder is None:
            return None
        try:
            arrays = load_file(folder / _CHECKPOINT_ARRAYS)
        except (OSError, SafetensorError) as error:
            raise DamagedRunError(folder / _CHECKPOINT_ARRAYS, error, self.path) from error
        values = _read_json(folder / _CHECKPOINT_VALUES, self.path)
        if values.pop(_DIGEST, None) not in (None, _digest(folder / _CHECKPOINT_ARRAYS)):
            raise DamagedRunError(folder / _CHECKPOINT_ARRAYS, "it is not what was written", self.path)
        return arrays, values

    def _write_config(self, **config: Any) -> None:
        write_text(self.path / CONFIG_FILE, json.dumps(config, indent=2) + "\n")


def plain_configuration(configuration: Any) -> dict[str, Any]:
    """A configuration dataclass in JSON's types."""
    return json.loads(json.dumps(dataclasses.asdict(configuration)))


def refuse_other_settings(
    folder: Path, found: dict[str, Any], wanted: dict[str, Any], configuration_type: type
) -> None:
    """Raise :class:`RunFolderError` where the run in ``folder`` has other settings than are wanted.

    Args:
        folder: Holds the run.
        found: Its settings, as :attr:`RunFolder.settings` has them.
        wanted: The settings that are wanted; what is not named may be anything.
        configuration_type: The method's: a run of before an option was there is what the option's default makes it.
    """
    defaults = plain_configuration(configuration_type())
    flat_found = {**found, **defaults, **found["configuration"], "configuration": None}
    flat_wanted = {**wanted, **wanted["configuration"], "configuration": None}
    for name, value in flat_wanted.items():
        if flat_found.get(name) != value:
            raise RunFolderError(
                f"{folder} holds a run with {name} = {flat_found.get(name)!r}, not {value!r}; "
                "choose another --out, or the same settings to resume it"
            )


def read_training_record(policy_path: Path) -> TrainingRecord | None:
    """How the policy in ``policy_path`` was trained; ``None`` where the folder does not lie in its run folder.

    Raises:
        DamagedRunError: Its configuration or its curve cannot be read.
    """
    config, curve = read_config(policy_path.parent), curve_of(policy_path.parent)
    tasks_path = policy_path.parent / TRAINING_TASKS_FILE
    if config is None or not curve:
        return None
    return TrainingRecord(
        benchmark=config["settings"]["benchmark"],
        command=config["command"],
        commit=config["provenance"]["commit"],
        hardware=config["provenance"]["hardware"],
        seconds=curve[-1]["seconds"],
        curve=curve,
        tasks=tasks_path.read_bytes() if tasks_path.is_file() else None,
    )


def read_config(folder: Path) -> dict[str, Any] | None:
    """What ``config.json`` says of the run in ``folder``; ``None`` where there is none, or another program's.

    Raises:
        DamagedRunError: It cannot be read.
    """
    path = folder / CONFIG_FILE
    config = _read_json(path, folder) if path.is_file() else None
    return config if isinstance(config, dict) and {"settings", "finished", "command"} <= config.keys() else None


def is_finished(folder: Path) -> bool:
    """Whether ``folder`` holds a run that has reached its last step.

    Raises:
        DamagedRunError: Its configuration cannot be read.
    """
    config = read_config(folder)
    return config is not None and config["finished"]


def curve_of(folder: Path) -> list[dict[str, float]]:
    """The evaluations of a run's folder, none where it has not begun; raises as :func:`read_curve`."""
    path = folder / "curve.csv"
    return read_curve(path) if path.exists() else []


def read_curve(path: Path) -> list[dict[str, float]]:
    """The rows of a run's ``curve.csv``; a row lacks what its evaluation did not measure.

    Raises:
        DamagedRunError: It holds something else.
    """
    try:
        with path.open(newline="", encoding="utf-8") as file:
            return [{name: float(value) for name, value in row.items() if value} for row in csv.DictReader(file)]
    except (ValueError, TypeError, csv.Error) as error:
        raise DamagedRunError(path, error, path.parent) from error


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read_json(path: Path, run: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise DamagedRunError(path, error, run) from error


def training_command(settings: dict[str, Any], defaults: dict[str, Any]) -> str:
    """The command line of a run's settings, without the options that are as they are without being given."""
    words = "procgen-bench train {method} {benchmark} --seed {seed} --steps {steps}".format_map(settings).split()
    for name, value in settings["configuration"].items():
        if name not in defaults or value != defaults[name]:
            flag = f"--{'no-' if value is False else ''}{name}".replace("_", "-")
            words += [flag] if isinstance(value, bool) else [flag, str(value)]
    return shlex.join(words)
