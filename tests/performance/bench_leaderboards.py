"""Long boards of rows that differ: what submits, the table and the site cost, in wall seconds. No time is asserted."""

from pathlib import Path

import numpy as np
import pytest

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.board.submitting import submit
from procgen_bench.leaderboards.board.table import read_table
from procgen_bench.leaderboards.evaluation.draft import MethodDescription
from procgen_bench.leaderboards.evaluation.evaluation import evaluate
from procgen_bench.leaderboards.site.page import write_site
from tests.leaderboards.few_benchmarks import only_benchmarks

#: Short episodes: what is measured is the board, not the replay.
BENCHMARK = get_benchmark("grid-world/target-a")
SITE_WORKERS = 2


class Drawn:
    """Actions at random, others for every number."""

    def __init__(self, number: int):
        self._number = number

    def fingerprint(self) -> str:
        """What tells it from others."""
        return str(self._number)

    def seed(self, seed: int) -> None:
        """Begin to draw."""
        self._rng = np.random.default_rng([self._number, seed])

    def act(self, observations, episode_starts: np.ndarray) -> np.ndarray:
        """One of the four moves in each episode."""
        return self._rng.integers(4, size=len(episode_starts))


@pytest.fixture(scope="module", params=[100, 1_000])
def rows(request):
    """How many rows the board has."""
    with only_benchmarks(BENCHMARK):
        yield request.param


@pytest.fixture(scope="module")
def board(rows, tmp_path_factory) -> Path:
    """Where it is; :func:`test_submit` fills it."""
    return tmp_path_factory.mktemp("long") / "board"


@pytest.fixture(scope="module")
def folders(rows, tmp_path_factory) -> list[Path]:
    """A submission for each row."""
    parent, found = tmp_path_factory.mktemp("submissions"), []
    for number in range(rows):
        description = MethodDescription(
            authors="Benchmarks", command="pytest", method=f"Method {number}", training_steps=0
        )
        evaluate(BENCHMARK, [(Drawn(number), 0)], parent / str(number), description)
        found.append(parent / str(number))
    return found


def test_submit(benchmark, rows, board, folders):
    waiting = iter(folders)
    benchmark.pedantic(lambda: submit(next(waiting), board), rounds=rows)
    seconds = benchmark.stats.stats.data
    detail = f"first {seconds[0]:.3f}, last {seconds[-1]:.3f}"
    benchmark.extra_info.update(label=f"{rows} rows: all submits, one after the other; {detail}", seconds=sum(seconds))


def test_table(benchmark, rows, board):
    table = benchmark.pedantic(read_table, (BENCHMARK, board), rounds=1)
    assert [row.rank is not None for row in table] == [True] * rows
    benchmark.extra_info.update(label=f"{rows} rows: table", seconds=benchmark.stats.stats.min)


@pytest.mark.parametrize("state", ["new", "unchanged"])
def test_site(benchmark, rows, board, state):
    site = board.with_name("site")
    benchmark.pedantic(write_site, (board, site), {"workers": SITE_WORKERS}, rounds=1)
    size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) / 1e6
    detail = f"{rows} rows: {state} site of {size:.1f} MB, {SITE_WORKERS} workers"
    benchmark.extra_info.update(label=detail, seconds=benchmark.stats.stats.min)
