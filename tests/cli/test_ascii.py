"""Where standard output is ASCII, as under LC_ALL=C, names in other scripts are no reason to stop."""

import io
import sys

import pytest

from procgen_bench.baselines.methods.ppo_settings import PPOConfiguration
from procgen_bench.baselines.training.run_folder import RunFolder
from procgen_bench.cli import main
from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
from procgen_bench.leaderboards.board.board import published_board
from tests.installed import INSTALLED_IDS


@pytest.fixture
def printed(monkeypatch):
    """Runs the command line in this process with an ASCII standard output: words -> what is printed there."""

    def run_main(*words):
        raw = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
        with pytest.raises(SystemExit) as stop:
            main([str(word) for word in words])
        sys.stdout.flush()
        assert not stop.value.code
        return raw.getvalue().decode("ascii")

    return run_main


@pytest.mark.parametrize("words", [["list"], *(["describe", name] for name in INSTALLED_IDS)], ids=" ".join)
def test_catalogue(printed, words):
    assert len(printed(*words).splitlines()) > 40


def test_published_tables(printed):
    tables = printed("leaderboard", "--board", published_board())
    assert all(name in tables for name in BENCHMARKS)


def test_names_in_another_script_are_replaced(printed, tmp_path):
    folder = tmp_path / "L\u00e4ufe"
    RunFolder(folder, "ppo", get_benchmark("grid-world/graded"), PPOConfiguration(), seed=0, steps=200).open()
    assert "L?ufe" in printed("runs", folder)
