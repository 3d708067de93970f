"""The loss of clipped ratios of probabilities (Schulman et al., 2017), and of the plain policy gradient."""

import torch
from torch.nn import functional

from procgen_bench.baselines.encoder import Tensors


def policy_gradient_loss(
    log_probabilities: torch.Tensor,
    entropies: torch.Tensor,
    values: torch.Tensor,
    kept: Tensors,
    clip_range: float,
    value_weight: float,
    entropy_weight: float,
) -> tuple[torch.Tensor, dict[str, float]]:
    """What is made smaller, and its parts as measures.

    Args:
        log_probabilities: (n,), of what was done, under the present network.
        entropies: (n,), of its distributions.
        values: (n,), its critic's.
        kept: By name (n,): ``"log_probabilities"`` as of when it was done, ``"advantages"``, ``"returns"``, and the
            steps' ``"weights"``.
        clip_range: Of the ratio of probabilities; 0: the plain policy gradient.
        value_weight: Weight of the critic's squared error.
        entropy_weight: Weight of the entropy.
    """
    advantages, weights = kept["advantages"], kept["weights"]
    ratios, total = (log_probabilities - kept["log_probabilities"]).exp(), weights.sum()
    if clip_range > 0:
        gains = torch.minimum(advantages * ratios, advantages * ratios.clamp(1 - clip_range, 1 + clip_range))
    else:
        gains = advantages * log_probabilities
    policy_loss = -(gains * weights).sum() / total
    value_loss = (functional.mse_loss(values, kept["returns"], reduction="none") * weights).sum() / total
    entropy = (entropies * weights).sum() / total
    measures = {"policy_loss": policy_loss, "value_loss": value_loss, "entropy": entropy}
    loss = policy_loss + value_weight * value_loss - entropy_weight * entropy
    return loss, {name: float(measure.detach()) for name, measure in measures.items()}
