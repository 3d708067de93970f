"""Vectors of observations equal those of Gymnasium, for one observation and for many; what is no array is refused."""

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector.utils import batch_space, iterate

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.engine.flattening import Flattener

SPACES = {
    "box": spaces.Box(-2.0, 5.0, (3, 2), np.float64),
    "bytes": spaces.Box(0, 255, (4,), np.uint8),
    "map": spaces.Box(0, 3, (2, 2, 3), np.uint8),
    "number": spaces.Box(-1.0, 1.0, ()),
    "discrete": spaces.Discrete(4, start=-1),
    "categories": spaces.MultiDiscrete([2, 3], start=[0, 5]),
    "table": spaces.MultiDiscrete([[2, 3], [4, 1]]),
    "bits": spaces.MultiBinary(5),
}
SPACES["all"] = spaces.Dict(dict(SPACES))


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
def test_vectors_are_gymnasiums(space):
    flattener, rows = Flattener(space), batch_space(space, 6)
    rows.seed(3)
    batch = rows.sample()
    expected = [gymnasium.spaces.flatten(space, row).astype(np.float32) for row in iterate(rows, batch)]
    assert np.array_equal(flattener.rows(batch), expected)
    out = np.full_like(expected, np.nan)
    assert flattener.rows(batch, out) is out and np.array_equal(out, expected)
    one = flattener.one(next(iter(iterate(rows, batch))))
    assert np.array_equal(one, expected[0]) and flattener.space.contains(one)
    assert flattener.space.dtype == np.float32


@pytest.mark.parametrize(
    ("space", "why"),
    [
        (spaces.Box(0, 255, (8, 8, 3), np.uint8), "the observation is a picture"),
        (spaces.Dict(view=spaces.Box(0, 255, (8, 8, 3), np.uint8)), "view is a picture"),
        (spaces.Dict(word=spaces.Text(5)), "word is no array but of Text"),
        (spaces.Dict(inner=spaces.Dict(x=spaces.Discrete(2))), "inner is no array but of Dict"),
    ],
)
def test_what_is_no_array_is_refused(space, why):
    with pytest.raises(InvalidOptionError, match=why):
        Flattener(space)
