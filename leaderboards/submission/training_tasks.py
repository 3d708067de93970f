"""training-0.npy, training-1.npy ...: the tasks that the runs of a submission were trained on, read with distrust.

A board keeps them short, as training-0.zz and so on: the first 32 of each fingerprint's 64 bits, as compressed
differences. So what a list has of the suite can be counted again: of 262,144 listed tasks, one in 16,384 of others is
taken for one of them.
"""

import hashlib
import re
import zlib

import numpy as np

from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.submission.metadata import Metadata, TrainingTasks
from procgen_bench.leaderboards.submission.plain_array import MAX_HEADER_BYTES, parse_array
from procgen_bench.leaderboards.submission.plain_folder import PlainFolder, check_extra_files

#: Names of the files.
TRAINING_FILES = re.compile(r"training-[0-9]{1,2}\.npy")
_DTYPE = np.dtype(np.uint64)
#: Names of the files in which a board keeps them, and how many bits of a fingerprint are left out.
KEPT_FILES = re.compile(r"training-[0-9]{1,2}\.zz")
KEPT_SHIFT = np.uint64(32)
_KEPT_DTYPE = np.dtype("<u4")


def read_training_files(files: PlainFolder, metadata: Metadata) -> dict[str, bytes]:
    """The lists of training tasks in a folder: those that the metadata announce, each what they say, and no others.

    Raises:
        InvalidSubmissionError: A list is missing, too many, too large, or another than the metadata say.
    """
    stated = metadata.training_files
    check_extra_files(files, TRAINING_FILES, list(stated), "no lists of training tasks")
    contents = {}
    for name, tasks in stated.items():
        raw = files.read(name, tasks.count * _DTYPE.itemsize + MAX_HEADER_BYTES)
        check_training_list(raw, tasks, name)
        contents[name] = raw
    return contents


def check_training_list(raw: bytes, tasks: TrainingTasks, name: str) -> None:
    """Refuse a file's content that is not what is said of it, or no list of tasks.

    Raises:
        InvalidSubmissionError: So it is.
    """
    digest = hashlib.sha256(raw).hexdigest()
    if digest != tasks.sha256:
        raise InvalidSubmissionError(name, "SHA-256", digest, f"{tasks.sha256}, what its run says")
    listed = parse_training_list(raw, tasks.count, name)
    for place in np.flatnonzero(listed[1:] <= listed[:-1])[:1]:
        raise InvalidSubmissionError(
            name, f"fingerprint {place + 1}", int(listed[place + 1]), f"more than the one before, {listed[place]}"
        )


def parse_training_list(raw: bytes, count: int, name: str) -> np.ndarray:
    """uint64 (count,), the short fingerprints that a file lists.

    Raises:
        InvalidSubmissionError: It is no such array.
    """
    return parse_array(raw, _DTYPE, (count,), name)


def kept_file(name: str) -> str:
    """The name under which a board keeps a list: ``training-0.zz`` of ``training-0.npy``."""
    return name.removesuffix(".npy") + ".zz"


def packed_list(listed: np.ndarray) -> bytes:
    """A list as a board keeps it.

    Args:
        listed: uint64 (tasks,), rising.
    """
    short = np.unique(listed >> KEPT_SHIFT).astype(_KEPT_DTYPE)
    return zlib.compress(np.diff(short, prepend=_KEPT_DTYPE.type(0)).tobytes(), 9)


def unpacked_list(packed: bytes, most: int, name: str) -> np.ndarray:
    """uint64 (tasks,), the fingerprints' first 32 bits, rising; of at most ``most`` tasks.

    Raises:
        InvalidSubmissionError: It is no such list, or a longer one.
    """
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(packed, most * _KEPT_DTYPE.itemsize + 1)
    except zlib.error as error:
        raise InvalidSubmissionError(name, "content", str(error), "a compressed list of tasks") from None
    if len(raw) > most * _KEPT_DTYPE.itemsize or len(raw) % _KEPT_DTYPE.itemsize or not unpacker.eof:
        raise InvalidSubmissionError(name, "size in bytes", len(raw), f"a list of at most {most} tasks")
    return np.cumsum(np.frombuffer(raw, _KEPT_DTYPE), dtype=np.uint64)
