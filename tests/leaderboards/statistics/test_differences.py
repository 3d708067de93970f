"""Differences: paired by task, over whole runs, and rarely without zero where two methods are alike."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from procgen_bench.leaderboards.statistics.coverage import TRUTHS
from procgen_bench.leaderboards.statistics.differences import difference, holds_zero
from procgen_bench.leaderboards.statistics.resampling import widening


def rng(seed=0):
    return np.random.default_rng(seed)


def hard_and_easy(num_runs: int, gain: float, seed: int) -> np.ndarray:
    """Runs of tasks from 0 to 1, which are as hard for every method; whole runs differ by hundredths."""
    return np.linspace(0, 1, 50) + gain + 0.01 * rng(seed).standard_normal((num_runs, 1))


@given(st.integers(2, 8), st.integers(2, 8), st.integers(0, 999))
def test_it_is_the_mean_of_the_differences_task_by_task(num_runs, num_others, seed):
    scores, others = rng(seed).random((num_runs, 7)), rng(seed + 1).random((num_others, 7))
    found = difference(scores, others, rng(), resamples=200)
    by_task = [one.mean() - other.mean() for one, other in zip(scores.T, others.T)]
    assert found.value == pytest.approx(np.mean(by_task), abs=1e-12)
    assert found.low <= found.value <= found.high


def test_tasks_that_are_hard_for_both_widen_nothing():
    """Unpaired, tasks from 0 to 1 would hide a twentieth."""
    scores, others = hard_and_easy(5, 0.05, 1), hard_and_easy(5, 0.0, 2)
    found = difference(scores, others, rng())
    assert found.low > 0 and not holds_zero(found, 0.0)
    unpaired = 1.96 * np.sqrt(scores.mean(axis=0).var(ddof=1) / 50 + others.mean(axis=0).var(ddof=1) / 50)
    assert found.value < unpaired


def test_whole_runs_are_resampled():
    """The width is that of independent means of as many runs, widened as for the smaller sample."""
    scores, others = hard_and_easy(6, 0.0, 3), hard_and_easy(9, 0.0, 4)
    found = difference(scores, others, rng(), resamples=20_000)
    spread = np.sqrt(sum(runs.mean(axis=1).var() / len(runs) for runs in (scores, others)))
    assert found.high - found.low == pytest.approx(2 * 1.96 * spread * widening(6), rel=0.05)


@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("num_runs", [3, 5])
def test_two_methods_that_are_alike_are_told_apart_on_a_twentieth_of_boards_at_most(truth, num_runs):
    draw, generator, boards = TRUTHS[truth].draw, rng(0), 400
    apart = sum(
        not holds_zero(difference(draw(num_runs, generator), draw(num_runs, generator), generator, 300), 1e-9)
        for _ in range(boards)
    )
    assert apart / boards <= 0.05


def test_methods_that_never_overlap_are_told_apart():
    assert not holds_zero(difference(np.full((3, 4), 1.0), np.full((3, 4), 0.0), rng()), 0.0)
    assert not holds_zero(difference(hard_and_easy(3, 0.5, 5), hard_and_easy(3, 0.0, 6), rng()), 0.0)


def test_runs_that_are_alike_differ_by_what_they_differ():
    found = difference(np.full((3, 2), 0.5), np.full((4, 2), 0.25), rng())
    assert (found.low, found.value, found.high) == (0.25, 0.25, 0.25)
    assert holds_zero(found, 0.25) and not holds_zero(found, 0.2)


@pytest.mark.parametrize(("scores", "others"), [((1, 3), (5, 3)), ((5, 3), (5, 4))])
def test_single_runs_and_other_tasks_are_refused(scores, others):
    with pytest.raises(ValueError, match="the same tasks, two runs at least"):
        difference(np.zeros(scores), np.zeros(others), rng())
