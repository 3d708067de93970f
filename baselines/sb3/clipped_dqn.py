"""stable-baselines3's DQN with APT-Gen's two stabilisers (section B.2, "Stability")."""

from collections import deque
from typing import Any

import numpy as np
import torch
from stable_baselines3 import DQN
from stable_baselines3.common.buffers import DictReplayBuffer
from torch.nn import functional

from procgen_bench.baselines.sb3.policy import head_weights
from procgen_bench.baselines.sb3.resumable import Resumable


class ClippedDQN(Resumable, DQN):
    """DQN with the paper's two stabilisers.

    Args:
        clip_next_values: Clip next Q-values to the least and greatest return of an episode in the replay.
        restore_on_drop: Put the network back to the last evaluation's when its return was above 0 and has dropped.
    """

    def __init__(self, *args, clip_next_values: bool, restore_on_drop: bool, **kwargs):
        super().__init__(*args, **kwargs)
        self.clip_next_values, self.restore_on_drop = clip_next_values, restore_on_drop
        #: Step at which each episode in the replay ended, and its return.
        self._replayed_returns: deque[tuple[int, float]] = deque()
        #: The network of the last evaluation that was no drop, and its return.
        self._kept_policy: dict[str, torch.Tensor] = {}
        self._kept_return = -np.inf

    def policy_weights(self) -> dict[str, np.ndarray]:
        """The Q-network's weights."""
        return head_weights(self.q_net.features_extractor, self.q_net.q_net[0])

    def after_evaluation(self, scores: dict[str, float]) -> None:
        """Keep the evaluated network or, if it is a drop, put the kept one back (the row says which)."""
        drops = self.restore_on_drop and self._kept_return > 0 and scores["return"] < self._kept_return
        if drops:
            self.policy.load_state_dict(self._kept_policy)
        else:
            self._kept_return = scores["return"]
            self._kept_policy = {name: tensor.clone() for name, tensor in self.policy.state_dict().items()}
        scores["restored"] = int(drops)

    def own_state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """The kept network, and the returns in the replay."""
        values = {"replayed_returns": list(self._replayed_returns), "kept_return": self._kept_return}
        return {name: tensor.numpy() for name, tensor in self._kept_policy.items()}, values

    def restore_own_state(self, arrays: dict[str, np.ndarray], values: dict[str, Any]) -> None:
        """Continue from what :meth:`own_state` returned."""
        self._kept_policy = {name: torch.as_tensor(array) for name, array in arrays.items()}
        self._kept_return = values["kept_return"]
        self._replayed_returns = deque((step, return_) for step, return_ in values["replayed_returns"])

    def _store_transition(self, replay_buffer, buffer_action, new_obs, reward, dones, infos) -> None:
        super()._store_transition(replay_buffer, buffer_action, new_obs, reward, dones, infos)
        for row in np.flatnonzero(dones):
            self._replayed_returns.append((self.num_timesteps, infos[row]["episode"]["r"]))
        while self._replayed_returns and self._replayed_returns[0][0] <= self.num_timesteps - self.buffer_size:
            self._replayed_returns.popleft()

    def train(self, gradient_steps: int, batch_size: int = 100) -> None:
        """As DQN's own, with the clipping."""
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        losses = []
        for observations, actions, targets in self._batches_with_targets(gradient_steps, batch_size):
            values = self.q_net(observations).gather(1, actions)
            loss = functional.smooth_l1_loss(values, targets)
            self.policy.optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.q_net.parameters(), self.max_grad_norm)
            self.policy.optimizer.step()
            losses.append(loss.detach())
        self._n_updates += gradient_steps
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        self.logger.record("train/loss", torch.stack(losses).mean().item())

    def _batches_with_targets(self, count: int, batch_size: int):
        """Batches for ``count`` updates, drawn and given their targets together: the target network rests between."""
        assert isinstance(self.replay_buffer, DictReplayBuffer)  # since observations are dicts
        drawn = self.replay_buffer.sample(count * batch_size)
        low, high = self._next_value_bounds()
        with torch.no_grad():
            next_values = self.q_net_target(drawn.next_observations).amax(dim=1, keepdim=True).clamp_(low, high)
            targets = drawn.rewards + (1 - drawn.dones) * self.gamma * next_values
        for start in range(0, count * batch_size, batch_size):
            rows = slice(start, start + batch_size)
            observations = {name: tensor[rows] for name, tensor in drawn.observations.items()}
            yield observations, drawn.actions[rows].long(), targets[rows]

    def _next_value_bounds(self) -> tuple[float, float]:
        if not self.clip_next_values or not self._replayed_returns:
            return -np.inf, np.inf
        returns = [return_ for _, return_ in self._replayed_returns]
        return min(returns), max(returns)
