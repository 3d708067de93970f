"""PPO on a vector environment as single-file implementations write it: the peer that :mod:`bench_ppo` times.

Tensors of T x N steps, a loop over time for the advantages, flat minibatches; a network of the same parts and size.
"""

import torch
from torch import nn
from torch.distributions import Categorical

from procgen_bench.baselines.parts.encoders import SpaceEncoder
from procgen_bench.baselines.policies.tensors import Tensors, tensors_of

DISCOUNT, DECAY, CLIP, ENTROPY, VALUE, MAX_GRADIENT = 0.99, 0.95, 0.2, 0.01, 0.5, 0.5


class PlainPPO:
    """Trains on a :class:`stable_baselines3.common.vec_env.VecEnv`.

    Args:
        env: Its rows begin their next episode within the step.
        num_steps: T.
        epochs, minibatches: Of each update.
        width: Numbers in the two dense layers that actor and critic share.
        learning_rate: Step size of Adam.
    """

    def __init__(self, env, num_steps: int, epochs: int, minibatches: int, width: int, learning_rate: float):
        self.env, self.num_steps, self.epochs, self.minibatches = env, num_steps, epochs, minibatches
        self.encoder = SpaceEncoder(env.observation_space)
        layers = (_dense(self.encoder.features, width), nn.ReLU(), _dense(width, width), nn.ReLU())
        self.trunk = nn.Sequential(*layers)
        self.actor, self.critic = _dense(width, env.action_space.n, 0.01), _dense(width, 1, 1.0)
        self.parameters = [
            weight for part in (self.encoder, self.trunk, self.actor, self.critic) for weight in part.parameters()
        ]
        self.optimizer = torch.optim.Adam(self.parameters, lr=learning_rate, eps=1e-5)
        rows = env.num_envs
        self.observations = {
            name: torch.zeros(num_steps, rows, *leaf.shape) for name, leaf in env.observation_space.items()
        }
        self.actions, self.log_probabilities, self.rewards, self.values, self.starts = (
            torch.zeros(num_steps, rows) for _ in range(5)
        )
        self.seen, self.started = tensors_of(env.reset()), torch.ones(rows)

    def train_once(self) -> None:
        """One rollout, and the update on it."""
        for t in range(self.num_steps):
            self.starts[t] = self.started
            for name, array in self.seen.items():
                self.observations[name][t] = array
            with torch.no_grad():
                chances, self.values[t] = self._judge(self.seen)
                actions = chances.sample()
            self.actions[t], self.log_probabilities[t] = actions, chances.log_prob(actions)
            observations, rewards, ends, _ = self.env.step(actions.numpy())
            self.rewards[t] = torch.as_tensor(rewards)
            self.seen, self.started = tensors_of(observations), torch.as_tensor(ends, dtype=torch.float32)
        advantages = self._advantages()
        self._update(advantages.flatten(), (advantages + self.values).flatten())

    def _advantages(self) -> torch.Tensor:
        with torch.no_grad():
            _, following = self._judge(self.seen)
        advantages, later, going_on = torch.zeros_like(self.rewards), 0.0, 1 - self.started
        for t in reversed(range(self.num_steps)):
            error = self.rewards[t] + DISCOUNT * following * going_on - self.values[t]
            later = error + DISCOUNT * DECAY * going_on * later
            advantages[t], following, going_on = later, self.values[t], 1 - self.starts[t]
        return advantages

    def _update(self, advantages: torch.Tensor, returns: torch.Tensor) -> None:
        observations = {name: array.flatten(0, 1) for name, array in self.observations.items()}
        actions = self.actions.flatten()
        log_probabilities = self.log_probabilities.flatten()
        for _ in range(self.epochs):
            for chosen in torch.randperm(len(actions)).chunk(self.minibatches):
                chances, values = self._judge({name: array[chosen] for name, array in observations.items()})
                ratios = (chances.log_prob(actions[chosen]) - log_probabilities[chosen]).exp()
                gains = (advantages[chosen] - advantages[chosen].mean()) / (advantages[chosen].std() + 1e-8)
                gain = torch.min(gains * ratios, gains * ratios.clamp(1 - CLIP, 1 + CLIP)).mean()
                value_loss = ((values - returns[chosen]) ** 2).mean()
                loss = VALUE * value_loss - gain - ENTROPY * chances.entropy().mean()
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.parameters, MAX_GRADIENT)
                self.optimizer.step()

    def _judge(self, observations: Tensors) -> tuple[Categorical, torch.Tensor]:
        features = self.trunk(self.encoder(observations)[0])
        return Categorical(logits=self.actor(features)), self.critic(features).flatten()


def _dense(inputs: int, outputs: int, gain: float = 2**0.5) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer
