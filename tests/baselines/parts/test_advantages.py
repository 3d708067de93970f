"""Generalised advantages against their definition, step by step, over episodes that end, are cut off, and go on."""

import numpy as np

from procgen_bench.baselines.parts.policy_gradient import generalised_advantages, values_after

DISCOUNT, DECAY = 0.9, 0.8


def defined(rewards, values, following, terminations, ends, start, row):
    """The discounted sum of the errors of a step and of those after it in its episode."""
    total, weight = 0.0, 1.0
    for t in range(start, len(rewards)):
        later = 0.0 if terminations[t, row] else DISCOUNT * following[t, row]
        total += weight * (rewards[t, row] + later - values[t, row])
        weight *= DISCOUNT * DECAY
        if ends[t, row]:
            break
    return total


def test_they_are_as_defined():
    rng = np.random.default_rng(0)
    rewards, values = rng.normal(size=(2, 12, 5)).astype(np.float32)
    terminations = rng.random((12, 5)) < 0.2
    truncations = (rng.random((12, 5)) < 0.2) & ~terminations
    last, cut = rng.normal(size=5).astype(np.float32), rng.normal(size=truncations.sum()).astype(np.float32)
    following = values_after(values, last, truncations, cut)
    assert (following[truncations] == cut).all() and (following[-1][~truncations[-1]] == last[~truncations[-1]]).all()
    goes_on = ~truncations[:-1]
    assert (following[:-1][goes_on] == values[1:][goes_on]).all()
    found, ends = np.empty_like(values), terminations | truncations
    generalised_advantages(rewards, values, following, terminations, ends, DISCOUNT, DECAY, found)
    expected = [
        [defined(rewards, values, following, terminations, ends, t, row) for row in range(5)] for t in range(12)
    ]
    assert np.allclose(found, expected, atol=1e-5)
