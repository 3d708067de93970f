"""Some benchmarks in the place of all: a page of each takes seconds, and one is as good as another."""

from collections.abc import Iterator
from contextlib import contextmanager

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.benchmarks import BENCHMARKS


@contextmanager
def only_benchmarks(*benchmarks: Benchmark) -> Iterator[None]:
    """Inside, there are no benchmarks but these."""
    every = dict(BENCHMARKS)
    _replace({benchmark.id: benchmark for benchmark in benchmarks})
    try:
        yield
    finally:
        _replace(every)


def _replace(benchmarks: dict[str, Benchmark]) -> None:
    BENCHMARKS.clear()
    BENCHMARKS.update(benchmarks)
