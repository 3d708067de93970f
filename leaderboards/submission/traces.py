"""traces.npz: the played episodes, as arrays. Read within limits that are known before anything is unpacked."""

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np

from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.submission.plain_array import MAX_HEADER_BYTES, parse_array

TRACES_FILE = "traces.npz"
#: What a refusal of too many steps ends with.
MORE_STEPS = "unless the verifier allows more steps (--max-steps)"

#: Signature and layout of the record that ends a zip file, and the mark of a 64-bit one before it.
_END_RECORD = struct.Struct("<4s4H2LH")
_END_SIGNATURE, _LOCATOR_64_SIGNATURE, _LOCATOR_64_SIZE = b"PK\x05\x06", b"PK\x06\x07", 20
_MAX_DIRECTORY_BYTES = 1024
_ENCRYPTED = 0x1
#: What zipfile raises on files that are none, lie about themselves, or need what it cannot do.
_ZIP_ERRORS = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError),
    *(RuntimeError, ValueError, OverflowError, MemoryError),
)


@dataclass(frozen=True, eq=False)
class Traces:
    """The episodes of all runs, E in number, in their fixed order.

    Attributes:
        runs: int32 (E,), index of the run.
        tasks: int32 (E,), index of the task in the benchmark's suite.
        seeds: uint64 (E,), seed of the environment's reset.
        lengths: int32 (E,), number of actions.
        scores: float64 (E,), what the submitter says the episode scores.
        actions: Actions of all episodes, one after the other: (sum of lengths, ...), in the action space's dtype.
    """

    runs: np.ndarray
    tasks: np.ndarray
    seeds: np.ndarray
    lengths: np.ndarray
    scores: np.ndarray
    actions: np.ndarray

    def to_npz(self) -> bytes:
        """The file's content."""
        file = io.BytesIO()
        np.savez_compressed(file, allow_pickle=False, **{one.name: getattr(self, one.name) for one in fields(self)})
        return file.getvalue()


_PER_EPISODE = {"runs": np.int32, "tasks": np.int32, "seeds": np.uint64, "lengths": np.int32, "scores": np.float64}


@dataclass(frozen=True)
class TraceLimits:
    """What a benchmark demands of the traces of a submission, known before anything is unpacked.

    Attributes:
        num_runs: Number of runs.
        episodes_per_run: Number of episodes of each run.
        max_episode_steps: Greatest number of actions of an episode.
        max_steps: Greatest number of actions of all runs together.
        action_dtype: Dtype of an action.
        action_shape: Shape of an action.
    """

    num_runs: int
    episodes_per_run: int
    max_episode_steps: int
    max_steps: int
    action_dtype: np.dtype
    action_shape: tuple[int, ...]

    @property
    def num_episodes(self) -> int:
        """Number of episodes of all runs."""
        return self.num_runs * self.episodes_per_run

    @property
    def max_bytes(self) -> int:
        """Greatest size of a ``traces.npz``, even one that does not compress."""
        steps = min(self.max_steps, self.num_episodes * self.max_episode_steps)
        unpacked = sum(np.dtype(dtype).itemsize for dtype in _PER_EPISODE.values()) * self.num_episodes
        unpacked += steps * self.action_dtype.itemsize * int(np.prod(self.action_shape))
        return unpacked + unpacked // 100 + 16 * 1024


def parse_traces(raw: bytes, limits: TraceLimits) -> Traces:
    """The traces of a ``traces.npz``. No array is unpacked before its size, dtype and shape are known to be right.

    Raises:
        InvalidSubmissionError: Not such a file.
    """
    names = [*_PER_EPISODE, "actions"]
    _check_end_record(raw, len(names))
    arrays = {}
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            members = _checked_members(archive, names)
            for name, dtype in _PER_EPISODE.items():
                arrays[name] = _read_array(archive, members[name], np.dtype(dtype), (limits.num_episodes,))
            num_actions = _checked_total(arrays["lengths"], limits)
            shape = (num_actions, *limits.action_shape)
            arrays["actions"] = _read_array(archive, members["actions"], np.dtype(limits.action_dtype), shape)
    except InvalidSubmissionError:
        raise
    except _ZIP_ERRORS as error:
        raise InvalidSubmissionError(TRACES_FILE, "content", str(error), "an intact zip file") from None
    return Traces(**arrays)


def _check_end_record(raw: bytes, num_arrays: int) -> None:
    """Refuse files whose directory would be long to read, before zipfile reads it."""
    end = len(raw) - _END_RECORD.size
    if end < 0 or raw[end : end + 4] != _END_SIGNATURE:
        raise InvalidSubmissionError(TRACES_FILE, "content", raw[:8], "a zip file without a comment, as NumPy writes")
    if raw[end - _LOCATOR_64_SIZE :][:4] == _LOCATOR_64_SIGNATURE:
        raise InvalidSubmissionError(TRACES_FILE, "content", "a zip64 directory", "a plain zip file")
    *_, entries, directory_bytes, _, comment_bytes = _END_RECORD.unpack_from(raw, end)
    if comment_bytes:
        raise InvalidSubmissionError(TRACES_FILE, "size of the comment in bytes", comment_bytes, "0")
    if entries != num_arrays:
        raise InvalidSubmissionError(TRACES_FILE, "number of arrays", entries, str(num_arrays))
    if directory_bytes > _MAX_DIRECTORY_BYTES:
        raise InvalidSubmissionError(
            TRACES_FILE, "directory's size in bytes", directory_bytes, f"at most {_MAX_DIRECTORY_BYTES}"
        )


def _checked_members(archive: zipfile.ZipFile, names: Sequence[str]) -> Mapping[str, zipfile.ZipInfo]:
    """The archive's members by array name: each of ``names`` once, and no other."""
    members: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        name = info.filename.removesuffix(".npy")
        if name not in names or not info.filename.endswith(".npy"):
            raise InvalidSubmissionError(TRACES_FILE, "array", info.filename, f"only {', '.join(names)}")
        if name in members:
            raise InvalidSubmissionError(TRACES_FILE, "array", info.filename, "every array only once")
        if info.flag_bits & _ENCRYPTED:
            raise InvalidSubmissionError(TRACES_FILE, "array", f"{info.filename} (encrypted)", "no encryption")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise InvalidSubmissionError(
                TRACES_FILE, f"{info.filename}'s compression", info.compress_type, "0 (none) or 8 (deflate)"
            )
        members[name] = info
    for name in names:
        if name not in members:
            raise InvalidSubmissionError(TRACES_FILE, "array", f"{name} (missing)", ", ".join(names))
    return members


def _read_array(archive: zipfile.ZipFile, info: zipfile.ZipInfo, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    name = info.filename.removesuffix(".npy")
    content_bytes = int(np.prod(shape, dtype=object)) * dtype.itemsize
    if info.file_size > content_bytes + MAX_HEADER_BYTES:
        raise InvalidSubmissionError(
            TRACES_FILE, f"{name}'s size in bytes", info.file_size, f"{content_bytes} ({dtype}, shape {shape})"
        )
    with archive.open(info) as member:
        raw = member.read(info.file_size + 1)
    if len(raw) != info.file_size:
        raise InvalidSubmissionError(TRACES_FILE, f"{name}'s size in bytes", len(raw), f"{info.file_size} as declared")
    return parse_array(raw, dtype, shape, TRACES_FILE, name)


def _checked_total(lengths: np.ndarray, limits: TraceLimits) -> int:
    """Sum of the lengths, each of which must lie within the time limit, and all runs' within theirs."""
    longest = limits.max_episode_steps
    for episode in np.flatnonzero((lengths < 0) | (lengths > longest))[:1]:
        raise InvalidSubmissionError(
            TRACES_FILE, f"lengths[{episode}]", int(lengths[episode]), f"0 to {longest} actions"
        )
    total = 0
    for run, of_run in enumerate(np.split(lengths, limits.num_runs)):
        total += int(of_run.sum(dtype=np.int64))
        if total > limits.max_steps:
            raise InvalidSubmissionError(
                TRACES_FILE,
                f"number of actions up to run {run}",
                total,
                f"at most {limits.max_steps}, {MORE_STEPS}",
            )
    return total
