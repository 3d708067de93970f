"""TransitionModel: foresees what is seen next; its error on a level is a part of TRACED's score.

Cho et al. 2025, "TRACED: Transition-aware Regret Approximation with Co-learnability for Environment Design"; settings
of its public code (Cho-Geonwoo/TRACED 3a5e8ed, level_replay/level_sampler.py and models/common.py), in which it
weighs as much as positive value loss. There the model of pictures has convolutions, and takes a gradient step for each
episode; here a dense layer reads any observation, and a step is taken for every :data:`BATCH` episodes.
"""

from collections.abc import Sequence

import numpy as np
import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.baselines.parts.bonuses.predicted_actions import flat_actions
from procgen_bench.baselines.policies.arrays import Arrays, below, network_arrays
from procgen_bench.baselines.policies.tensors import (
    array_leaves,
    optimizer_arrays,
    restore_optimizer,
    torch_seeded_from,
)
from procgen_bench.baselines.training.contracts import EpisodeSteps

#: Episodes of one gradient step.
BATCH = 4
_WIDTH, _RATE, _DECAY, _GREATEST_NORM = 128, 1e-4, 1e-5, 0.5


class TransitionModel:
    """Says what is seen next, by what was seen and done in the episode so far, and learns from every episode once.

    Args:
        observation_space: Of a row, of arrays.
        action_space: Of a row.
        rng: What the first weights are drawn by.
    """

    def __init__(self, observation_space: spaces.Space, action_space: spaces.Space, rng: np.random.Generator):
        self._leaves, self._action_space = array_leaves(observation_space), action_space
        bounded = [np.full(leaf.shape, leaf.is_bounded()).ravel() for leaf in self._leaves.values()]
        with torch_seeded_from(rng, torch.device("cpu")):
            self.network = _Predictor(torch.as_tensor(np.concatenate(bounded)), spaces.flatdim(action_space))
        self.optimizer = torch.optim.AdamW(self.network.parameters(), _RATE, weight_decay=_DECAY)

    def errors(self, episodes: Sequence[EpisodeSteps]) -> np.ndarray:
        """The mean absolute error float64 (n,) of what is seen after each step, before the episodes are learned from.

        Observations of bounded leaves count from 0, their least value, to 1; others as they are.
        """
        batches = [episodes[first : first + BATCH] for first in range(0, len(episodes), BATCH)]
        return np.concatenate([np.zeros(0), *(self._learn(batch) for batch in batches)])

    def _learn(self, episodes: Sequence[EpisodeSteps]) -> np.ndarray:
        lengths = torch.tensor([len(episode) for episode in episodes])
        seen = _padded([self._flat(episode) for episode in episodes])
        actions = _padded([flat_actions(self._action_space, episode.actions) for episode in episodes])
        apart = (self.network(seen[:, :-1], actions) - seen[:, 1:]).abs().mean(dim=2)
        errors = (apart * (torch.arange(apart.shape[1]) < lengths[:, None])).sum(dim=1) / lengths
        self.optimizer.zero_grad()
        errors.mean().backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), _GREATEST_NORM)
        self.optimizer.step()
        return errors.detach().double().numpy()

    def _flat(self, episode: EpisodeSteps) -> np.ndarray:
        """float32 (L + 1, k)."""
        parts = []
        for name, leaf in self._leaves.items():
            values = episode.observations[name].astype(np.float32)
            if leaf.is_bounded():
                values = (values - leaf.low) / np.maximum(leaf.high.astype(np.float32) - leaf.low, np.float32(1e-6))
            parts.append(values.reshape(len(values), -1))
        return np.concatenate(parts, axis=1, dtype=np.float32)

    def state(self) -> Arrays:
        """Arrays from which :meth:`restore` continues exactly."""
        arrays = {f"network.{name}": array for name, array in network_arrays(self.network).items()}
        return arrays | {f"optimizer.{name}": array for name, array in optimizer_arrays(self.optimizer).items()}

    def restore(self, arrays: Arrays) -> None:
        """Continue from what :meth:`state` returned, with its shapes and dtypes."""
        weights = below(arrays, "network")
        self.network.load_state_dict({name: torch.as_tensor(array) for name, array in weights.items()})
        restore_optimizer(self.optimizer, below(arrays, "optimizer"))


class _Predictor(nn.Module):
    """Observations (n, L, k) and actions (n, L, a) of n episodes, float32 -> the next observations (n, L, k)."""

    bounded: torch.Tensor

    def __init__(self, bounded: torch.Tensor, actions: int):
        super().__init__()
        self.register_buffer("bounded", bounded, persistent=False)
        self.seen = nn.Linear(len(bounded), _WIDTH)
        self.memory = nn.LSTM(_WIDTH + actions, _WIDTH, batch_first=True)
        self.next = nn.Linear(_WIDTH, len(bounded))

    def forward(self, seen: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
        known, _ = self.memory(torch.cat([torch.relu(self.seen(seen)), actions], dim=2))
        said = self.next(known)
        return torch.where(self.bounded, torch.sigmoid(said), said)


def _padded(arrays: list[np.ndarray]) -> torch.Tensor:
    """Arrays (l, k) of n lengths as one float32 (n, L, k), with zeros behind the shorter ones."""
    return nn.utils.rnn.pad_sequence([torch.from_numpy(array) for array in arrays], batch_first=True)
