"""NamedGoals: what grounded goals are compared with in XLand; a literal is embedded by its name alone."""

import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.baselines.papers.open_ended.scene_encoder import SceneEncoder
from procgen_bench.baselines.policies.tensors import Tensors


class NamedGoals(SceneEncoder):
    """A scene and a goal beside each other: every atom has an embedding, which knows nothing of where its things are.

    Everything else is as in :class:`.SceneEncoder`. For ``--network``.

    Args:
        space: The observation space of XLand's states.
    """

    def __init__(self, space: spaces.Space):
        super().__init__(space)
        self.atom_kinds = torch.eye(len(self.atom_kinds))  # an atom's number, in place of its relation and kinds
        self.kind = nn.Linear(len(self.atom_kinds), self.kind.out_features)

    def forward(self, observations: Tensors) -> torch.Tensor:  # type: ignore[override]  # as of a network of one's own
        """By name (n, ...) -> (n, features)."""
        return self.read(self.prepare(observations))[0]

    def _grounded(self, atoms: torch.Tensor, things: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        """Zeros, which are embedded as zeros."""
        return places.new_zeros(*atoms.shape, self.place.in_features)
