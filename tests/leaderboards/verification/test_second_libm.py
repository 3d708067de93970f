"""Rows recorded here and verified under a second mathematics library: by segments, and no forgery among them."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
from procgen_bench.leaderboards.submission.folder import read_submission
from procgen_bench.leaderboards.submission.submission import Submission
from procgen_bench.leaderboards.verification.verification import verify
from tests.leaderboards.verification.second_libm import Report, sines, verified_there

#: Tasks that are played, by whom, and how often each.
ROWS = {
    "ant-maze/test": (("297", "311"), "ant-expert", 1),
    "fetch-blocks/groups": (("stack_all_blocks/0", "stack_all_blocks/2"), "fetch-expert", 1),
    "xland/hand-authored": (("capture_the_cube",), "xland-scripted", 2),
}


@dataclasses.dataclass(frozen=True, eq=False)
class Row:
    """An honest row, forgeries of it, and what was found of them under the second library."""

    honest: Submission
    report: Report
    forgeries: list[str]

    def found(self, forgery: str):
        return self.report.found[1 + self.forgeries.index(forgery)]


def forged(submission: Submission) -> dict[str, Submission]:
    """Forgeries of it by name, each of which keeps all else as it is."""
    traces, first = submission.traces, submission.episode(0)
    size, rows = first.states.shape[1], len(first.states)
    moved = traces.states.copy()
    moved[0] += 1e-3
    other = traces.states.copy()
    both = min(rows, len(submission.episode(1).states)) * size
    other[:both] = submission.episode(1).states.ravel()[:both]
    reversed_ = traces.actions.copy()
    part = reversed_[5:30]
    reversed_[5:30] = -part if part.dtype.kind == "f" else part[::-1]
    return {
        "state": with_traces(submission, states=moved),
        "other": with_traces(submission, states=other),
        "action": with_traces(submission, actions=reversed_),
        "score": with_traces(submission, scores=traces.scores - [0.5, *[0.0] * (len(traces.scores) - 1)]),
        "none": with_traces(submission, states=None),
    }


def with_traces(submission: Submission, **arrays) -> Submission:
    return dataclasses.replace(submission, traces=dataclasses.replace(submission.traces, **arrays))


@pytest.fixture(scope="module")
def row(request, play, written):
    names, policy, episodes = ROWS[request.param]
    benchmark = dataclasses.replace(get_benchmark(request.param), task_names=names, episodes_per_task=episodes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(BENCHMARKS, benchmark.id, benchmark)
        folder: Path = play(benchmark, policy)
        honest = read_submission(folder)
        forgeries = forged(honest)
        report = verified_there(benchmark, [folder, *(written(forgery) for forgery in forgeries.values())])
    return Row(honest, report, list(forgeries))


of_every_row = pytest.mark.parametrize(
    "row",
    [pytest.param(row, marks=[pytest.mark.slow] * (row != "ant-maze/test")) for row in ROWS],
    indirect=True,
)


@of_every_row
def test_a_row_is_verified_by_segments(row):
    """The other library does compute other bits, and the same record without states cannot be verified there."""
    assert row.report.sines != sines()
    assert row.found("none")[0] == "UnverifiableError"
    assert "it has no states to go by segments" in row.found("none")[1]
    found, here = row.report.found[0], verify(row.honest)
    assert (here.by_segments, here.deviation) == (0, 0.0)
    assert found.by_segments > 0
    tolerance = row.honest.benchmark.segments.tolerance
    assert 0.0 < found.deviation < tolerance / 10
    assert found.score == here.score
    np.testing.assert_array_equal(found.episode_scores, here.episode_scores)


@of_every_row
@pytest.mark.parametrize("forgery", ["state", "other", "action"])
def test_what_is_forged_is_off(row, forgery):
    kind, words = row.found(forgery)
    assert kind == "UnverifiableError"
    assert ": run 0, episode 0: " in words and "; by segments, it is off by " in words


@of_every_row
def test_a_forged_score_is_not_borne_out(row):
    kind, words = row.found("score")
    assert kind == "UnverifiableError"
    true = float(row.honest.traces.scores[0])
    assert f"; by segments, it scores {true!r}, {true - 0.5!r} is claimed" in words
