"""XLand's pages in a real Chromium, opened from disk."""

import dataclasses
import json

import numpy as np
import pytest

from procgen_bench.envs.xland.environment import XLandEnv
from procgen_bench.leaderboards.benchmarks import BENCHMARKS
from procgen_bench.leaderboards.page import write_site
from procgen_bench.leaderboards.table import read_table
from procgen_bench.task_suite import TaskSuite
from procgen_bench.tasks.xland.hand_authored import task_names
from procgen_bench.tasks.xland.suites import load_suite
from tests.leaderboards.browsing import visit
from tests.leaderboards.xland.boards import write_entry, xland_benchmark

CO_PLAYERS = ("noop", "random", "swift")
PAIRS = 12


def small_suite() -> TaskSuite:
    """A few tasks of the test suite, each with each of three co-players."""
    suite = load_suite("test")
    names, tasks = [], []
    for place in range(PAIRS):
        task = suite.tasks[place]
        for name in CO_PLAYERS:
            names.append(f"{place}-{name}")
            tasks.append(dataclasses.replace(task, co_players=(name,) * (task.game.num_players - 1)))
    return TaskSuite("small", tuple(tasks), tuple(names))


def made_up(strength, runs, num_tasks, seed):
    rng = np.random.default_rng(seed)
    return np.where(rng.random((runs, num_tasks)) < strength, rng.integers(1, 901, (runs, num_tasks)) * strength, 0)


@pytest.fixture(scope="module")
def benchmarks():
    small, hand = xland_benchmark("small", "small", None), xland_benchmark("hand-authored", "hand_authored", None)
    space = XLandEnv.task_space
    with pytest.MonkeyPatch.context() as patch:
        suites = type(space).suite
        patch.setattr(type(space), "suite", lambda self, name: small_suite() if name == "small" else suites(self, name))
        for benchmark in (small, hand):
            patch.setitem(BENCHMARKS, benchmark.id, benchmark)
        yield small, hand


@pytest.fixture(scope="module")
def board(benchmarks, tmp_path_factory):
    folder = tmp_path_factory.mktemp("xland") / "board"
    for benchmark, num_tasks in zip(benchmarks, (PAIRS * len(CO_PLAYERS), len(task_names()))):
        strong = made_up(0.9, 3, num_tasks, 0)
        write_entry(folder, benchmark, "Strong", strong)
        write_entry(folder, benchmark, "Half as strong", strong / 2)
        write_entry(folder, benchmark, "Nothing", np.zeros((1, num_tasks)))
        write_entry(folder, benchmark, "Told", made_up(0.95, 1, num_tasks, 1), oracle=True)
    return folder


@pytest.fixture(scope="module")
def site(board):
    folder = board.parent / "site"
    write_site(board, folder)
    return folder


def test_pages_open(context, site):
    for path in sorted(site.glob("xland/**/*.html")):
        seen = visit(context, path)
        assert seen.complaints == [], path
