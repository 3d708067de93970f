"""Actions as networks take them in."""

import numpy as np
import pytest
from gymnasium import spaces

from procgen_bench.baselines.parts.bonuses.predicted_actions import flat_actions


@pytest.mark.parametrize(
    ("space", "actions", "flat"),
    [
        (spaces.Discrete(3, start=2), [2, 4], [[1, 0, 0], [0, 0, 1]]),
        (spaces.MultiDiscrete([2, 3]), [[1, 0], [0, 2]], [[0, 1, 1, 0, 0], [1, 0, 0, 0, 1]]),
        (spaces.Box(-1.0, 1.0, (2,)), [[0.5, -0.5]], [[0.5, -0.5]]),
    ],
)
def test_choices_are_zeros_and_a_one_each(space, actions, flat):
    assert flat_actions(space, np.array(actions)).tolist() == flat
