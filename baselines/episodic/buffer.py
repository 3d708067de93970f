"""EpisodeBuffer: the transitions of whole episodes, as stable-baselines3's PPO draws its minibatches."""

from collections.abc import Iterator

import numpy as np
import torch
from stable_baselines3.common.buffers import BaseBuffer
from stable_baselines3.common.type_aliases import DictRolloutBufferSamples

from procgen_bench.baselines.episodic.episodes import Episodes


class EpisodeBuffer(BaseBuffer):
    """Takes a rollout buffer's place; holds as many transitions as the included episodes have.

    Attributes:
        values: float32 (M,), the critic's values of the M transitions.
        returns: float32 (M,), what the critic should have said.
    """

    def __init__(self, buffer_size, observation_space, action_space, device, gamma, gae_lambda, n_envs):
        super().__init__(buffer_size, observation_space, action_space, device, n_envs)
        self.gamma, self.gae_lambda = gamma, gae_lambda
        self.values = self.returns = np.zeros(0, np.float32)
        self._samples: DictRolloutBufferSamples | None = None

    def __len__(self) -> int:
        return len(self.values)

    def fill(
        self,
        episodes: Episodes,
        rewards: np.ndarray,
        values: np.ndarray,
        final_values: np.ndarray,
        included: np.ndarray,
        anti_goals: np.ndarray | None,
    ) -> None:
        """Replace the content by the transitions of the included episodes; their advantages are standardised together.

        Args:
            episodes: The episodes.
            rewards: (T, N), each step's reward.
            values: (T, N), the critic's values of the states before each step.
            final_values: (N,), the worth of what would have come after the end.
            included: bool (N,), the episodes that are learned from.
            anti_goals: (N, ...), what the critic sees beside the observations; ``None``: nothing.
        """
        advantages = generalised_advantages(
            rewards, values, final_values, episodes.lengths, self.gamma, self.gae_lambda
        )
        chosen = episodes.played & included
        observations = {name: torch.as_tensor(array[chosen]) for name, array in episodes.observations.items()}
        if anti_goals is not None:
            rows = np.nonzero(chosen)[1]
            observations["anti_goal"] = torch.as_tensor(anti_goals[rows])
        self.values = values[chosen].astype(np.float32)
        self.returns = (values + advantages)[chosen].astype(np.float32)
        actions = episodes.actions[chosen]
        self._samples = DictRolloutBufferSamples(
            observations=observations,
            actions=torch.as_tensor(actions.reshape(len(actions), -1)),
            old_values=torch.as_tensor(self.values),
            old_log_prob=torch.as_tensor(episodes.log_probabilities[chosen]),
            advantages=torch.as_tensor(_standardised(advantages[chosen]).astype(np.float32)),
            returns=torch.as_tensor(self.returns),
        )

    def get(self, batch_size: int) -> Iterator[DictRolloutBufferSamples]:
        """Every transition once, in a random order, ``batch_size`` at a time."""
        assert self._samples is not None  # filled before it is drawn from
        for rows in torch.randperm(len(self)).split(batch_size):
            observations = {name: tensor[rows] for name, tensor in self._samples.observations.items()}
            yield DictRolloutBufferSamples(observations, *(part[rows] for part in self._samples[1:]))

    def _get_samples(self, batch_inds, env=None):
        raise NotImplementedError("whole epochs are drawn, with get()")


def _standardised(values: np.ndarray) -> np.ndarray:
    return (values - values.mean()) / (values.std() + 1e-8)


def generalised_advantages(
    rewards: np.ndarray,
    values: np.ndarray,
    final_values: np.ndarray,
    lengths: np.ndarray,
    discount: float,
    decay: float,
) -> np.ndarray:
    """Generalised advantage estimates (Schulman et al., 2016) of N episodes of different lengths.

    Args:
        rewards: (T, N).
        values: (T, N), of the states before each step.
        final_values: (N,), of the states after the last step; 0 where nothing follows.
        lengths: (N,), steps of each episode.
        discount: gamma.
        decay: lambda.

    Returns:
        float64 (T, N); 0 behind an episode's end.
    """
    advantages = np.zeros(rewards.shape)
    advantage = np.zeros(len(lengths))
    following = np.zeros(len(lengths))
    for step in reversed(range(len(rewards))):
        last, played = lengths - 1 == step, lengths > step
        following = np.where(last, final_values, following)
        surprise = rewards[step] + discount * following - values[step]
        advantage = np.where(played, surprise + discount * decay * np.where(last, 0.0, advantage), 0.0)
        advantages[step] = advantage
        following = values[step]
    return advantages
