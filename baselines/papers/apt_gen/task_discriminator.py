"""TaskDiscriminator: whether an episode was one of a target task (APT-Gen, 3.3 and B), and what it sees of episodes."""

from dataclasses import dataclass

import numpy as np
import torch
from gymnasium import spaces
from torch import nn
from torch.nn import functional

from procgen_bench.baselines.fast.layer_table import AsItIs, Block, LayerTable
from procgen_bench.baselines.fast.modalities import compile_encoder
from procgen_bench.baselines.fast.trained_network import CompilableModule, TrainedNetwork
from procgen_bench.baselines.parts.bonuses.predicted_actions import flat_actions
from procgen_bench.baselines.parts.modality_encoder import UNITS, ModalityEncoder
from procgen_bench.baselines.policies.arrays import Arrays, below
from procgen_bench.baselines.policies.tensors import Tensors, tensors_of

#: Units of the layer that merges what a step consists of.
_MERGED = 128


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

    first: Arrays
    before: Arrays
    actions: np.ndarray
    after: Arrays
    rewards: np.ndarray
    lengths: np.ndarray


class TaskDiscriminator:
    """A score of the first state and one of every step (s, a, r, s'); their mean is the logit of "a target's".

    Args:
        observation_space: Of one row.
        action_space: Of one row.
        rate: Adam's learning rate.
        capacity: Episodes of one pass, at most.
        num_steps: Steps of each that it sees.
        decay: Weight decay apart from the gradient.
    """

    def __init__(
        self,
        observation_space: spaces.Space,
        action_space: spaces.Space,
        rate: float,
        capacity: int,
        num_steps: int,
        decay: float,
    ):
        self._action_space, self._num_steps = action_space, num_steps
        first, step = StateScore(observation_space), StepScore(observation_space, spaces.flatdim(action_space))
        self._encoders = [first.encoder, step.encoder]
        self._first, self._step = (
            TrainedNetwork(first, rate, capacity, decay),
            TrainedNetwork(step, rate, capacity * num_steps, decay),
        )

    def logits(self, episodes: EpisodeSample) -> np.ndarray:
        """float32 (B,); the steps that are shown stand for all that the episode had."""
        given = {f"before.{name}": array for name, array in episodes.before.items()}
        given |= {f"after.{name}": array for name, array in episodes.after.items()}
        given |= {"action": flat_actions(self._action_space, episodes.actions), "reward": episodes.rewards[:, None]}
        steps = self._step.forward(given)
        total = episodes.lengths * steps.reshape(-1, self._num_steps).mean(axis=1)
        return (self._first.forward(episodes.first)[:, 0] + total) / (1 + episodes.lengths)

    def learn(self, episodes: EpisodeSample, gradients: np.ndarray) -> None:
        """A step of Adam, from how the loss grows with the logits (B,) of these episodes, which were found last."""
        of_all = gradients / (1 + episodes.lengths)
        self._first.learn(of_all[:, None])
        of_steps = of_all * episodes.lengths / self._num_steps
        self._step.learn(of_steps.repeat(self._num_steps)[:, None])

    def update_normaliser(self, observations: Arrays) -> None:
        """Let observations (n, ...) count in what normalises those without bounds."""
        for encoder in self._encoders:
            if encoder.normalises:
                encoder.update_normaliser(tensors_of(observations))

    def state(self) -> Arrays:
        """Arrays from which :meth:`restore` goes on."""
        arrays = {f"first.{name}": array for name, array in self._first.state().items()}
        return arrays | {f"step.{name}": array for name, array in self._step.state().items()}

    def restore(self, arrays: Arrays) -> None:
        """Continue from what :meth:`state` returned."""
        self._first.restore(below(arrays, "first"))
        self._step.restore(below(arrays, "step"))


class StateScore(CompilableModule):
    """Observations by name (n, ...) -> (n, 1)."""

    def __init__(self, space: spaces.Space):
        super().__init__()
        self.encoder = ModalityEncoder(space, categories=False)
        self.is_compilable = self.encoder.is_compilable
        self.dense, self.score = nn.Linear(self.encoder.features, UNITS), nn.Linear(UNITS, 1)

    def forward(self, given: Tensors) -> torch.Tensor:
        """By name (n, ...) -> (n, 1)."""
        return self.score(functional.relu(self.dense(self.encoder(given)[0])))

    def compile_into(self, table: LayerTable) -> Block:
        """See :meth:`.CompilableModule.compile_into`."""
        return table.dense(table.dense(compile_encoder(self.encoder, table), self.dense, relu=True), self.score)


class StepScore(CompilableModule):
    """Observations before and after, action and reward (n, ...) -> (n, 1)."""

    def __init__(self, space: spaces.Space, num_actions: int):
        super().__init__()
        self.encoder = ModalityEncoder(space, categories=False)
        self.is_compilable = self.encoder.is_compilable
        self.state = nn.Linear(self.encoder.features, UNITS)
        self.action, self.reward = nn.Linear(num_actions, UNITS), nn.Linear(1, UNITS)
        self.merge, self.score = nn.Linear(4 * UNITS, _MERGED), nn.Linear(_MERGED, 1)

    def forward(self, given: Tensors) -> torch.Tensor:
        """``before.NAME``, ``after.NAME`` (n, ...), ``action`` (n, k), ``reward`` (n, 1) -> (n, 1)."""
        around = [{name: given[f"{side}.{name}"] for name in self.encoder.readers} for side in ("before", "after")]
        seen = [self.state(self.encoder(observations)[0]) for observations in around]
        seen += [self.action(given["action"]), self.reward(given["reward"])]
        return self.score(functional.relu(self.merge(functional.relu(torch.cat(seen, dim=1)))))

    def compile_into(self, table: LayerTable) -> Block:
        """See :meth:`.CompilableModule.compile_into`."""
        seen = [
            table.dense(compile_encoder(self.encoder, table, f"{side}."), self.state, relu=True)
            for side in ("before", "after")
        ]
        for name in ("action", "reward"):
            linear = getattr(self, name)
            seen.append(table.dense(table.input(name, AsItIs(linear.in_features)), linear, relu=True))
        return table.dense(table.dense(table.join(seen), self.merge, relu=True), self.score)
