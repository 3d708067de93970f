"""The worst tenth of tasks, by hand."""

import numpy as np
import pytest

from procgen_bench.core.worst_tenth import worst_tenth, worst_tenth_columns


@pytest.mark.parametrize(("count", "worst"), [(1, 1), (2, 1), (9, 1), (10, 1), (19, 1), (20, 2), (200, 20)])
def test_it_is_the_mean_of_a_tenth_of_the_tasks_and_of_one_at_least(count, worst):
    scores = np.random.default_rng(count).permutation(np.arange(count, dtype=np.float64))
    assert worst_tenth(scores) == np.arange(worst).mean()
    assert worst_tenth(np.stack([scores, -scores])).shape == (2,)


def test_curves_have_it_beside_the_mean_but_of_a_single_task():
    scores = np.linspace(0.0, 1.0, 21)
    assert worst_tenth_columns(success=scores, back=-scores) == pytest.approx(
        {"worst_tenth_success": 0.025, "worst_tenth_back": -0.975}
    )
    assert worst_tenth_columns(success=scores[:1]) == {}
