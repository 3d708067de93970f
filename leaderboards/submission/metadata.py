"""submission.json: who claims what, for which benchmark, and how it was made."""

import re
from itertools import pairwise
from typing import Annotated

from pydantic import AfterValidator, Field

from procgen_bench.baselines.training.task_records import MAX_RECORDED_TASKS
from procgen_bench.core.provenance import CHANGED
from procgen_bench.leaderboards.submission.strict_json import StrictModel, parse_json, validated

METADATA_FILE = "submission.json"
MAX_METADATA_BYTES = 256 * 1024
FORMAT_VERSION = 2
MAX_RUNS = 64
MAX_SEED = 2**32 - 1
MAX_CURVE_POINTS = 500

_METHOD = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._+()-]*")
_LINK = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?([/?#][A-Za-z0-9._~:/?#@!$&()*+,;=%-]*)?")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_COMMIT = re.compile(r"[0-9a-f]{40,64}(\+changes)?")


def _matching(pattern: re.Pattern, wanted: str):
    def check(text: str) -> str:
        if not pattern.fullmatch(text):
            raise ValueError(wanted)
        return text

    return AfterValidator(check)


def _printable(text: str) -> str:
    # No control characters, no invisible or direction-changing ones, no lone surrogates.
    if not text.replace("\n", "").isprintable():
        raise ValueError("printable characters only")
    return text


def _one_line(text: str) -> str:
    if "\n" in text:
        raise ValueError("a single line")
    return _printable(text)


def _rising(curve: list["CurvePoint"]) -> list["CurvePoint"]:
    if any(later.step <= earlier.step for earlier, later in pairwise(curve)):
        raise ValueError("rising steps")
    return curve


SHA256 = Annotated[str, _matching(_SHA256, "64 hexadecimal digits, lower case")]
Line = Annotated[str, Field(min_length=1, max_length=300), AfterValidator(_one_line)]
Command = Annotated[str, Field(min_length=1, max_length=2_000), AfterValidator(_one_line)]
Commit = Annotated[str, _matching(_COMMIT, "a commit's hexadecimal digits, with or without '+changes'")]
Versions = Annotated[dict[Line, Line], Field(min_length=1, max_length=64)]


class CurvePoint(StrictModel):
    """One evaluation during training: environment steps taken, and the benchmark's metric."""

    step: Annotated[int, Field(ge=0, le=2**53)]
    score: float


class Training(StrictModel):
    """How a run's policy was trained. It is the submitter's word: a replay cannot check it.

    Attributes:
        command: The command that trains it again.
        commit: Commit of the package's checkout; ``None`` for an installed package.
        hardware: Processor and number of cores.
        wall_time_seconds: Wall time, evaluations included.
        curve: The evaluations, at most 500, by rising step.
    """

    command: Command
    commit: Commit | None
    hardware: Line
    wall_time_seconds: Annotated[float, Field(ge=0)]
    curve: Annotated[list[CurvePoint], Field(max_length=MAX_CURVE_POINTS), AfterValidator(_rising)]

    @property
    def is_uncommitted(self) -> bool:
        """Whether its code differed from the commit, so that nobody can run it again."""
        return self.commit is not None and self.commit.endswith(CHANGED)


class TrainingTasks(StrictModel):
    """The tasks that a run's policy was trained on, and what of the suite is among them.

    A submission brings the list as ``training-0.npy``, ``training-1.npy`` ...; ``submit`` counts what it has of the
    suite (:mod:`~procgen_bench.leaderboards.verification.training_overlap`), and the board keeps the numbers. What is
    listed is the submitter's word; a training that is run again (``board retrain``) gives the list's hash again.

    Attributes:
        count: Number of different tasks. A list of the greatest length is a sample
            (:class:`~procgen_bench.baselines.training.task_records.TaskRecorder`).
        sha256: SHA-256 (64 hexadecimal digits) of the file.
        scored: Scored tasks that may not be trained on; of a list that is a sample, those of which it tells.
        met: How many of them the run was trained on.
        drawn: Fresh tasks of the suite's distribution of which it tells; 0 where too little of the suite was met to
            draw any, or none can be drawn.
        met_drawn: How many of them the run was trained on.
    """

    count: Annotated[int, Field(ge=0, le=MAX_RECORDED_TASKS)]
    sha256: SHA256
    scored: Annotated[int, Field(ge=0)]
    met: Annotated[int, Field(ge=0)]
    drawn: Annotated[int, Field(ge=0)]
    met_drawn: Annotated[int, Field(ge=0)]

    @property
    def is_sample(self) -> bool:
        """Whether the run was trained on more tasks than it lists."""
        return self.count >= MAX_RECORDED_TASKS


class Run(StrictModel):
    """One run of a method: a policy from one training.

    Attributes:
        training_seed: Seed of the training, [0, 2**32). For policies that need no training it numbers the runs.
        policy_hash: SHA-256 (64 hexadecimal digits) of the policy's file, or over the content of one that has none.
        training: How it was trained; ``None`` where nothing is recorded, as for policies that need no training.
        training_tasks: What it was trained on; ``None``: not stated.
    """

    training_seed: Annotated[int, Field(ge=0, le=MAX_SEED)]
    policy_hash: SHA256
    training: Training | None = None
    training_tasks: TrainingTasks | None = None


class Metadata(StrictModel):
    """What a submission says about itself.

    Attributes:
        format_version: Version of the submission format, 2.
        method: Name of the method, 1 to 64 characters; names its entry on the board.
        authors: Who submits it, one line.
        link: http(s) address of a paper or of code; ``None``: none.
        benchmark: Id of the benchmark.
        benchmark_version: Version of the benchmark.
        oracle: Whether the policy is given the task (a solver or a scripted expert); oracles are shown unranked.
        training_steps: Environment steps of one run's training, within the benchmark's budget.
        runs: The runs, 1 to 64, all different.
        policies: Whether ``policy-0.onnx``, ``policy-1.onnx`` ... hold the runs' policies, for boards to play.
        claimed_score: The benchmark's metric, mean over runs.
        package_versions: Versions that played the episodes, by package.
        command: The command that made the submission.
        commit: Commit of the package's checkout; ``None`` for an installed package.
        hardware: Processor and number of cores.
        wall_time_seconds: Wall time of the evaluation.
        notes: Anything else, at most 2,000 characters.
    """

    format_version: Annotated[int, Field(ge=FORMAT_VERSION, le=FORMAT_VERSION)]
    method: Annotated[
        str, Field(max_length=64), _matching(_METHOD, "a letter or digit, then letters, digits, spaces and ._+()-")
    ]
    authors: Line
    link: Annotated[str, Field(max_length=300), _matching(_LINK, "an http or https address")] | None
    benchmark: Annotated[str, Field(max_length=100)]
    benchmark_version: int
    oracle: bool
    training_steps: Annotated[int, Field(ge=0, le=2**53)]
    runs: Annotated[list[Run], Field(min_length=1, max_length=MAX_RUNS)]
    policies: bool
    claimed_score: float
    package_versions: Versions
    command: Command
    commit: Commit | None
    hardware: Line
    wall_time_seconds: Annotated[float, Field(ge=0)]
    notes: Annotated[str, Field(max_length=2_000), AfterValidator(_printable)]

    @property
    def policy_files(self) -> list[str]:
        """Names of the policies' files, one for each run; none where there are no policies."""
        return [policy_file(run) for run in range(len(self.runs))] if self.policies else []

    @property
    def training_files(self) -> dict[str, TrainingTasks]:
        """Names of the files that list training tasks, and what the runs that have one say of it."""
        stated = [(training_file(run), one.training_tasks) for run, one in enumerate(self.runs)]
        return {name: tasks for name, tasks in stated if tasks is not None}

    @property
    def entry_name(self) -> str:
        """Name of the method's folder on the board: lower-case letters and digits, joined by hyphens."""
        return re.sub(r"[^a-z0-9]+", "-", self.method.lower()).strip("-")

    def to_json(self) -> bytes:
        """The file's content."""
        return self.model_dump_json(indent=2).encode() + b"\n"


def policy_file(run: int) -> str:
    """Name of the file that holds a run's policy."""
    return f"policy-{run}.onnx"


def training_file(run: int) -> str:
    """Name of the file that lists the tasks that a run was trained on."""
    return f"training-{run}.npy"


def parse_metadata(raw: bytes) -> Metadata:
    """The metadata of a ``submission.json``.

    Raises:
        InvalidSubmissionError: The text or one of its fields is not as it must be.
    """
    return validated(Metadata, parse_json(raw, METADATA_FILE), METADATA_FILE)
