"""TaskDiscriminator: how like a target's the experience of an episode is."""

from dataclasses import dataclass

import numpy as np
import torch
from gymnasium import spaces
from torch import nn
from torch.nn import functional

from procgen_bench.baselines.encoder import Tensors
from procgen_bench.baselines.networks.space_encoder import SpaceEncoder

#: Units of a layer for one modality, and of the one that merges them (APT-Gen, B).
_UNITS, _MERGED = 64, 128


@dataclass(frozen=True)
class EpisodeSample:
    """Some steps of each of B episodes.

    Attributes:
        first: By name (B, ...), the first observations.
        before, after: By name (B * k, ...), observations around k steps of each, episode by episode.
        actions: (B * k, ...).
        rewards: float32 (B * k,).
        lengths: float32 (B,), how many steps the episodes had.
    """

    first: Tensors
    before: Tensors
    actions: torch.Tensor
    after: Tensors
    rewards: torch.Tensor
    lengths: torch.Tensor


class TaskDiscriminator(nn.Module):
    """A score of the first state and one of every step (s, a, r, s'); their mean is the logit of "a target's".

    Args:
        observation_space: Of one row.
        action_space: Of one row.
    """

    def __init__(self, observation_space: spaces.Space, action_space: spaces.Space):
        super().__init__()
        self.first = _Reader(observation_space)
        self.first_score = nn.Linear(_UNITS, 1)
        self.state = _Reader(observation_space)
        self._action_space = action_space
        self.action = nn.Sequential(nn.Linear(spaces.flatdim(action_space), _UNITS), nn.ReLU())
        self.reward = nn.Sequential(nn.Linear(1, _UNITS), nn.ReLU())
        self.step_score = nn.Sequential(nn.Linear(4 * _UNITS, _MERGED), nn.ReLU(), nn.Linear(_MERGED, 1))

    def forward(self, episodes: EpisodeSample) -> torch.Tensor:
        """Logits (B,); the steps that are shown stand for all that the episode had."""
        first = self.first_score(self.first(episodes.first))[:, 0]
        action = self.action(_flat_actions(self._action_space, episodes.actions))
        seen = [self.state(episodes.before), action, self.reward(episodes.rewards[:, None]), self.state(episodes.after)]
        steps = self.step_score(torch.cat(seen, dim=1)).reshape(len(first), -1).mean(dim=1)
        return (first + episodes.lengths * steps) / (1 + episodes.lengths)

    def see(self, observations: dict[str, np.ndarray]) -> None:
        """Let observations (n, ...) count in what normalises those without bounds."""
        tensors = {name: torch.as_tensor(array) for name, array in observations.items()}
        for reader in (self.first, self.state):
            reader.encoder.see(tensors)


class _Reader(nn.Module):
    """Observations by name (n, ...) -> (n, 64)."""

    def __init__(self, space: spaces.Space):
        super().__init__()
        self.encoder = SpaceEncoder(space)
        self.dense = nn.Linear(self.encoder.features, _UNITS)

    def forward(self, observations: Tensors) -> torch.Tensor:
        features, _ = self.encoder(observations)
        return functional.relu(self.dense(features))


def _flat_actions(space: spaces.Space, actions: torch.Tensor) -> torch.Tensor:
    """float32 (n, k): zeros and ones of choices, all else as it is."""
    match space:
        case spaces.Discrete():
            return functional.one_hot(actions.long() - int(space.start), int(space.n)).float()
        case spaces.MultiDiscrete():
            columns = zip(actions.long().T, space.nvec.tolist(), strict=True)
            return torch.cat([functional.one_hot(column, size) for column, size in columns], dim=1).float()
        case _:
            return actions.flatten(1).float()
