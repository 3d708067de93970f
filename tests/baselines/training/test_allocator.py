"""Freed memory is kept as long as it is asked for, and given back afterwards."""

import resource
import sys

import numpy as np
import pytest

from procgen_bench.baselines.training.trainer import freed_memory_is_kept

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc's allocator")
MEBIBYTES = 64


def new_pages():
    """Pages that the kernel has to fill for one more array."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    array = np.ones(MEBIBYTES * 2**17)
    assert array[-1] == 1
    del array
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def test_memory_is_used_again_and_then_given_back():
    with freed_memory_is_kept():
        new_pages()
        again, kept = new_pages(), resident()
    assert again < 20
    assert kept - resident() > MEBIBYTES / 2 * 2**20
    assert new_pages() > 20
