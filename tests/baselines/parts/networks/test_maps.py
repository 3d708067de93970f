"""Maps of one size are read as one picture."""

import numpy as np
import torch
from gymnasium import spaces

from procgen_bench.baselines.parts.encoders import SpaceEncoder
from procgen_bench.baselines.parts.observation_parts import CategoryMaps, map_groups

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
