"""Adding up the columns of the ones is multiplying by zeros and ones.

Networks read observations and parameters whatever their names, those of a dict of modules too.

Maps of one size are read as one picture.
"""

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.baselines.parts.actor_critic import ActorCritic
from procgen_bench.baselines.parts.encoders import SpaceEncoder
from procgen_bench.baselines.parts.entities import ModulesByName
from procgen_bench.baselines.parts.modality_encoder import ModalityEncoder
from procgen_bench.baselines.parts.observation_parts import CategoryMaps, map_groups


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


SPACE = spaces.Dict({name: spaces.Box(-1, 1, (3,), np.float32) for name in ("keys", "values", "type", "training")})


@pytest.mark.parametrize("encoder_type", [ModalityEncoder, SpaceEncoder])
def test_any_name_is_read(encoder_type):
    encoder, seen = encoder_type(SPACE), {name: torch.rand(2, 3) for name in SPACE}
    features, _ = encoder(seen)
    assert features.shape == (2, encoder.features)
    for name in SPACE:
        changed, _ = encoder(seen | {name: torch.rand(2, 3)})
        assert not torch.equal(changed, features), name


def test_weights_are_kept_under_their_names():
    modules = ModulesByName({"values": nn.Linear(1, 1), "other": nn.Linear(1, 1)})
    plain = nn.ModuleDict({"other": nn.Linear(1, 1)})
    assert {name for name in modules.state_dict() if name.startswith("other")} == set(plain.state_dict())
    assert [name for name, _ in modules.named_children()] == ["values", "other"]


LEAVES = {
    "bits": spaces.Box(0, 1, (13, 13), np.float32),
    "bits_and_place": spaces.Box(0, 1, (13, 13, 2), np.float32),
    "blocks": spaces.Box(0, 3, (11, 11, 3), np.uint8),
    "small": spaces.Box(0, 2, (7, 7), np.uint8),
    "heights": spaces.Box(-0.5, 0.5, (13, 13), np.float32),
}


def test_maps_are_grouped_by_their_size():
    groups = map_groups(LEAVES)
    assert {size: list(own) for size, own in groups.items()} == {
        "13x13": ["bits", "bits_and_place"],
        "11x11": ["blocks"],
    }
    encoder = SpaceEncoder(spaces.Dict(LEAVES))
    assert encoder.maps["13x13"].convolutions[0].in_channels == 3
    assert encoder.maps["11x11"].convolutions[0].in_channels == 3 * 4
    seen = {name: torch.as_tensor(np.stack([leaf.sample() for _ in range(5)])) for name, leaf in LEAVES.items()}
    assert encoder(seen)[0].shape == (5, encoder.features)
    assert encoder.features == 128 + 128 + 49 * 3 + 169


def test_what_lies_upon_one_cell_is_seen_together():
    """A filter of one cell tells where two maps differ, which no sum of two maps' own features could."""
    leaves = {name: spaces.Box(0, 1, (13, 13), np.float32) for name in ("there", "wanted")}
    maps = CategoryMaps(leaves, channels=2)
    first = maps.convolutions[0]
    with torch.no_grad():
        first.weight.zero_()
        first.bias.zero_()
        first.weight[:, :, 1, 1] = torch.tensor([[1.0, -1.0], [-1.0, 1.0]])
    there = torch.bernoulli(torch.full((1, 13, 13), 0.5))
    wanted = there.clone()
    wanted[0, 4, 7] = 1 - wanted[0, 4, 7]
    channels = torch.stack([there, wanted], dim=1)
    assert torch.relu(first(channels)).sum(dim=1).nonzero().tolist() == [[0, 4, 7]]
    assert torch.equal(
        torch.cat([maps._channels(n, v) for n, v in (("there", there), ("wanted", wanted))], dim=3),
        channels.permute(0, 2, 3, 1),
    )
