"""Generalised advantage estimation (Schulman et al., 2016)."""

import numpy as np

from procgen_bench.baselines.learning.rollout import Rollout
from procgen_bench.core.compiled import njit


@njit
def generalised_advantages(rewards, values, next_values, terminations, ends, discount, decay, advantages):
    """Write the advantages of T steps of N rows.

    Args:
        rewards: float32 (T, N).
        values: float32 (T, N), of the states before the steps.
        next_values: float32 (T, N), of the states after them, whatever ended there.
        terminations: bool (T, N), whether nothing follows.
        ends: bool (T, N), whether the next step is another episode's.
        discount: Discount factor.
        decay: Lambda.
        advantages: float32 (T, N), written.
    """
    for row in range(rewards.shape[1]):
        later = 0.0
        for t in range(rewards.shape[0] - 1, -1, -1):
            following = 0.0 if terminations[t, row] else discount * next_values[t, row]
            error = rewards[t, row] + following - values[t, row]
            later = error if ends[t, row] else error + discount * decay * later
            advantages[t, row] = later


def rollout_advantages(
    rollout: Rollout,
    values: np.ndarray,
    last_values: np.ndarray,
    cut_values: np.ndarray,
    discount: float,
    decay: float,
) -> np.ndarray:
    """Generalised advantages float32 (T, N) of a rollout; for the values see :func:`values_after`."""
    following = values_after(values, last_values, rollout.truncations, cut_values)
    advantages = np.empty_like(values)
    generalised_advantages(
        rollout.rewards, values, following, rollout.terminations, rollout.ends, discount, decay, advantages
    )
    return advantages


def values_after(
    values: np.ndarray, last_values: np.ndarray, truncations: np.ndarray, cut_values: np.ndarray
) -> np.ndarray:
    """The value float32 (T, N) of what followed every step within its episode.

    Args:
        values: float32 (T, N).
        last_values: float32 (N,), of what the rows show after the last step.
        truncations: bool (T, N).
        cut_values: float32 (K,), of the last states of the episodes that were cut off.
    """
    following = np.concatenate([values[1:], last_values[np.newaxis]])
    following[truncations] = cut_values
    return following
