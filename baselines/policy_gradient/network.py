"""ActorCritic: one network for actions and values, put together from the space's parts."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.baselines.encoder import Tensors
from procgen_bench.baselines.networks.entities import Entities, Pointer
from procgen_bench.baselines.networks.masks import masked, masks_of, without_masks
from procgen_bench.baselines.networks.memory import Memory
from procgen_bench.baselines.networks.own_encoder import encoder_of
from procgen_bench.baselines.networks.space_encoder import SpaceEncoder


class Actor(nn.Module):
    """The outputs of all distributions over actions, side by side.

    A distribution over as many actions as a set has entities points at them. Masked actions are never drawn.

    Args:
        features: Numbers that it is given.
        sizes: Outputs of each distribution.
        set_sizes: Numbers of entities.
        masks: The distributions' masks among what is observed, by name; see :func:`.masks_of`.
    """

    def __init__(self, features: int, sizes: Sequence[int], set_sizes: Sequence[int], masks: Sequence[str]):
        super().__init__()
        self._masks = tuple(masks)
        self.heads = nn.ModuleList(
            Pointer(size, features) if size in set_sizes else _dense(features, size, gain=0.01) for size in sizes
        )

    def forward(self, features: torch.Tensor, entities: Entities, observations: Tensors) -> torch.Tensor:
        """Features (n, k), entities, and masks by name (n, size) -> outputs (n, sum of sizes)."""
        outputs = [head(features, entities) if isinstance(head, Pointer) else head(features) for head in self.heads]
        return torch.cat([masked(own, observations, mask) for own, mask in zip(outputs, self._masks)], dim=1)


class ActorCritic(nn.Module):
    """Features -> dense layers of ``width`` -> memory, if any -> outputs of the actions' distribution, and a value.

    Args:
        observation_space: A flat ``Dict`` of arrays.
        sizes: How many numbers each of the distributions over actions is made of.
        width: Numbers in every dense layer.
        layers: Dense layers, each followed by a ReLU.
        memory: Numbers that are remembered; 0: none.
        network: A person's own, which reads the observations; see :class:`.OwnEncoder`.
    """

    def __init__(
        self,
        observation_space: spaces.Space,
        sizes: Sequence[int],
        width: int,
        layers: int,
        memory: int,
        network: str = "",
    ):
        super().__init__()
        self.encoder = encoder_of(without_masks(observation_space), network)
        widths = [self.encoder.features, *[width] * layers]
        dense = [_dense(inputs, outputs) for inputs, outputs in pairwise(widths)]
        self.trunk = nn.Sequential(*[layer for linear in dense for layer in (linear, nn.ReLU())])
        self.memory = Memory(widths[-1], memory) if memory else None
        self.memory_width = memory
        self.actor = Actor(memory or widths[-1], sizes, self.encoder.set_sizes, masks_of(observation_space, sizes))
        self.critic = _dense(memory or widths[-1], 1, gain=1.0)

    def forward(self, observations: Tensors, memory: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Observations (n, ...) and memory (n, m) -> outputs (n, k), values (n,), the next memory (n, m)."""
        return self.read(self.encoder.prepare(observations), memory)

    def prepare(self, observations: Tensors) -> Tensors:
        """What :meth:`read` and :meth:`unroll` want of observations by name (n, ...), in the form that is fastest."""
        if isinstance(self.encoder, SpaceEncoder) and self.critic.weight.device.type == "cpu":
            return self.encoder.prepare_briefly(observations, ones=len(self.trunk) > 0)
        return self.encoder.prepare(observations)

    def read(self, prepared: Tensors, memory: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The same of what was prepared."""
        features, entities = self._features(prepared)
        if self.memory is not None:
            features = memory = self.memory(features, memory)
        return self.actor(features, entities, prepared), self.critic(features)[:, 0], memory

    def unroll(
        self, prepared: Tensors, memory: torch.Tensor, starts: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Steps in a row, time first, of episodes that begin on the way.

        Args:
            prepared: By name (T, n, ...).
            memory: (n, m), before the first step.
            starts: bool (T, n).

        Returns:
            Outputs (T * n, k) and values (T * n,), time first.
        """
        length, rows = starts.shape
        flat = {name: array.flatten(0, 1) for name, array in prepared.items()}
        features, entities = self._features(flat)
        if self.memory is not None:
            in_order = features.unflatten(0, (length, rows))
            features = self.memory.unroll(in_order, memory, (~starts).float()[:, :, None]).flatten(0, 1)
        return self.actor(features, entities, flat), self.critic(features)[:, 0]

    def _features(self, prepared: Tensors) -> tuple[torch.Tensor, Entities]:
        """What was prepared -> the last dense layer's numbers (n, width), and the entities."""
        if not len(self.trunk):
            return self.encoder.read(prepared)
        first = self.trunk[0]
        assert isinstance(first, nn.Linear)
        features, entities = self.encoder.read_into(first, prepared)
        return self.trunk[1:](features), entities

    def see(self, observations: Tensors) -> None:
        """Let observations (n, ...) count in what normalises them."""
        self.encoder.see(observations)


def _dense(inputs: int, outputs: int, gain: float = np.sqrt(2)) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer
