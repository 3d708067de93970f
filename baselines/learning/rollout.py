"""Rollout: T steps of N rows, as they were collected, for one update of a learner."""

from dataclasses import dataclass

import numpy as np
import torch

from procgen_bench.baselines.encoder import Tensors


@dataclass(frozen=True)
class Rollout:
    """Steps of rows that go on through their episodes' ends, time first.

    Attributes:
        observations: By name (T, N, ...), what was seen before each action; on the learner's device.
        actions: (T, N, ...), of the action space's type; on the learner's device.
        aux: By name float32 (T, N), what the learner noted of each action (log-probabilities, values, ...).
        rewards: float32 (T, N).
        terminations: bool (T, N), whether the step ended the episode for good.
        truncations: bool (T, N), whether it was cut off.
        starts: bool (T, N), whether the observation was the first of an episode.
        train: bool (T, N), whether the step may be learned from.
        memory: float32 (N, M), what the learner remembered before the first step; on its device.
        last_observations: By name (N, ...), what was seen after the last step, of new episodes where one had ended.
        last_starts: bool (N,), whether those are the first of an episode.
        last_memory: float32 (N, M).
        end_observations: By name (E, ...), the last ones of the E episodes that ended, in the order of ``ends``.
        cut_memory: float32 (K, M), the memory with which those of the K episodes that were cut off would be seen.
    """

    observations: Tensors
    actions: torch.Tensor
    aux: Tensors
    rewards: np.ndarray
    terminations: np.ndarray
    truncations: np.ndarray
    starts: np.ndarray
    train: np.ndarray
    memory: torch.Tensor
    last_observations: Tensors
    last_starts: np.ndarray
    last_memory: torch.Tensor
    end_observations: Tensors
    cut_memory: torch.Tensor

    @property
    def ends(self) -> np.ndarray:
        """bool (T, N): whether the step was the last of its episode."""
        return self.terminations | self.truncations

    @property
    def cut_observations(self) -> Tensors:
        """By name (K, ...): the last observations of episodes that were cut off, in the order of ``truncations``."""
        cut = torch.as_tensor(self.truncations[self.ends])
        return {name: array[cut.to(array.device)] for name, array in self.end_observations.items()}

    def following(self, name: str) -> np.ndarray:
        """(T, N, ...): what was seen after each step, of the same episode."""
        seen = self.observations[name][1:].cpu().numpy()
        following = np.concatenate([seen, self.last_observations[name].cpu().numpy()[np.newaxis]])
        following[self.ends] = self.end_observations[name].cpu().numpy()
        return following

    @property
    def num_steps(self) -> int:
        """Environment steps: T x N."""
        return self.rewards.size
