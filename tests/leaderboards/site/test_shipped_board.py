"""The board that ships in the package: in step with the published one, and shown where there is no checkout."""

import json

import pytest

from procgen_bench.core.benchmarks import BENCHMARKS
from procgen_bench.leaderboards.board import board as board_module
from procgen_bench.leaderboards.board.board import published_board
from procgen_bench.leaderboards.site.shipped_board import SHIPPED_FILE, newest_epoch, packed_board, shipped_board

MAX_BYTES = 500_000


@pytest.fixture
def installed(monkeypatch):
    """As in an installation: there are no results."""
    monkeypatch.setattr(board_module, "published_board", lambda: None)


def test_the_shipped_board_is_the_published_one():
    """`procgen-bench board ship` writes it again after a change."""
    assert SHIPPED_FILE.read_bytes() == packed_board(published_board())
    assert SHIPPED_FILE.stat().st_size < MAX_BYTES
    assert [feed["benchmark"] for feed in shipped_board()] == list(BENCHMARKS)


def test_without_a_checkout_the_shipped_board_is_shown(run, installed):
    code, out, err = run("leaderboard", "grid-world/target-c")
    assert code == 0
    assert err == f"the board that ships in this package: its newest epoch is {newest_epoch(shipped_board())}\n"
    code, out, _ = run("leaderboard", "--json")
    assert code == 0 and json.loads(out)["benchmarks"] == shipped_board()


@pytest.mark.parametrize("words", [("--html", "site"), ("xland/mini", "--normaliser", "2")])
def test_what_takes_entries_asks_for_a_board(run, installed, words):
    code, _, err = run("leaderboard", *words)
    assert code == 2 and "--board DIR" in err and len(err.splitlines()) == 1
