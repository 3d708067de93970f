"""AtomPredictor: an auxiliary loss that says which of a goal's atoms hold, from a network's features.

The source is "Open-Ended Learning Leads to Generally Capable Agents" (2021), figure 10 and appendix A.6: layers of 64
and 32 numbers for every atom, a binary cross-entropy over the atoms of the goal, neither weighted nor tuned. There, and
here with ``goal_attention``, atoms are predicted from features that have not read the goal. Without goal attention the
features have read it, the goal's matrix among it.
"""

from typing import Self

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from procgen_bench.baselines.papers.open_ended.auxiliary_loss import AuxiliaryLoss
from procgen_bench.baselines.parts.actor_critic import ActorCritic, Evaluated
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.baselines.training.learner import Rollout
from procgen_bench.core.errors import InvalidOptionError

#: Of the environment, which atoms of a goal are true; see :class:`.XLandPlayersVectorEnv`.
TRUTHS = "goal_truths"
_EMBEDDING, _WIDTHS = 64, (64, 32)


class AtomPredictor(AuxiliaryLoss):
    """Reads features (n, width) and atoms, and says how likely each atom holds.

    Args:
        width: Numbers that the network knows of a step.
        num_atoms: How many atoms there are; greater numbers are none.
        weight: Of the loss.
    """

    name = "atom"
    required_infos = (TRUTHS,)

    def __init__(self, width: int, num_atoms: int, weight: float = 1.0):
        super().__init__()
        self.num_atoms, self.weight = num_atoms, weight
        self.atom = nn.Embedding(num_atoms + 1, _EMBEDDING)
        first, second = _WIDTHS
        self.layers = nn.Sequential(
            nn.Linear(width + _EMBEDDING, first), nn.ReLU(), nn.Linear(first, second), nn.ReLU(), nn.Linear(second, 1)
        )

    @classmethod
    def of_network(cls, network: ActorCritic, weight: float) -> Self:
        """The predictor that reads a network's features.

        Raises:
            InvalidOptionError: What the network observes names no atoms.
        """
        num_atoms = getattr(network.encoder, "num_atoms", None)
        if num_atoms is None:
            raise InvalidOptionError("atom_weight is not 0, expected 0 where observations name no atoms of a goal")
        return cls(network.features, num_atoms, weight)

    def columns(self, rollout: Rollout) -> dict[str, np.ndarray]:
        """See :func:`truth_columns`."""
        return truth_columns(rollout)

    def loss(self, evaluated: Evaluated, kept: Tensors) -> torch.Tensor:
        """The weighted :meth:`cross_entropy` of n steps."""
        return self.weight * self.cross_entropy(evaluated.features, evaluated.prepared["atoms"], kept)

    def forward(self, features: torch.Tensor, atoms: torch.Tensor) -> torch.Tensor:
        """Features (n, width) and atoms int64 (n, a) -> logits (n, a)."""
        beside = features[:, None].expand(-1, atoms.shape[1], -1)
        return self.layers(torch.cat([beside, self.atom(atoms)], dim=2))[:, :, 0]

    def cross_entropy(self, features: torch.Tensor, atoms: torch.Tensor, kept: Tensors) -> torch.Tensor:
        """The mean cross-entropy over atoms that goals name, where it is known which hold; 0 where nowhere is.

        Args:
            features: (n, width).
            atoms: int64 (n, a).
            kept: What :func:`truth_columns` says of these steps, (n, ...).
        """
        truths = kept["truths"][:, : atoms.shape[1]]
        counts = (atoms < self.num_atoms) * kept["truths_known"][:, None]
        each = functional.binary_cross_entropy_with_logits(self(features, atoms), truths, reduction="none")
        return (each * counts).sum() / counts.sum().clamp(min=1)


def truth_columns(rollout: Rollout) -> dict[str, np.ndarray]:
    """Which atoms of the goal held when each step's observation was made, and whether that is known.

    The environment says so after every step: that is of the next observation. It is not known of a rollout's first
    ones, nor of those that begin an episode.

    Returns:
        ``"truths"``: float32 (T, N, 12); ``"truths_known"``: float32 (T, N).
    """
    after = rollout.infos[TRUTHS].astype(np.float32)
    truths, known = np.zeros_like(after), (~rollout.starts).astype(np.float32)
    truths[1:], known[0] = after[:-1], 0.0
    return {"truths": truths, "truths_known": known}
