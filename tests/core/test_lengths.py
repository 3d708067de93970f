"""Lengths of vectors in compiled code are Python's own, to the bit."""

import math

import numpy as np

from procgen_bench.core.lengths import length


def test_lengths_are_those_of_python():
    vectors = np.random.default_rng(0).normal(size=(20_000, 3)) * np.array([1.0, 1e-3, 30.0])
    origin = (0.0, 0.0, 0.0)
    assert all(length(x, y, z) == math.dist((x, y, z), origin) for x, y, z in vectors.tolist())
    assert all(length(x, y, 0.0) == math.hypot(x, y) for x, y, _ in vectors.tolist())
