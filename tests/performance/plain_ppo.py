"""PPO as people write it in sixty lines, after CleanRL's: the peer that :mod:`bench_ppo` times.

The environment begins the next episode itself, every observation is encoded once, and the rollout keeps it encoded;
layers, batches and epochs are ours.
"""

import gymnasium
import torch
from torch import nn
from torch.distributions import Categorical

from procgen_bench.baselines.methods.ppo_settings import PPOConfiguration
from procgen_bench.baselines.parts.encoders import SpaceEncoder
from procgen_bench.baselines.policies.tensors import tensors_of


def dense(inputs: int, outputs: int, gain: float = 2**0.5) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


class PlainPPO:
    """Trains in a native vector environment that resets ended rows within the step."""

    def __init__(self, env: gymnasium.vector.VectorEnv, settings: PPOConfiguration):
        self.env, self.settings = env, settings
        self.encoder, width = SpaceEncoder(env.single_observation_space), settings.width
        self.trunk = nn.Sequential(dense(self.encoder.features, width), nn.ReLU(), dense(width, width), nn.ReLU())
        self.actor, self.critic = dense(width, env.single_action_space.n, 0.01), dense(width, 1, 1.0)
        self.parameters = [*self.trunk.parameters(), *self.actor.parameters(), *self.critic.parameters()]
        self.optimizer = torch.optim.Adam(self.parameters, lr=settings.learning_rate, eps=1e-5)
        shape = (settings.rollout_steps, env.num_envs)
        self.features = torch.zeros(*shape, self.encoder.features)
        self.actions, self.log_probs, self.rewards, self.dones, self.values = (torch.zeros(shape) for _ in range(5))
        self.now, self.done = self.encode(env.reset(seed=0)[0]), torch.zeros(env.num_envs)

    def encode(self, observations) -> torch.Tensor:
        with torch.no_grad():
            return self.encoder(tensors_of(observations))[0]

    def evaluate(self, features: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        hidden = self.trunk(features)
        return Categorical(logits=self.actor(hidden)), self.critic(hidden).flatten()

    def train_once(self) -> None:
        """One rollout, and the update on it."""
        settings = self.settings
        for t in range(settings.rollout_steps):
            self.features[t], self.dones[t] = self.now, self.done
            with torch.no_grad():
                chances, self.values[t] = self.evaluate(self.now)
                action = chances.sample()
            self.actions[t], self.log_probs[t] = action, chances.log_prob(action)
            observations, rewards, terminations, truncations, _ = self.env.step(action.numpy())
            self.rewards[t] = torch.as_tensor(rewards)
            self.now, self.done = self.encode(observations), torch.as_tensor(terminations | truncations).float()
        with torch.no_grad():
            following = self.evaluate(self.now)[1]
        advantages, later, going_on = torch.zeros_like(self.rewards), 0.0, 1 - self.done
        for t in reversed(range(settings.rollout_steps)):
            error = self.rewards[t] + settings.discount * following * going_on - self.values[t]
            advantages[t] = later = error + settings.discount * settings.gae_lambda * going_on * later
            following, going_on = self.values[t], 1 - self.dones[t]
        features, actions, old = self.features.flatten(0, 1), self.actions.flatten(), self.log_probs.flatten()
        returns, advantages = (advantages + self.values).flatten(), advantages.flatten()
        for _ in range(settings.epochs):
            for part in torch.randperm(len(actions)).chunk(settings.minibatches):
                chances, values = self.evaluate(features[part])
                ratio = (chances.log_prob(actions[part]) - old[part]).exp()
                gains = (advantages[part] - advantages[part].mean()) / (advantages[part].std() + 1e-8)
                clipped = ratio.clamp(1 - settings.clip_range, 1 + settings.clip_range)
                loss = -torch.min(gains * ratio, gains * clipped).mean()
                loss = loss + settings.value_weight * ((values - returns[part]) ** 2).mean()
                loss = loss - settings.entropy_weight * chances.entropy().mean()
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.parameters, settings.max_gradient)
                self.optimizer.step()
