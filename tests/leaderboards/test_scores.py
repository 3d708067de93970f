"""Means by fractions, and scores that differ by nothing but rounding."""

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from procgen_bench.core.benchmarks import BENCHMARKS
from procgen_bench.leaderboards.scores import ROUNDING, exact_mean, least_difference, without_rounding
from procgen_bench.leaderboards.submission.folder import read_submission
from procgen_bench.leaderboards.verification.verification import verify
from tests.leaderboards.agents import Recorded

#: What 150 episodes of 0.982 come to where a sum is rounded, and then its share.
ROUNDED_TWICE = 0.9820000000000001


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30))
def test_means_are_those_of_fractions_in_every_order(values):
    exact = float(sum(map(Fraction, values)) / len(values))
    assert exact_mean(values) == exact_mean(values[::-1]) == exact_mean(np.array(sorted(values))) == exact


@pytest.mark.parametrize("count", [1, 3, 50, 150, 1_678])
def test_the_mean_of_equal_scores_is_that_score(count):
    assert exact_mean([0.982] * count) == 0.982
    assert exact_mean(np.full(count, -0.1)) == -0.1
    assert math.fsum([0.982] * 150) / 150 == ROUNDED_TWICE  # what it guards against


def test_rounding_does_not_lead_beyond_the_range(target):
    beyond = np.array([ROUNDED_TWICE, target.minimum - 1e-13, 0.5, 1.5])
    assert without_rounding(beyond, target).tolist() == [0.982, target.minimum, 0.5, 1.5]


@pytest.mark.parametrize("benchmark_id", BENCHMARKS)
def test_rounding_is_far_below_any_difference_that_there_is(benchmark_id):
    """One step's reward in one episode of the largest submission, against all that sums of rewards can be off."""
    benchmark = BENCHMARKS[benchmark_id]
    least_reward = 0.001 if benchmark.track == "grid-world" and benchmark.metric == "return" else 1.0
    episodes = 64 * benchmark.num_episodes
    assert benchmark.tolerance == 0.0
    assert 100 * least_difference(benchmark) < least_reward / episodes
    steps, eps = benchmark.max_episode_steps, np.finfo(np.float64).eps
    assert steps * eps * max(abs(benchmark.minimum), benchmark.maximum) < ROUNDING * benchmark.maximum


def test_perfect_runs_score_the_best_possible_and_not_more(play, target, claiming, written):
    """Claimed as the rounded sum of 150 episodes says; a claim that differs by more is refused elsewhere."""
    (one,) = [read_submission(play(target, Recorded("solver"), method="solver"))]
    runs = [one.metadata.runs[0].model_copy(update={"training_seed": seed}) for seed in range(3)]
    protocol, traces = one.protocol, one.recorded
    tripled = dataclasses.replace(
        traces,
        runs=np.repeat(np.arange(3, dtype=np.int32), len(traces.runs)),
        seeds=np.concatenate([protocol.seeds(run) for run in runs]),
        **{name: np.concatenate([getattr(traces, name)] * 3) for name in ("tasks", "lengths", "scores", "actions")},
    )
    metadata = one.metadata.model_copy(update={"runs": runs, "claimed_score": ROUNDED_TWICE})
    submission = read_submission(written(dataclasses.replace(one, metadata=metadata, traces=tripled, raw_metadata=b"")))
    assert verify(submission)[0].score == target.maximum == 0.982
