"""QLearner: stable-baselines3's DQN with APT-Gen's two stabilisers (section B.2, "Stability")."""

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3 import DQN
from torch import nn

from procgen_bench.baselines.parts.modality_encoder import ModalityEncoder
from procgen_bench.baselines.policies.arrays import Arrays, below, network_arrays
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.baselines.sb3.compiled_q_updates import CompiledQUpdates, can_be_laid
from procgen_bench.baselines.sb3.flat_choices import FlatChoices
from procgen_bench.baselines.sb3.replay_configuration import DQNConfiguration
from procgen_bench.baselines.sb3.replay_learner import ReplayLearner
from procgen_bench.baselines.sb3.replayed_returns import ReplayedReturns
from procgen_bench.baselines.training.rollouts import Rollout

#: What an evaluation says of a policy.
_SCORES = ("return", "success", "length")


class QLearner(ReplayLearner):
    """Takes the action of the greatest value, but for a random one by the chance epsilon, row by row.

    Args:
        observation_space: Of one row.
        action_space: Of one row: discrete, or several discrete ones, which are learned as one.
        configuration: The method's settings.
        steps: Environment steps of the whole run.
        rng: What everything is drawn by.
    """

    algorithm: DQN
    configuration: DQNConfiguration
    encoder_type = ModalityEncoder

    def __init__(
        self,
        observation_space: spaces.Space,
        action_space: spaces.Space,
        configuration: DQNConfiguration,
        steps: int,
        rng: np.random.Generator,
    ):
        self.choices = FlatChoices(action_space)
        super().__init__(
            DQN,
            observation_space,
            spaces.Discrete(self.choices.count),
            configuration,
            steps,
            rng,
            target_update_interval=max(configuration.target_update_interval, configuration.num_envs),
            exploration_fraction=configuration.exploration_fraction,
            exploration_final_eps=configuration.exploration_final,
            max_grad_norm=configuration.max_gradient,
        )
        self._returns = ReplayedReturns(configuration.num_envs, self.replay.buffer_size)
        if configuration.clip_next_values:
            self.algorithm.q_net_target.register_forward_hook(self._clipped)
        #: Takes the gradient steps where it can; ``None``: the algorithm takes its own.
        self._updates = self._compiled_updates()
        #: The network of the last evaluation that was no drop, and its scores.
        self._kept_policy: Tensors = {}
        self._kept_scores = dict.fromkeys(_SCORES, -np.inf)

    @torch.inference_mode()
    def act(self, observations: Tensors, memory: torch.Tensor) -> tuple[torch.Tensor, Tensors, torch.Tensor]:
        """Actions, and the states' ``"values"``."""
        values = self._values(observations)
        best = values.argmax(dim=1)
        epsilon = 1.0 if self.acts_at_random else self.algorithm.exploration_rate
        at_random = torch.as_tensor(self.rng.random(len(best)) < epsilon, device=self.device)
        drawn = torch.as_tensor(self.rng.integers(self.choices.count, size=len(best)), device=self.device)
        return self.choices.actions(torch.where(at_random, drawn, best)), {"values": values.amax(dim=1)}, memory

    def kept_actions(self, actions: np.ndarray) -> np.ndarray:
        """The actions' numbers (T, N, 1)."""
        return self.choices.numbers(actions)[..., np.newaxis]

    def state_values(self, observations: Tensors) -> torch.Tensor:
        """The greatest value of an action."""
        return self.algorithm.q_net(observations).amax(dim=1)

    def update(self, rollout: Rollout) -> dict[str, float]:
        """As every learner from a replay, with the rewards that are learned from."""
        rollout = self.rewarded(rollout)
        self._returns.add(rollout)
        return super().update(rollout)

    def after_evaluation(self, scores: dict[str, float]) -> None:
        """Keep the evaluated network or, if it is a drop from above 0, put the kept one back.

        The row's scores become those of the network that goes on; it says also whether that one was restored, and what
        the evaluated one returned.
        """
        if not self.configuration.restore_on_drop:
            return
        scores["evaluated_return"] = scores["return"]
        drops = self._kept_scores["return"] > 0 and scores["return"] < self._kept_scores["return"]
        if drops:
            self.algorithm.policy.load_state_dict(self._kept_policy)
            scores.update(self._kept_scores)
        else:
            self._kept_scores = {name: scores[name] for name in _SCORES}
            self._kept_policy = {name: tensor.clone() for name, tensor in self.algorithm.policy.state_dict().items()}
        scores["restored"] = int(drops)

    def _values(self, observations: Tensors) -> torch.Tensor:
        if self._updates is None:
            return self.algorithm.q_net(observations)
        return torch.from_numpy(self._updates.values({name: array.numpy() for name, array in observations.items()}))

    def _compiled_updates(self) -> CompiledQUpdates | None:
        networks = (self.algorithm.q_net, self.algorithm.q_net_target)
        if self.device.type != "cpu" or not can_be_laid(networks[0]):
            return None
        return CompiledQUpdates(*networks, self.configuration)

    def _train(self, steps: int) -> None:
        if self._updates is None:
            super()._train(steps)
            return
        bounds = self._returns.bounds if self.configuration.clip_next_values else (-np.inf, np.inf)
        measures = self._updates.train(self.replay, steps, bounds)
        self.algorithm._n_updates += steps
        for name, value in measures.items():
            self.algorithm.logger.record(f"train/{name}", value)

    def policy_weights(self) -> Arrays:
        """The Q-network's weights, as :class:`.ValuePolicy` names them."""
        network = self.algorithm.q_net
        return network_arrays(nn.ModuleDict({"features": network.features_extractor, "head": network.q_net}))

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """And the kept network, and the returns in the replay."""
        arrays, values = super().state()
        arrays |= {f"kept.{name}": tensor.cpu().numpy() for name, tensor in self._kept_policy.items()}
        arrays |= {f"returns.{name}": array for name, array in self._returns.state().items()}
        if self._updates is not None:
            arrays |= {f"updates.{name}": array for name, array in self._updates.state().items()}
        return arrays, values | {"kept_scores": self._kept_scores}

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Go on from what :meth:`state` returned."""
        super().restore(arrays, values)
        kept = below(arrays, "kept")
        self._kept_policy = {name: torch.as_tensor(array, device=self.device) for name, array in kept.items()}
        self._kept_scores = values["kept_scores"]
        self._returns.restore(below(arrays, "returns"))
        if self._updates is not None:
            self._updates.restore(below(arrays, "updates"))

    def _clipped(self, network: nn.Module, given: Any, values: torch.Tensor) -> torch.Tensor:
        """Next values within the returns of the episodes in the replay: clipping each clips the greatest."""
        return values.clamp(*self._returns.bounds)
