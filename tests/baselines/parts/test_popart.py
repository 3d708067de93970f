"""PopArt's statistics, and values that stay what they were."""

import numpy as np
import pytest
import torch
from torch import nn

from procgen_bench.baselines.parts.popart import PopArt


def test_values_stay_what_they_were_as_the_scale_moves():
    rng, scale = np.random.default_rng(0), PopArt(0.3)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        head, other = nn.Linear(4, 1), nn.Linear(4, 1)
    features = torch.as_tensor(rng.normal(size=(50, 4)), dtype=torch.float32)
    for step in range(5):
        before = [scale.unnormalised(one(features)) for one in (head, other)]
        scale.update(rng.normal(100 * step, 10 + step, 64), [head, other])
        for then, one in zip(before, (head, other), strict=True):
            torch.testing.assert_close(scale.unnormalised(one(features)), then, rtol=1e-4, atol=1e-3)
    returns = torch.tensor([3.0, 500.0])
    torch.testing.assert_close(scale.unnormalised(scale.normalised(returns)), returns)


def test_the_first_statistics_are_those_of_all_returns_and_later_ones_forget():
    rng, scale, head = np.random.default_rng(1), PopArt(1e-4), nn.Linear(1, 1)
    batches = [rng.normal(5, 3, 40) for _ in range(60)]
    for batch in batches:
        scale.update(batch, [head])
    assert scale.mean == pytest.approx(np.mean(batches)) and scale.deviation == pytest.approx(np.std(batches))
    for _ in range(40):
        scale.update(np.full(8, 5.0), [head])
    before = scale.mean
    scale.update(np.full(8, before + 1_000.0), [head])
    assert scale.mean == pytest.approx(before + 0.1, rel=1e-6), "a hundredth of the way, and less, behind the first"


def test_returns_that_are_all_alike_have_a_deviation_to_divide_by():
    scale = PopArt(0.5)
    scale.update(np.full(8, 7.0), [])
    assert scale.mean == 7.0 and scale.deviation == 0.01


def test_it_goes_on_from_its_state():
    scale, other = PopArt(0.2), PopArt(0.2)
    scale.update(np.array([1.0, 4.0]), [])
    other.restore(scale.state())
    for one in (scale, other):
        one.update(np.array([9.0, 2.0]), [])
    assert (scale.mean, scale.deviation) == (other.mean, other.deviation)


def test_without_a_share_nothing_is_normalised():
    scale, head = PopArt(0.0), nn.Linear(1, 1)
    before, returns = head.weight.clone(), torch.tensor([3.0, 500.0])
    scale.update(returns.numpy(), [head])
    assert torch.equal(head.weight, before) and (scale.mean, scale.deviation, scale.state()) == (0.0, 1.0, {})
    assert torch.equal(scale.normalised(returns), returns) and torch.equal(scale.unnormalised(returns), returns)
