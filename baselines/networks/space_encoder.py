"""SpaceEncoder: the parts for all leaves of an observation space, side by side."""

import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.baselines.encoder import Tensors, array_leaves
from procgen_bench.baselines.networks.choice import part_for
from procgen_bench.baselines.networks.entities import Entities, EntitySets, entity_sets
from procgen_bench.baselines.networks.parts import NormalisedReals, Part

#: What no leaf of an observation space is called.
_FIXED = ""


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
        self._fixed = [name for name, part in parts.items() if part.fixed]
        self._learned = [name for name, part in parts.items() if not part.fixed]

    def prepare(self, observations: Tensors) -> Tensors:
        """What :meth:`read` wants of observations by name (n, ...): the features of fixed parts, and all else as it is.

        Returns:
            By name (n, ...).
        """
        prepared = {name: array for name, array in observations.items() if name not in self._fixed}
        if self._fixed:
            features = [self.parts[name](observations[name]) for name in self._fixed]
            prepared[_FIXED] = torch.cat(features, dim=1) if len(features) > 1 else features[0]
        return prepared

    def read(self, prepared: Tensors) -> tuple[torch.Tensor, Entities]:
        """What :meth:`prepare` returned -> (n, features), and the entities."""
        features = [prepared[_FIXED]] if self._fixed else []
        features += [self.parts[name](prepared[name]) for name in self._learned]
        entities = {} if self.sets is None else self.sets.entities(prepared)
        if self.sets is not None:
            features.append(self.sets(entities))
        return torch.cat(features, dim=1) if len(features) > 1 else features[0], entities

    def forward(self, observations: Tensors) -> tuple[torch.Tensor, Entities]:
        """By name (n, ...) -> (n, features), and the entities."""
        return self.read(self.prepare(observations))

    def see(self, observations: Tensors) -> None:
        """Let observations (n, ...) count in what normalises them."""
        for name, part in self.parts.items():
            if isinstance(part, NormalisedReals):
                part.see(observations[name])
