"""The chain of CoDE's section 4: what is reached in it, and what it pays."""

import runpy
from pathlib import Path

import numpy as np
import pytest

CHAIN = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "chain.py"))
reach, published_sum, published_bound = (CHAIN[name] for name in ("reach", "published_sum", "published_bound"))


@pytest.mark.parametrize(("length", "right", "slack"), [(3, 0.7, 2), (8, 0.9, 4), (1, 0.5, 0)])
def test_the_goal_is_reached_as_often_as_in_play(length, right, slack):
    rng = np.random.default_rng(0)
    state = np.zeros(40_000, np.int64)
    for _ in range(length + 2 * slack):
        moves = np.where(rng.random(len(state)) < right, 1, -1)
        state = np.where(state == length, length, np.maximum(state + moves, 0))
    assert reach(length, right, slack) == pytest.approx((state == length).mean(), abs=0.01)


def test_without_slack_all_say_the_same():
    for said in (reach, published_sum, published_bound):
        assert said(6, 0.8, 0) == pytest.approx(0.8**6)


def test_the_published_bound_is_below_what_it_bounds():
    """Equation 8 has its inequality the wrong way round: it is no upper bound of what is reached either."""
    assert published_bound(10, 0.7, 4) < reach(10, 0.7, 4) < published_sum(10, 0.7, 4)


def test_regret_to_an_optimal_player_pays_for_the_longest_chain_and_code_for_one_that_is_borne():
    lengths = range(2, 41, 2)
    paid = [CHAIN["objectives"](length, 40, 0.9, 0.8, 4) for length in lengths]
    optimal, code = ([one[name] for one in paid] for name in ("optimal", "code"))
    assert np.all(np.diff(optimal) > 0)
    best = lengths[int(np.argmax(code))]
    assert 2 < best < 40 and reach(best, 0.9, 4) > 0.5 and code[-1] < max(code) / 4
