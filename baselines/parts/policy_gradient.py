"""Generalised advantage estimation (Schulman et al., 2016) and PPO's loss (Schulman et al., 2017)."""

import numpy as np
import torch
from torch.nn import functional

from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.baselines.training.learner import Rollout
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
    reward_play: bool = False,
) -> np.ndarray:
    """Generalised advantages float32 (T, N) of a rollout; for the values see :func:`values_after`.

    With ``reward_play`` they are of self reward-play (:func:`reward_flips`); ``discount``, ``decay`` are 0 to 1.
    """
    following = values_after(values, last_values, rollout.truncations, cut_values)
    advantages = np.empty_like(values)
    rewards, terminations, ends = rollout.rewards, rollout.terminations, rollout.ends
    if reward_play:
        flips = reward_flips(rollout)
        rewards, terminations, ends = flips.astype(np.float32), terminations | flips, ends | flips
    generalised_advantages(rewards, values, following, terminations, ends, discount, decay, advantages)
    return advantages


def reward_flips(rollout: Rollout) -> np.ndarray:
    """Where rewards begin or stop, bool (T, N): what self reward-play pays, and where it counts no further.

    The source is "Open-Ended Learning Leads to Generally Capable Agents" (2021), section 5.3: an agent is to reach a
    goal, and then to undo that, and so on, so that it learns to bring about whatever its goals speak of. Before an
    episode nothing is rewarded. Only advantages are of these; the episode goes on.
    """
    return (rollout.rewards > 0) != (rollout.rewards_before > 0)


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


def policy_gradient_loss(
    log_probabilities: torch.Tensor,
    entropies: torch.Tensor,
    values: torch.Tensor,
    kept: Tensors,
    clip_range: float,
    value_weight: float,
    entropy_weight: float,
) -> tuple[torch.Tensor, dict[str, float]]:
    """What is made smaller, and as measures its parts, and the mean divergence from the policy that acted.

    The divergence is estimated from the actions alone, by a mean of numbers that are 0 or more (Schulman, 2020,
    "Approximating KL Divergence", the third estimator).

    Args:
        log_probabilities: float32 (n,), of what was done, under the present network.
        entropies: float32 (n,), of its distributions.
        values: float32 (n,), its critic's.
        kept: By name float32 (n,): ``"log_probabilities"`` as of when it was done, ``"advantages"``, ``"returns"``, and
            the steps' ``"weights"``.
        clip_range: Of the ratio of probabilities; 0: the plain policy gradient.
        value_weight: Weight of the critic's squared error.
        entropy_weight: Weight of the entropy.
    """
    advantages, weights = kept["advantages"], kept["weights"]
    changes, total = log_probabilities - kept["log_probabilities"], weights.sum()
    ratios = changes.exp()
    if clip_range > 0:
        gains = torch.minimum(advantages * ratios, advantages * ratios.clamp(1 - clip_range, 1 + clip_range))
    else:
        gains = advantages * log_probabilities
    policy_loss = -(gains * weights).sum() / total
    value_loss = (functional.mse_loss(values, kept["returns"], reduction="none") * weights).sum() / total
    entropy = (entropies * weights).sum() / total
    divergence = ((ratios - 1 - changes) * weights).sum() / total
    measures = {"policy_loss": policy_loss, "value_loss": value_loss, "entropy": entropy, "divergence": divergence}
    loss = policy_loss + value_weight * value_loss - entropy_weight * entropy
    return loss, {name: float(measure.detach()) for name, measure in measures.items()}
