"""PlannerLearner: the core network learns from the results of searches, by trajectories."""

from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from procgen_bench.baselines.papers.alphanpi_x.programs.core_network import CoreNetwork
from procgen_bench.baselines.papers.alphanpi_x.programs.search import Searched
from procgen_bench.baselines.policies.arrays import Arrays, below, network_arrays
from procgen_bench.baselines.policies.tensors import optimizer_arrays, restore_optimizer

#: Least probability that a drawn trajectory of a program is one that succeeded, where there are any; else it is their
#: share of those that are kept. The paper's batches are half successes.
_POSITIVE_SHARE = 0.5


@dataclass(frozen=True)
class PlannerSettings:
    """What the learner is set by.

    Attributes:
        learning_rate: Of Adam.
        batch_size: Trajectories of a gradient step.
        buffer_size: Newest trajectories of each program that are kept.
    """

    learning_rate: float
    batch_size: int
    buffer_size: int


class PlannerLearner:
    """Learns by back-propagation through time over the decisions of whole searches.

    The loss of a decision is the cross-entropy of the network's policy to the tree's, summed over the actions, and the
    squared error of its value to the result of the search; the mean over all decisions of a batch is taken.

    The program of a trajectory is drawn first, and then whether it is one that succeeded. (Drawn the other way round,
    nearly all failures are of the one program that is not learned yet: its values fall to -1, every edge that has not
    been visited is better than those that have been, searches spread over all, and it is not learned. And were failures
    drawn half of the time where they are rare, old ones would be learned by heart.)

    Args:
        network: What learns.
        settings: How.
        rng: Draws batches.
    """

    def __init__(self, network: CoreNetwork, settings: PlannerSettings, rng: np.random.Generator):
        self.network, self._settings, self._rng = network, settings, rng
        self._optimizer = torch.optim.Adam(network.parameters(), settings.learning_rate)
        self._kept: dict[int, deque[Searched]] = {}

    def keep(self, searched: list[Searched]) -> None:
        """Add results of searches; the oldest beyond the buffers' sizes are dropped."""
        for one in searched:
            if len(one.states):
                self._kept.setdefault(one.program, deque(maxlen=self._settings.buffer_size)).append(one)

    def update(self) -> dict[str, float]:
        """One gradient step; returns its losses."""
        drawn = [self._draw() for _ in range(self._settings.batch_size)]
        lengths = np.array([len(one.states) for one in drawn])
        shape = len(drawn), int(lengths.max())
        states = np.zeros((*shape, drawn[0].states.shape[1]))
        policies = np.zeros((*shape, drawn[0].policies.shape[1]), np.float32)
        for row, one in enumerate(drawn):
            states[row, : len(one.states)], policies[row, : len(one.states)] = one.states, one.policies
        programs = torch.tensor([one.program for one in drawn])
        outcomes = torch.tensor([one.value for one in drawn])
        made = torch.from_numpy((np.arange(shape[1]) < lengths[:, np.newaxis]).astype(np.float32))
        memory = torch.zeros(len(drawn), self.network.memory_width)
        policy_loss, value_loss = torch.zeros(()), torch.zeros(())
        for step in range(shape[1]):
            logits, values, memory = self.network(torch.from_numpy(states[:, step]), programs, memory)
            entropies = -(torch.from_numpy(policies[:, step]) * functional.log_softmax(logits, dim=1)).sum(dim=1)
            policy_loss = policy_loss + (made[:, step] * entropies).sum()
            value_loss = value_loss + (made[:, step] * (values - outcomes) ** 2).sum()
        policy_loss, value_loss = policy_loss / made.sum(), value_loss / made.sum()
        self._optimizer.zero_grad()
        (policy_loss + value_loss).backward()
        self._optimizer.step()
        return {"policy_loss": policy_loss.item(), "value_loss": value_loss.item()}

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """Arrays and plain values from which :meth:`restore` goes on exactly."""
        arrays = {f"network.{name}": array for name, array in network_arrays(self.network).items()}
        arrays |= {f"optimizer.{name}": array for name, array in optimizer_arrays(self._optimizer).items()}
        kept = [one for program in sorted(self._kept) for one in self._kept[program]]
        if kept:
            arrays["kept.states"] = np.concatenate([one.states for one in kept])
            arrays["kept.policies"] = np.concatenate([one.policies for one in kept])
        arrays["kept.lengths"] = np.array([len(one.states) for one in kept], np.int64)
        arrays["kept.programs"] = np.array([one.program for one in kept], np.int64)
        arrays["kept.values"] = np.array([one.value for one in kept])
        arrays["kept.succeeded"] = np.array([one.succeeded for one in kept], np.bool_)
        return arrays, {"rng": self._rng.bit_generator.state}

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Go on from what :meth:`state` returned."""
        weights = {name: torch.as_tensor(array) for name, array in below(arrays, "network").items()}
        self.network.load_state_dict(weights)
        restore_optimizer(self._optimizer, below(arrays, "optimizer"))
        self._rng.bit_generator.state = values["rng"]
        ends = np.cumsum(arrays["kept.lengths"])
        nothing = np.zeros(0)
        kept = [
            Searched(
                program=int(arrays["kept.programs"][place]),
                states=arrays["kept.states"][end - length : end],
                policies=arrays["kept.policies"][end - length : end],
                trace=nothing,
                memory=nothing,
                succeeded=bool(arrays["kept.succeeded"][place]),
                value=float(arrays["kept.values"][place]),
            )
            for place, (end, length) in enumerate(zip(ends.tolist(), arrays["kept.lengths"].tolist()))
        ]
        self._kept = {}
        self.keep(kept)

    def _draw(self) -> Searched:
        programs = sorted(self._kept)
        newest = self._kept[programs[self._rng.integers(len(programs))]]
        successes = [one for one in newest if one.succeeded]
        share = max(_POSITIVE_SHARE, len(successes) / len(newest))
        succeeded = bool(successes) and self._rng.random() < share
        kept = successes if succeeded else [one for one in newest if not one.succeeded]
        return kept[self._rng.integers(len(kept))]
