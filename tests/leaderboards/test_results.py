"""The committed results: every row still replays to the score that it publishes."""

import pytest

from procgen_bench.leaderboards.benchmarks import BENCHMARKS
from procgen_bench.leaderboards.board import default_board, read_entries, read_entry_submission
from procgen_bench.leaderboards.verification import verify

FLOORS = {"random", "constant", "null"}
#: What reaches the best possible score, by track; elsewhere the solver.
CEILINGS = {"ant-maze": "ant-expert", "fetch-blocks": "fetch-expert", "xland": "xland-scripted"}
#: What is scripted besides, by track.
SCRIPTED = {"gminiwob": {"site-random"}}
#: Benchmarks whose learners' runs are still to be made; a row that is there takes its benchmark off this list.
NOT_LEARNED = {
    *("cminigrid/test", "gminiwob/random", "gminiwob/test", "voxel-build/test"),
    *("fetch-blocks/groups", *(f"table-push/{name}" for name in ("target-a", "target-b", "target-c", "out-of-space"))),
    *("xland/hand-authored", "xland/mini", "xland/test"),
}
#: Benchmarks whose rows are all still to be made; the first that is there takes its benchmark off this list.
EMPTY = {"xland/test", "xland/mini"}


@pytest.mark.parametrize("benchmark_id", BENCHMARKS)
def test_every_row_replays_to_its_published_score(benchmark_id):
    benchmark = BENCHMARKS[benchmark_id]
    entries = read_entries(benchmark, default_board())
    assert (benchmark_id in EMPTY) == (not entries), "no rows at all"
    if not entries:
        return
    expected = FLOORS | {CEILINGS.get(benchmark.track, "solver")}
    expected |= SCRIPTED.get(benchmark.track, set())
    learners = {entry.name for entry in entries if not entry.metadata.oracle} - expected
    assert {entry.name for entry in entries} >= expected, "floors and ceiling"
    assert (benchmark_id in NOT_LEARNED) == (not learners), "at least one learner"
    if not benchmark.physics:
        check_replays(entries)


@pytest.mark.slow
@pytest.mark.parametrize("benchmark_id", [name for name, benchmark in BENCHMARKS.items() if benchmark.physics])
def test_every_row_of_physics_replays_on_the_kind_of_machine_that_made_it(benchmark_id):
    check_replays(read_entries(BENCHMARKS[benchmark_id], default_board()))


def check_replays(entries):
    for entry in entries:
        verification = verify(read_entry_submission(entry))
        assert verification.score == entry.record.score
        assert verification.scores.tolist() == entry.record.scores


def test_results_carry_what_produced_them():
    for benchmark in BENCHMARKS.values():
        for entry in read_entries(benchmark, default_board()):
            metadata = entry.metadata
            assert metadata.command.startswith("procgen-bench evaluate ")
            assert metadata.commit is not None and not metadata.commit.endswith("+changes")
            if metadata.training_steps > 0:
                assert all(run.training is not None and run.training.commit for run in metadata.runs)
