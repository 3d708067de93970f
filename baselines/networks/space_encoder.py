"""SpaceEncoder: the parts for all leaves of an observation space, side by side."""

import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.baselines.encoder import Tensors, array_leaves
from procgen_bench.baselines.networks.choice import part_for
from procgen_bench.baselines.networks.entities import Entities, EntitySets, entity_sets
from procgen_bench.baselines.networks.parts import NormalisedReals, Part


class SpaceEncoder(Part):
    """Sets of entities together, every other leaf through the part that :func:`.part_for` chooses; side by side."""

    def __init__(self, space: spaces.Space):
        super().__init__()
        leaves = array_leaves(space)
        sets = entity_sets(leaves)
        in_sets = {name for own in sets.values() for name in own}
        parts = {name: part_for(leaf) for name, leaf in leaves.items() if name not in in_sets}
        self.parts, self.sets = nn.ModuleDict(parts), EntitySets(sets) if sets else None
        self.set_sizes = tuple(sets)
        self.features = sum(part.features for part in parts.values()) + (self.sets.features if self.sets else 0)

    def forward(self, observations: Tensors) -> tuple[torch.Tensor, Entities]:
        """By name (n, ...) -> (n, features), and the entities."""
        features = [part(observations[name]) for name, part in self.parts.items()]
        if self.sets is None:
            return torch.cat(features, dim=1), {}
        entities = self.sets.entities(observations)
        return torch.cat([*features, self.sets(entities)], dim=1), entities

    def see(self, observations: Tensors) -> None:
        """Let observations (n, ...) count in what normalises them."""
        for name, part in self.parts.items():
            if isinstance(part, NormalisedReals):
                part.see(observations[name])
