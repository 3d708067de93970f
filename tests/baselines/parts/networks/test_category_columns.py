"""Adding up the columns of the ones is multiplying by zeros and ones."""

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces

from procgen_bench.baselines.parts.actor_critic import ActorCritic
from procgen_bench.baselines.parts.encoders import SpaceEncoder


def observed(space, rows=7, seed=0):
    space.seed(seed)
    drawn = [space.sample() for _ in range(rows)]
    return {name: torch.as_tensor(np.stack([one[name] for one in drawn])) for name in space}


def both(network, seen):
    """Outputs and gradients of all weights, dense and by columns."""
    found = []
    for prepare in (network.encoder.prepare, network.prepare):
        network.zero_grad()
        outputs, values, _ = network.read(prepare(seen), torch.zeros(len(next(iter(seen.values()))), 0))
        ((outputs * torch.linspace(-1, 1, outputs.shape[1])).sum() + (values**2).sum()).backward()
        found.append([outputs.detach(), values.detach(), *(weights.grad.clone() for weights in network.parameters())])
    return zip(*found, strict=True)


@pytest.mark.parametrize("environment_id", ["GridWorld-v0", "CompositionalMiniGrid-v0"])
def test_sums_and_gradients_are_alike(environment_id):
    with gymnasium.make(environment_id) as env:
        space = env.observation_space
    torch.manual_seed(0)
    network = ActorCritic(space, [4], width=16, layers=2, memory=0)
    seen = observed(space)
    for name in ("objects", "position", "view", "image"):
        if name in seen:
            seen[name] = seen[name].round()
    prepared = network.prepare(seen)
    assert prepared["\0"].dtype == torch.int32 and prepared["\0"].shape[1] < network.encoder.features / 2
    for dense, by_columns in both(network, seen):
        assert torch.allclose(dense, by_columns, atol=1e-5)


def test_values_that_are_no_category_have_no_column():
    space = spaces.Dict(
        {
            "place": spaces.Box(-3, 3, (2,), np.float32),
            "height": spaces.Box(-0.5, 0.5, (1,), np.float32),
            "tags": spaces.Box(0, 4, (3,), np.uint8),
            "speed": spaces.Box(-np.inf, np.inf, (2,), np.float32),
        }
    )
    torch.manual_seed(0)
    network = ActorCritic(space, [3], width=8, layers=1, memory=0)
    seen = observed(space)
    seen["place"][0] = torch.tensor([0.5, 2.0])
    ones = network.prepare(seen)["\0"]
    assert ones.shape == (7, 5) and ones[0, 0] == network.encoder.features
    for dense, by_columns in both(network, seen):
        assert torch.allclose(dense, by_columns, atol=1e-5)


def test_categories_of_integers_alone_leave_nothing_else_to_read():
    space = spaces.Dict({"tags": spaces.Box(0, 4, (3,), np.uint8)})
    network = ActorCritic(space, [3], width=8, layers=1, memory=0)
    for dense, by_columns in both(network, observed(space)):
        assert torch.allclose(dense, by_columns, atol=1e-6)


def test_where_there_is_no_layer_nothing_is_added_up():
    space = spaces.Dict({"tags": spaces.Box(0, 4, (3,), np.uint8)})
    network = ActorCritic(space, [3], width=8, layers=0, memory=0)
    assert network.prepare(observed(space))[""].shape == (7, 15)
    assert SpaceEncoder(spaces.Dict({"bits": spaces.Box(0, 1, (3, 3), np.uint8)})).columns is None
