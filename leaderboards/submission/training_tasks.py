"""training-0.npy, training-1.npy ...: the tasks that the runs of a submission were trained on, read with distrust."""

import hashlib
import re

import numpy as np

from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.submission.metadata import Metadata, TrainingTasks
from procgen_bench.leaderboards.submission.plain_array import MAX_HEADER_BYTES, parse_array
from procgen_bench.leaderboards.submission.plain_folder import PlainFolder, check_extra_files

#: Names of the files.
TRAINING_FILES = re.compile(r"training-[0-9]{1,2}\.npy")
_DTYPE = np.dtype(np.uint64)


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
