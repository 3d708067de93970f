"""The worst tenth by halves: one half of the episodes ranks, the other scores, and more runs change no expectation."""

import numpy as np
import pytest

from procgen_bench.core.worst_tenth import worst_tenth
from procgen_bench.leaderboards.statistics.worst_tenth import worst_shares, worst_tenths

#: Success of one policy on each of forty tasks; the worst tenth of them comes to 0.55.
CHANCES = np.linspace(0.5, 1.0, 40)
TRUTH = CHANCES[:4].mean()
POLICIES = 400


def rng(seed=0):
    return np.random.default_rng(seed)


def played(num_runs: int, num_episodes: int, generator: np.random.Generator) -> np.ndarray:
    """Runs of one and the same policy: zeros and ones (runs, tasks, episodes)."""
    return (generator.random((num_runs, len(CHANCES), num_episodes)) < CHANCES[:, None]).astype(np.float64)


def by_halves(episodes: np.ndarray) -> float:
    return float(worst_tenths(episodes, rng()).mean())


def by_the_mean_over_runs(episodes: np.ndarray) -> float:
    """Sabotage: the tasks are ranked by what scores them, after the runs have been averaged."""
    return float(worst_tenth(episodes.mean(axis=(0, 2))))


def by_the_same_episodes(episodes: np.ndarray) -> float:
    """Sabotage: of each run, the tasks are ranked by what scores them."""
    return float(worst_tenth(episodes.mean(axis=2)).mean())


def expected(rule, num_runs: int) -> float:
    """The mean over so many boards of runs of one policy, five episodes a task."""
    generator = rng(1)
    return float(np.mean([rule(played(num_runs, 5, generator)) for _ in range(POLICIES // num_runs)]))


@pytest.mark.parametrize(("rule", "holds"), [(by_halves, True), (by_the_mean_over_runs, False)])
def test_twenty_runs_of_one_policy_are_expected_to_score_what_one_does(rule, holds):
    """Ranking and scoring by the same means, twenty runs come out higher than one."""
    assert (abs(expected(rule, 20) - expected(rule, 1)) < 0.02) is holds


@pytest.mark.parametrize(("rule", "holds"), [(by_halves, True), (by_the_same_episodes, False)])
def test_tasks_that_were_unlucky_alone_are_not_the_worst(rule, holds):
    """Where all tasks are alike, the worst of them score what the others do."""
    episodes = (rng(2).random((200, 40, 5)) < 0.7).astype(np.float64)
    assert (abs(rule(episodes) - 0.7) < 0.02) is holds


def test_with_many_episodes_it_is_the_worst_tenth():
    assert by_halves(played(5, 400, rng(3))) == pytest.approx(TRUTH, abs=0.02)


def test_with_many_episodes_other_shares_are_cvar():
    """Of one policy, which rises with the share, up to the mean."""
    episodes = played(5, 400, rng(3))
    found = {percent: worst_shares(episodes, percent, rng()).mean() for percent in (1, 2, 5, 10, 20, 50, 100)}
    for percent, value in found.items():
        assert value == pytest.approx(CHANCES[: max(1, 40 * percent // 100)].mean(), abs=0.02)
    assert found[100] == pytest.approx(episodes.mean()) and found[10] == worst_tenths(episodes, rng()).mean()


def test_tasks_that_always_score_the_same_are_told_apart_by_it():
    episodes = np.repeat(np.array([[0.9, 0.1, 0.5] + [1.0] * 18, [0.3, 0.2, 0.4] + [1.0] * 18])[..., None], 6, axis=2)
    assert worst_tenths(episodes, rng()) == pytest.approx([0.3, 0.25])  # two of 21 tasks
    assert worst_tenths(episodes[:, :3], rng()) == pytest.approx([0.1, 0.2])  # one at least


def test_of_tasks_that_rank_alike_all_count():
    """However the suite is ordered."""
    episodes = np.zeros((1, 20, 5))
    episodes[0, 10:, 0] = 1.0
    found = worst_tenths(episodes, rng())
    assert 0 < found[0] < 0.2
    assert found == pytest.approx(worst_tenths(episodes[:, ::-1], rng(1)), abs=0.02)
