"""Lists of training tasks that are not what the metadata say, no lists, or that belie what is said of the suite."""

import hashlib
import io
import os

import numpy as np

from procgen_bench.baselines.training.task_records import MAX_RECORDED_TASKS
from procgen_bench.core.benchmarks import get_benchmark
from tests.leaderboards.attacks.attack import Attacks
from tests.leaderboards.attacks.folders import enormous
from tests.leaderboards.attacks.tampering import Tampering

#: The metadata of the honest submission state no training tasks.
ATTACKS = Attacks()


def npy(array: np.ndarray, allow_pickle: bool = False) -> bytes:
    """A NumPy file's content."""
    file = io.BytesIO()
    np.save(file, array, allow_pickle=allow_pickle)
    return file.getvalue()


def stated(forged: Tampering, content: bytes, **claims):
    """Write a list for the first run, and say what it honestly is but for ``claims``."""
    honest = {"count": (len(content) - 128) // 8, "sha256": hashlib.sha256(content).hexdigest()}
    honest |= {"scored": 0, "met": 0, "drawn": 0, "met_drawn": 0}
    first, *others = forged.metadata()["runs"]
    forged.fields(runs=[{**first, "training_tasks": {**honest, **claims}}, *others])
    (forged.folder / "training-0.npy").write_bytes(content)


LIST = npy(np.arange(10, dtype=np.uint64))


@ATTACKS.refused("folder: content is 'training-0.npy', expected no lists of training tasks")
def list_not_announced(forged):
    (forged.folder / "training-0.npy").write_bytes(LIST)


@ATTACKS.refused(r"folder: content is 'training-0.npy \(missing\)', expected training-0.npy")
def list_announced_but_missing(forged):
    stated(forged, LIST)
    (forged.folder / "training-0.npy").unlink()


@ATTACKS.refused("folder: content is 'training-1.npy', expected training-0.npy")
def list_of_another_run(forged):
    stated(forged, LIST)
    (forged.folder / "training-1.npy").write_bytes(LIST)


@ATTACKS.refused("folder: content is 'training-00.npy', expected training-0.npy")
def list_under_two_names(forged):
    stated(forged, LIST)
    (forged.folder / "training-00.npy").write_bytes(LIST)


@ATTACKS.refused("folder: content is 'training-0.npz', expected only submission.json")
def list_in_a_zip(forged):
    stated(forged, LIST)
    (forged.folder / "training-0.npy").rename(forged.folder / "training-0.npz")


@ATTACKS.refused("training-0.npy: SHA-256 is '[0-9a-f.]+', expected [0-9a-f]{64}, what its run says")
def list_changed_after_its_hash(forged):
    stated(forged, LIST)
    (forged.folder / "training-0.npy").write_bytes(npy(np.arange(1, 11, dtype=np.uint64)))


@ATTACKS.refused("training-0.npy: size in bytes is 100000000000, expected at most 592")
def list_of_100_gigabytes(forged):
    stated(forged, LIST)
    enormous(forged, "training-0.npy")


@ATTACKS.refused(f"training_tasks.count is 524289, expected less than or equal to {MAX_RECORDED_TASKS}")
def list_longer_than_any_recorder_makes(forged):
    stated(forged, npy(np.arange(MAX_RECORDED_TASKS + 1, dtype=np.uint64)))


@ATTACKS.refused(r"training-0.npy: size in bytes is 4194\d+, expected at most 520")
def list_longer_than_announced(forged):
    stated(forged, npy(np.arange(MAX_RECORDED_TASKS, dtype=np.uint64)), count=1)


@ATTACKS.refused(r"training-0.npy: array's shape is \(10,\), expected \(11,\)")
def list_shorter_than_announced(forged):
    stated(forged, LIST, count=11)


@ATTACKS.refused("training-0.npy: array's content in bytes is 80, expected 8000")
def list_shorter_than_its_header(forged):
    stated(forged, LIST.replace(b"(10,), }   ", b"(1000,), } "), count=1000)


@ATTACKS.refused("training-0.npy: array's dtype is 'object', expected uint64")
def list_pickled(forged):
    stated(forged, npy(np.array([{"a": 1}] * 10, object), allow_pickle=True), count=10)


@ATTACKS.refused("training-0.npy: array's dtype is '>u8', expected uint64")
def list_of_another_byte_order(forged):
    stated(forged, npy(np.arange(10, dtype=">u8")))


@ATTACKS.refused("training-0.npy: array's header is .* expected a NumPy header")
def list_that_is_a_program(forged):
    stated(forged, b"import os\n" * 20, count=10)


@ATTACKS.refused("training-0.npy: array's header is .* expected a NumPy header")
def list_whose_header_is_code(forged):
    stated(forged, LIST.replace(b"(10,)", b"exit("), count=10)


@ATTACKS.refused("training-0.npy: fingerprint 4 is 3, expected more than the one before, 7")
def list_unsorted(forged):
    stated(forged, npy(np.array([0, 1, 2, 7, 3, 8], np.uint64)))


@ATTACKS.refused("training-0.npy: fingerprint 2 is 5, expected more than the one before, 5")
def list_with_a_task_twice(forged):
    stated(forged, npy(np.array([1, 5, 5], np.uint64)))


@ATTACKS.refused("training-0.npy: file is 'a link', expected a regular file")
def list_linked_to_an_endless_device(forged):
    stated(forged, LIST)
    (forged.folder / "training-0.npy").unlink()
    (forged.folder / "training-0.npy").symlink_to("/dev/zero")


@ATTACKS.refused("training-0.npy: file is 'no regular file', expected a regular file")
def list_is_a_pipe(forged):
    stated(forged, LIST)
    (forged.folder / "training-0.npy").unlink()
    os.mkfifo(forged.folder / "training-0.npy")


@ATTACKS.refused("training_tasks.met is -1, expected greater than or equal to 0")
def fewer_tasks_met_than_none(forged):
    stated(forged, LIST, met=-1)


@ATTACKS.refused(r"runs\[0\].training_tasks is .*'met': 3.* expected .*'met': 0.* what training-0.npy has of the suite")
def tasks_met_of_a_suite_that_may_be_trained_on(forged):
    stated(forged, LIST, met=3)


@ATTACKS.refused(
    r"submission.json: runs\[0\].training_tasks is .*'met': 0.* expected .*'met': 200.* what training-0.npy has of",
    victim="graded_folder",
    seconds=10.0,  # as many fresh tasks are drawn
)
def suite_trained_on_and_denied(forged):
    suite = get_benchmark("grid-world/graded").task_suite()
    stated(forged, npy(np.array(sorted(task.short_fingerprint() for task in suite), np.uint64)), scored=200)
