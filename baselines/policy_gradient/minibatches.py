"""Minibatches: a rollout in parts, each of which one gradient step learns from."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from procgen_bench.baselines.encoder import Tensors, rows_of
from procgen_bench.baselines.learning.rollout import Rollout


@dataclass(frozen=True)
class Minibatch:
    """Single steps, or with memory all steps of some rows, time first.

    Attributes:
        prepared: What was seen before each step, as the network prepared it: by name (n, ...), with memory (T, n, ...).
        kept: By name (n,) or (T * n,): ``"actions"``, their ``"log_probabilities"``, ``"advantages"``, ``"returns"``,
            and ``"weights"``, 0 where a step may not be learned from.
        memory: float32 (n, M), before the first step.
        starts: bool (T, n), where episodes begin; ``None`` of single steps.
    """

    prepared: Tensors
    kept: Tensors
    memory: torch.Tensor
    starts: torch.Tensor | None


def minibatches_of(
    rollout: Rollout,
    prepare: Callable[[Tensors], Tensors],
    advantages: np.ndarray,
    count: int,
    rng: np.random.Generator,
) -> list[Minibatch]:
    """A rollout in random parts of equal size.

    They are made once, for all passes over the rollout: gathering the steps anew for each took a tenth of the time.

    Args:
        rollout: What was collected, of T steps in N rows.
        prepare: What the network wants of observations by name (n, ...).
        advantages: float32 (T, N).
        count: Parts.
        rng: Draws which step, or with memory which row, is in which part.
    """
    device = rollout.memory.device
    returns = advantages + rollout.aux["values"].cpu().numpy()
    columns = {"advantages": advantages, "returns": returns, "weights": rollout.train.astype(np.float32)}
    kept = {name: torch.as_tensor(column, device=device) for name, column in columns.items()}
    kept |= {"log_probabilities": rollout.aux["log_probabilities"], "actions": rollout.actions}
    with torch.no_grad():
        prepared = prepare({name: array.flatten(0, 1) for name, array in rollout.observations.items()})
    by_row = rollout.memory.shape[1] > 0
    # Rows of which nothing may be learned would make parts without a mean.
    candidates = np.flatnonzero(rollout.train.any(axis=0) if by_row else rollout.train)
    chosen = torch.as_tensor(rng.permutation(candidates), device=device)
    parts = chosen.split(-(-len(chosen) // count))
    if not by_row:
        nothing = rollout.memory[:1]
        kept = {name: column.flatten(0, 1) for name, column in kept.items()}
        return [
            Minibatch(
                rows_of(prepared, part),
                rows_of(kept, part),
                nothing.expand(len(part), 0),
                None,
            )
            for part in parts
        ]
    starts = torch.as_tensor(rollout.starts, device=device)
    in_order = {name: array.unflatten(0, rollout.train.shape) for name, array in prepared.items()}
    return [
        Minibatch(
            {name: array[:, part] for name, array in in_order.items()},
            {name: column[:, part].flatten(0, 1) for name, column in kept.items()},
            rollout.memory[part],
            starts[:, part],
        )
        for part in parts
    ]
