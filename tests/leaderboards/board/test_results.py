"""The committed results: every row is what its verifier signed, and scripted rows still play to their scores."""

from pathlib import Path

import numpy as np
import pytest

from procgen_bench.baselines.policies.loading import scripted_name
from procgen_bench.core.benchmarks import BENCHMARKS
from procgen_bench.leaderboards.board.board import (
    Entry,
    board_contents,
    published_board,
    read_entries,
    read_entry_submission,
)
from procgen_bench.leaderboards.board.missing_traces import has_traces, regenerate_traces
from procgen_bench.leaderboards.evaluation.playing import EPISODES_PER_CHUNK, chunk_jobs, play_chunk
from procgen_bench.leaderboards.evaluation.recording import Recording
from procgen_bench.leaderboards.submission.protocol import Protocol
from procgen_bench.leaderboards.verification.verification import verify
from procgen_bench.leaderboards.xland.standing import recorded_standing

FLOORS = {"random", "null"}
#: What doing nothing is called.
NOTHING = {"constant", "noop"}
#: What reaches the best possible score, by track; elsewhere the solver.
CEILINGS = {"ant-maze": "ant-expert", "fetch-blocks": "fetch-expert", "xland": "xland-scripted"}
#: Benchmarks whose learners' runs are still to be made; a row that is there takes its benchmark off this list.
NOT_LEARNED = {
    "voxel-build/test",
    *("table-push/target-b", "table-push/graded", "table-push/random"),
    "xland/test",
}
#: Benchmarks whose rows are all still to be made; the first that is there takes its benchmark off this list.
EMPTY = {
    *("xland/test", "xland/mini", "xland/small", "xland/skills"),
    *("gminiwob/test", "gminiwob/random", "gminiwob/varied", "gminiwob/invented"),
    *("bit-grid/test", "voxel-build/test", "voxel-build/small"),
    *("cminigrid/test", "cminigrid/sparse"),
}
#: Benchmarks some of whose floors and ceiling are still to be made; the last one takes its benchmark off this list.
UNFINISHED: set[str] = set()
#: How the names of benchmarks begin whose scripted rows play in seconds.
QUICK = ("grid-world/target-", "grid-world/graded", "bit-grid/", "point-maze/corridor-2")
#: Episodes of a scripted row beyond which some chunks of it are played again instead of all: the rest takes hours.
MOST_EPISODES, CHUNKS = 1_000, 6
MAX_BYTES = 3_000_000


def scripted(entry: Entry) -> bool:
    return scripted_name(entry.metadata.runs[0].policy_hash, entry.benchmark.environment_id) is not None


@pytest.mark.parametrize("benchmark_id", BENCHMARKS)
def test_rows_are_signed_and_complete(benchmark_id):
    benchmark = BENCHMARKS[benchmark_id]
    contents = board_contents(benchmark, published_board())
    assert contents.unreadable == []
    entries = {entry.name: entry for entry in contents.entries}
    assert (benchmark_id in EMPTY) == (not entries), "no rows at all"
    if not entries:
        return
    expected = FLOORS | {CEILINGS.get(benchmark.track, "solver")}
    whole = set(entries) >= expected and bool(NOTHING & set(entries))
    assert (benchmark_id in UNFINISHED) == (not whole), "floors and ceiling"
    learners = [name for name, entry in entries.items() if not scripted(entry)]
    assert (benchmark_id in NOT_LEARNED) == (not learners), "at least one learner"
    for name, entry in entries.items():
        assert entry.metadata.oracle == (name.startswith(("solver", "xland-")) or name in CEILINGS.values())
        assert entry.scores.mean() == pytest.approx(entry.record.score, abs=1e-12)
        trained = [run.training.command for run in entry.metadata.runs if run.training]
        assert not any(" /" in command for command in [entry.metadata.command, *trained]), "paths of one machine"


def check_played_again(entries: list[Entry], board: Path):
    """Playing the policies again gives the very traces that the record names, and these the score."""
    for entry in entries:
        elsewhere = Entry(entry.folder, entry.metadata, entry.record, board)
        regenerate_traces(elsewhere)
        assert has_traces(elsewhere)
        verification = verify(read_entry_submission(elsewhere))
        assert verification.score == entry.record.score
        assert verification.scores.tolist() == entry.record.scores


def check_chunks_played_again(entry: Entry):
    """Playing some chunks again, from the first to the last, gives what the row has for their tasks."""
    benchmark, (run,) = entry.benchmark, entry.metadata.runs
    assert benchmark.episodes_per_task == 1
    policy, jobs = scripted_name(run.policy_hash, benchmark.environment_id), chunk_jobs(Protocol(benchmark), run)
    for number in np.linspace(0, len(jobs) - 1, CHUNKS).astype(int).tolist():
        episodes = play_chunk(policy, benchmark.environment_id, *jobs[number], Recording.of(benchmark)).episodes
        first = number * EPISODES_PER_CHUNK
        assert [episode.return_ for episode in episodes] == entry.scores[0, first : first + len(episodes)].tolist()


@pytest.mark.parametrize("benchmark_id", [name for name in BENCHMARKS if name.startswith(QUICK)])
def test_scripted_rows_play_to_their_scores(benchmark_id, tmp_path):
    check_played_again(
        [entry for entry in read_entries(BENCHMARKS[benchmark_id], published_board()) if scripted(entry)], tmp_path
    )


@pytest.mark.slow
@pytest.mark.parametrize("benchmark_id", [name for name in BENCHMARKS if not name.startswith(QUICK)])
def test_other_scripted_rows_play_to_their_scores_on_the_kind_of_machine_that_made_them(benchmark_id, tmp_path):
    benchmark = BENCHMARKS[benchmark_id]
    entries = [entry for entry in read_entries(benchmark, published_board()) if scripted(entry)]
    if len(Protocol(benchmark).task_indices) <= MOST_EPISODES:
        check_played_again(entries, tmp_path)
    else:
        for entry in entries:
            check_chunks_played_again(entry)


def test_results_carry_what_produced_them():
    for benchmark in BENCHMARKS.values():
        for entry in read_entries(benchmark, published_board()):
            metadata = entry.metadata
            assert metadata.command.startswith("procgen-bench evaluate ")
            assert metadata.commit is not None and not metadata.commit.endswith("+changes")
            if metadata.training_steps > 0:
                assert all(run.training is not None and run.training.commit for run in metadata.runs)


def test_rows_stand_as_recorded_under_the_normaliser_that_they_name():
    recorded = [
        entry
        for benchmark in BENCHMARKS.values()
        for entry in read_entries(benchmark, published_board())
        if entry.record.normalised is not None
    ]
    for entry in recorded:
        version = entry.record.normalised.normaliser
        assert recorded_standing(entry.benchmark.id, version, entry.scores) == entry.record.normalised


def test_rows_are_small():
    files = [path for path in published_board().rglob("*.json") if "traces" not in path.parts]
    assert sum(path.stat().st_size for path in files) < MAX_BYTES
