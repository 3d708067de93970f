"""pass^k: against every choice of k episodes, one by one."""

from itertools import combinations

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.leaderboards.statistics.pass_hat import pass_hat


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_it_is_the_share_of_choices_of_k_episodes_that_are_all_solved(k):
    successes = np.random.default_rng(0).random((7, 5)) < 0.7
    choices = [all(row[list(chosen)]) for row in successes for chosen in combinations(range(5), k)]
    assert pass_hat(successes, k) == pytest.approx(np.mean(choices))
    assert k > 1 or pass_hat(successes, k) == pytest.approx(successes.mean())


@pytest.mark.parametrize(("shape", "k"), [((2, 3), 4), ((2, 3), 0), ((0, 3), 1), ((3,), 1)])
def test_bad_input_is_named(shape, k):
    with pytest.raises(InvalidOptionError, match=f"k is {k} and successes are"):
        pass_hat(np.ones(shape, bool), k)
