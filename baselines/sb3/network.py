"""APT-Gen's network (section A.2, "Q-Network"): one encoder per modality, merged by a dense layer."""

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from procgen_bench.baselines.encoder import array_leaves

VECTOR_FEATURES = ARRAY_FEATURES = 64
MERGED_FEATURES = 128
CHANNELS = 16


class ModalityNetwork(BaseFeaturesExtractor):
    """Dict observation -> 128 features.

    Vectors pass one dense layer of 64; arrays (two-dimensional leaves, whose small integers are categories) become
    one channel per category and pass two 3 x 3 convolutions of 16 channels with stride 2 and a dense layer of 64; a
    dense layer of 128 merges them. Every layer is followed by a ReLU. Vectors are scaled to [-1, 1] by their space.
    """

    def __init__(self, observation_space: spaces.Space):
        super().__init__(observation_space, MERGED_FEATURES)
        self.encoders = nn.ModuleDict()
        leaves = array_leaves(observation_space)
        for name, leaf in leaves.items():
            self.encoders[name] = _array_encoder(leaf) if len(leaf.shape) == 2 else _vector_encoder(leaf)
        features = sum(ARRAY_FEATURES if len(leaf.shape) == 2 else VECTOR_FEATURES for leaf in leaves.values())
        self.merge = nn.Sequential(nn.Linear(features, MERGED_FEATURES), nn.ReLU())

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Dict of (N, ...) float tensors -> (N, 128)."""
        encoded = [encoder(observations[name]) for name, encoder in self.encoders.items()]
        return self.merge(torch.cat(encoded, dim=1))


#: stable-baselines3's ``policy_kwargs`` for this network with linear heads.
POLICY_KEYWORDS = {
    "features_extractor_class": ModalityNetwork,
    "net_arch": [],
    "optimizer_kwargs": {"fused": True},
}


class _Scale(nn.Module):
    """Scale a bounded Box to [-1, 1]."""

    centre: torch.Tensor
    reach: torch.Tensor

    def __init__(self, leaf: spaces.Box):
        super().__init__()
        if not leaf.is_bounded():
            raise ValueError(f"the modality network scales bounded vectors only, not {leaf}")
        self.register_buffer("centre", torch.as_tensor((leaf.high + leaf.low) / 2), persistent=False)
        self.register_buffer("reach", torch.as_tensor((leaf.high - leaf.low) / 2), persistent=False)

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        return (values - self.centre) / self.reach


class _Categories(nn.Module):
    """(N, H, W) categories -> (N, C, H, W) channels of zeros and ones."""

    categories: torch.Tensor

    def __init__(self, leaf: spaces.Box):
        super().__init__()
        categories = torch.arange(int(np.min(leaf.low)), int(np.max(leaf.high)) + 1, dtype=torch.float32)
        self.register_buffer("categories", categories[None, :, None, None], persistent=False)

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        return (values[:, None] == self.categories).to(torch.float32)


def _vector_encoder(leaf: spaces.Box) -> nn.Module:
    return nn.Sequential(_Scale(leaf), nn.Flatten(), nn.Linear(int(np.prod(leaf.shape)), VECTOR_FEATURES), nn.ReLU())


def _array_encoder(leaf: spaces.Box) -> nn.Module:
    categories = _Categories(leaf)
    convolutions = nn.Sequential(
        categories,
        nn.Conv2d(categories.categories.shape[1], CHANNELS, kernel_size=3, stride=2),
        nn.ReLU(),
        nn.Conv2d(CHANNELS, CHANNELS, kernel_size=3, stride=2),
        nn.ReLU(),
        nn.Flatten(),
    )
    with torch.no_grad():
        encoded = convolutions(torch.zeros(1, *leaf.shape)).shape[1]
    return nn.Sequential(convolutions, nn.Linear(encoded, ARRAY_FEATURES), nn.ReLU())
