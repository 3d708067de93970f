"""The committed results: every row can be read, and records are what scoring makes."""

import pytest

from procgen_bench.baselines.policies.loading import scripted_name
from procgen_bench.core.benchmarks import BENCHMARKS
from procgen_bench.leaderboards.board.auditing import audit
from procgen_bench.leaderboards.board.beginning import row_folders
from procgen_bench.leaderboards.board.board import Entry, board_contents, published_board, read_entries
from procgen_bench.leaderboards.scoring.epoch import read_epochs
from procgen_bench.leaderboards.scoring.record import RECORD_FILE
from procgen_bench.leaderboards.submission.folder import is_played
from procgen_bench.leaderboards.submission.metadata import parse_metadata

#: How the names of benchmarks begin whose scripted rows play in seconds.
QUICK = ("grid-world/target-", "grid-world/graded", "bit-grid/", "point-maze/corridor-2")


def scripted(entry: Entry) -> bool:
    return scripted_name(entry.metadata.runs[0].policy_hash, entry.benchmark.environment_id) is not None


@pytest.mark.parametrize("benchmark_id", BENCHMARKS)
def test_rows_can_be_read(benchmark_id):
    """But for those that the newest epoch has not played yet, which have no record."""
    contents = board_contents(BENCHMARKS[benchmark_id], published_board())
    assert [left_out.reason for left_out in contents.unreadable if RECORD_FILE not in left_out.reason] == []
    for entry in contents.entries:
        trained = [run.training.command for run in entry.metadata.runs if run.training]
        assert not any(" /" in command for command in [entry.metadata.command, *trained]), "paths of one machine"


def test_every_row_can_be_played_by_anybody():
    for row in row_folders(published_board()):
        assert is_played(parse_metadata((row / "submission.json").read_bytes())), row


def test_the_newest_epoch_began_after_all_rows():
    newest = read_epochs(published_board())[-1]
    for row in row_folders(published_board()):
        metadata = parse_metadata((row / "submission.json").read_bytes())
        assert newest.ranks(metadata.benchmark, [run.policy_hash for run in metadata.runs]), row


@pytest.mark.parametrize("benchmark_id", [name for name in BENCHMARKS if name.startswith(QUICK)])
def test_scripted_rows_play_to_their_records(benchmark_id):
    for entry in read_entries(BENCHMARKS[benchmark_id], published_board()):
        if scripted(entry):
            audit(entry)


def test_results_carry_what_produced_them():
    for benchmark in BENCHMARKS.values():
        for entry in read_entries(benchmark, published_board()):
            metadata = entry.metadata
            assert metadata.command.startswith("procgen-bench evaluate ")
            assert metadata.commit is not None and not metadata.commit.endswith("+changes")
            if metadata.training_steps > 0:
                assert all(run.training is not None and run.training.commit for run in metadata.runs)
