import os

import numpy as np
import pytest

from procgen_bench.engine.shared_arrays import mapped_arrays, new_memory

LAYOUT = {
    "pictures": ((3, 5, 7), np.dtype(np.uint8)),
    "nothing": ((3, 0), np.dtype(np.float32)),
    "rewards": ((3,), np.dtype(np.float64)),
}


@pytest.mark.parametrize("named", [True, False], ids=["memfd", "deleted file"])
def test_every_map_is_of_the_same_memory(named, monkeypatch):
    if not named:
        monkeypatch.delattr(os, "memfd_create")
    descriptor = new_memory(LAYOUT)
    one, other = mapped_arrays(LAYOUT, descriptor), mapped_arrays(LAYOUT, descriptor)
    os.close(descriptor)
    for name, (shape, dtype) in LAYOUT.items():
        assert one[name].shape == shape and one[name].dtype == dtype and not one[name].any()
        assert one[name].ctypes.data % 64 == 0
    one["pictures"][2, 4, 6] = 255
    other["rewards"][:] = [1, 2, 3]
    assert other["pictures"].sum() == 255 and one["rewards"].tolist() == [1, 2, 3]
    assert np.nonzero(other["pictures"]) == (2, 4, 6)


def test_arrays_keep_their_memory_and_nothing_else_does():
    before = len(os.listdir("/proc/self/fd"))
    descriptor = new_memory(LAYOUT)
    rewards = mapped_arrays(LAYOUT, descriptor)["rewards"]
    os.close(descriptor)
    rewards[:] = 5
    assert rewards.sum() == 15
    del rewards
    assert len(os.listdir("/proc/self/fd")) == before
