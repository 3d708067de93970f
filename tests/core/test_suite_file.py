import pickle
import zipfile

import numpy as np
import pytest

from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.core.suite_file import CorruptSuiteError, checksum, read_suite_file, write_suite_file

ARRAYS = {"tiles": np.arange(12, dtype=np.int8).reshape(3, 2, 2), "length": np.array([1, 2, -1], np.int8)}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "suite.npz"
    np.savez_compressed(path, **ARRAYS)
    return path


def test_whole_file_is_read(path):
    found = read_suite_file(path, checksum(ARRAYS))
    assert set(found) == set(ARRAYS)
    assert all(np.array_equal(found[name], ARRAYS[name]) and found[name].dtype == np.int8 for name in ARRAYS)


def test_written_file_is_read_with_the_checksum_that_writing_returned(tmp_path):
    expected = write_suite_file(tmp_path / "data" / "new", "one", ARRAYS)
    found = read_suite_file(tmp_path / "data" / "new" / "one.npz", expected)
    assert set(found) == set(ARRAYS) and all(np.array_equal(found[key], ARRAYS[key]) for key in ARRAYS)
    assert [file.name for file in (tmp_path / "data" / "new").iterdir()] == ["one.npz"]


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays: arrays | {"length": np.array([1, 2, 3], np.int8)},
        lambda arrays: arrays | {"length": np.array([1, 2, -1], np.int16)},
        lambda arrays: arrays | {"tiles": ARRAYS["tiles"].reshape(3, 4)},
        lambda arrays: arrays | {"extra": np.zeros(1)},
        lambda arrays: {"tiles": arrays["tiles"]},
        lambda arrays: {"tiles": arrays["tiles"], "lengths": arrays["length"]},
    ],
    ids=["a value", "a dtype", "a shape", "an array more", "an array less", "a name"],
)
def test_changed_content_is_refused(path, change):
    np.savez_compressed(path, **change(ARRAYS))
    with pytest.raises(CorruptSuiteError, match="reinstall procgen_bench") as caught:
        read_suite_file(path, checksum(ARRAYS))
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("damage", ["truncated", "flipped", "empty", "no archive"])
def test_damaged_file_is_refused(path, damage):
    content = bytearray(path.read_bytes())
    if damage == "truncated":
        content = content[: len(content) // 2]
    elif damage == "flipped":
        content[60] ^= 0xFF
    elif damage == "empty":
        content = b""
    else:
        content = b"no archive at all"
    path.write_bytes(content)
    with pytest.raises(CorruptSuiteError, match="reinstall procgen_bench"):
        read_suite_file(path, checksum(ARRAYS))


def test_pickled_content_is_never_loaded(path, tmp_path):
    class Trap:
        def __reduce__(self):
            return (open, (str(tmp_path / "sprung"), "w"))

    with zipfile.ZipFile(path, "w") as archive:
        header = b"\x93NUMPY\x01\x00v\x00"
        description = b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"
        archive.writestr("tiles.npy", header + description.ljust(117) + b"\n" + pickle.dumps(Trap()))
    with pytest.raises(CorruptSuiteError):
        read_suite_file(path, checksum(ARRAYS))
    assert not (tmp_path / "sprung").exists()


def test_corrupt_suite_error_is_one_of_ours():
    assert issubclass(CorruptSuiteError, ProcgenBenchError)
