"""Boards of few benchmarks."""

import pytest

from procgen_bench.core.benchmarks import get_benchmark
from tests.leaderboards.few_benchmarks import only_benchmarks

#: Those that boards here hold rows of; the last has none, and is the only one of its track.
FEW = ("grid-world/target-a", "grid-world/target-b", "grid-world/graded", "bit-grid/test")


@pytest.fixture(scope="module")
def few_benchmarks():
    """Four benchmarks of two tracks in the place of all."""
    with only_benchmarks(*map(get_benchmark, FEW)):
        yield


@pytest.fixture
def two_benchmarks():
    """The first two of them."""
    with only_benchmarks(*map(get_benchmark, FEW[:2])):
        yield
