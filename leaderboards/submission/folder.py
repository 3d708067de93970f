"""Submissions as folders: read, trusting nothing in them, and written, all or nothing."""

import hashlib
import re
from functools import partial
from os import PathLike
from pathlib import Path

from procgen_bench.baselines.policies.loading import scripted_name
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.paths import check_folder
from procgen_bench.leaderboards.errors import ExistingFolderError, InvalidSubmissionError
from procgen_bench.leaderboards.submission.checks import check_actions, check_episodes, checked_benchmark
from procgen_bench.leaderboards.submission.metadata import MAX_METADATA_BYTES, METADATA_FILE, Metadata, parse_metadata
from procgen_bench.leaderboards.submission.plain_folder import PlainFolder, check_extra_files, write_plain_folder
from procgen_bench.leaderboards.submission.protocol import ANY_STEPS, Protocol
from procgen_bench.leaderboards.submission.submission import Submission
from procgen_bench.leaderboards.submission.traces import TRACES_FILE, Traces, parse_traces
from procgen_bench.leaderboards.submission.training_tasks import TRAINING_FILES, read_training_files

#: Names of policies' files.
POLICY_FILES = re.compile(r"policy-[0-9]{1,2}\.onnx")
_TRACES_FILES = re.compile(re.escape(TRACES_FILE))
_EXTRA_FILES = re.compile(f"{POLICY_FILES.pattern}|{TRAINING_FILES.pattern}|{_TRACES_FILES.pattern}")
#: Greatest size of one policy, and of all of a submission.
MAX_POLICY_BYTES, MAX_POLICIES_BYTES = 64 * 1024 * 1024, 256 * 1024 * 1024


def read_submission(folder: str | PathLike, max_steps: int | None = None) -> Submission:
    """Read a submission's folder, trusting nothing in it.

    Args:
        folder: The folder, which holds ``submission.json``, the policies' files and the lists of training tasks if the
            metadata say so, ``traces.npz`` if nothing else can be played, and nothing else.
        max_steps: Steps of all runs together that are accepted; ``None``: the usual limit.

    Raises:
        InvalidSubmissionError: The folder, a file, a field or an array is not as the benchmark demands.
    """
    with PlainFolder(Path(folder), (METADATA_FILE,), _EXTRA_FILES) as files:
        raw_metadata = files.read(METADATA_FILE, MAX_METADATA_BYTES)
        metadata = parse_metadata(raw_metadata)
        protocol = Protocol(checked_benchmark(metadata))
        policies, training_files = read_policies(files, metadata), read_training_files(files, metadata)
        traces = read_traces(files, metadata, protocol, max_steps)
    return checked(Submission(metadata, traces, protocol, policies, raw_metadata, training_files))


def read_traces(
    files: PlainFolder, metadata: Metadata, protocol: Protocol, max_steps: int | None = None
) -> Traces | None:
    """The recorded actions in a folder; ``None``: its policies are played, and none are there.

    Raises:
        InvalidSubmissionError: There are none where there should be, or the other way round; or they are too many.
    """
    if is_played(metadata):
        check_extra_files(files, _TRACES_FILES, [], "no recorded actions, as its policies are played")
        return None
    if protocol.benchmark.physics:
        raise InvalidSubmissionError(
            METADATA_FILE, "policies", False, "true: recorded actions of physics come out otherwise elsewhere"
        )
    check_extra_files(files, _TRACES_FILES, [TRACES_FILE], TRACES_FILE)
    limits = protocol.trace_limits(len(metadata.runs), max_steps)
    return parse_traces(files.read(TRACES_FILE, limits.max_bytes), limits)


def is_played(metadata: Metadata) -> bool:
    """Whether a submission's policies can be played: it brings them, or they are scripted players."""
    return metadata.policies or None not in scripted_names(metadata)


def scripted_names(metadata: Metadata) -> list[str | None]:
    """The scripted player of each run; ``None``: it is none."""
    environment = get_benchmark(metadata.benchmark).environment_id
    return [scripted_name(run.policy_hash, environment) for run in metadata.runs]


def checked(submission: Submission) -> Submission:
    """A submission whose recorded episodes, if there are any, are those of its protocol.

    Raises:
        InvalidSubmissionError: They are not.
    """
    if submission.traces is not None:
        check_episodes(submission)
        check_actions(submission)
    return submission


def read_policies(files: PlainFolder, metadata: Metadata) -> tuple[bytes, ...]:
    """The policies in a folder: those that the metadata announce, each what its hash says, and no others.

    Raises:
        InvalidSubmissionError: A policy is missing, too many, too large or another than the metadata say.
    """
    announced = metadata.policy_files
    check_extra_files(files, POLICY_FILES, announced, "no policies")
    sizes = [files.size(name, MAX_POLICY_BYTES) for name in announced]
    if sum(sizes) > MAX_POLICIES_BYTES:
        raise InvalidSubmissionError(
            "folder", "size of all policies in bytes", sum(sizes), f"at most {MAX_POLICIES_BYTES}"
        )
    policies = []
    for name, size, run in zip(announced, sizes, metadata.runs):
        policy = files.read(name, size)
        digest = hashlib.sha256(policy).hexdigest()
        if digest != run.policy_hash:
            raise InvalidSubmissionError(name, "SHA-256", digest, f"{run.policy_hash}, the policy_hash of its run")
        policies.append(policy)
    return tuple(policies)


def write_submission(submission: Submission, folder: str | PathLike) -> None:
    """Write a submission to the new folder ``folder``, all or nothing.

    Raises:
        ExistingFolderError: ``folder`` exists.
        InvalidSubmissionError: What would be written could not be read again.
    """
    folder = Path(folder)
    check_writable(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    # How much of it is replayed is for boards to say.
    check = partial(read_submission, max_steps=ANY_STEPS)
    write_plain_folder(folder, submission.files(), staging=folder.parent, check=check)


def check_writable(folder: str | PathLike) -> None:
    """Whether a submission can be written to ``folder``.

    Raises:
        ExistingFolderError: Something is there.
        UnwritablePathError: It would lie in a file.
    """
    if Path(folder).exists():
        raise ExistingFolderError(f"{folder} already exists; remove it or write the submission elsewhere")
    check_folder(Path(folder).parent)
