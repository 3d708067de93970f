"""Our gradient steps are those of stable-baselines3, on the same weights, minibatches and seeds."""

from copy import deepcopy
from dataclasses import replace

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from stable_baselines3 import DDPG, DQN, PPO, SAC
from stable_baselines3.common.logger import Logger
from torch import nn

from procgen_bench.baselines.methods import sac
from procgen_bench.baselines.methods.ppo import PolicyGradient
from procgen_bench.baselines.methods.ppo_settings import PPOConfiguration
from procgen_bench.baselines.parts import deterministic
from procgen_bench.baselines.parts.actor_critic import Evaluated
from procgen_bench.baselines.parts.distributions import actions_of
from procgen_bench.baselines.parts.q_learning import TorchValues
from procgen_bench.baselines.parts.replay import Transitions
from procgen_bench.baselines.parts.replay_settings import OffPolicySettings, TargetUpdates
from procgen_bench.baselines.training.learner import Rollout
from procgen_bench.testing.runs import global_generators

SEEN = spaces.Dict({"far": spaces.Box(-1, 1, (3,), np.float32), "near": spaces.Box(-1, 1, (2,), np.float32)})
REALS = spaces.Box(-1, 1, (2,), np.float32)
CHOICES = spaces.Discrete(3)
BATCH, STEPS, SHARE, RATE = 32, 6, 0.05, 1e-2


def sizes():
    """Of every model; a dict of its own, for stable-baselines3 writes into it."""
    return {"policy_kwargs": {"net_arch": [16, 16]}, "seed": 0, "device": "cpu"}


class Noise(gymnasium.Env):
    """What is seen and earned is noise."""

    observation_space = SEEN

    def __init__(self, action_space):
        self.action_space = action_space

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation_space.sample(), {}

    def step(self, action):
        return self.observation_space.sample(), float(self.np_random.normal()), False, False, {}


def off_policy_model(algorithm, space, **arguments):
    """A model with a full replay, whose minibatches are kept, and its minibatches as ours."""
    model = algorithm(
        "MultiInputPolicy",
        Noise(space),
        learning_rate=RATE,
        batch_size=BATCH,
        buffer_size=256,
        learning_starts=10**6,
        gamma=0.9,
        **sizes(),
        **arguments,
    )
    model.set_logger(Logger(None, []))
    rng = np.random.default_rng(0)
    for _ in range(model.replay_buffer.buffer_size):
        seen, following = ({name: rng.uniform(-1, 1, (1, *s.shape)) for name, s in SEEN.items()} for _ in range(2))
        action = np.array([rng.integers(3)]) if space is CHOICES else rng.uniform(-1, 1, (1, 2))
        ended = rng.random(1) < 0.3
        model.replay_buffer.add(seen, following, action, rng.normal(size=1), ended, [{}])
    with global_generators(0):  # stable-baselines3 draws minibatches by NumPy's
        drawn = [model.replay_buffer.sample(BATCH) for _ in range(STEPS)]
    left = iter(drawn)
    model.replay_buffer.sample = lambda *_, **__: next(left)
    return model, [
        Transitions(d.observations, d.actions, d.rewards.float(), d.next_observations, d.dones.float()) for d in drawn
    ]


def settings(**changed):
    return OffPolicySettings(RATE, BATCH, 0.9, TargetUpdates(SHARE, "gradient steps"), **changed)


def assert_equal(own: nn.Module, theirs: nn.Module, before: nn.Module):
    now = list(zip(own.parameters(), theirs.parameters(), before.parameters(), strict=True))
    assert any(not torch.equal(a, b) for _, a, b in now), "nothing was learned"
    for ours, other, _ in now:
        torch.testing.assert_close(ours, other, rtol=1e-5, atol=1e-6)


def test_q_learning():
    model, batches = off_policy_model(DQN, CHOICES, max_grad_norm=0.5)
    network, target = deepcopy(model.q_net), deepcopy(model.q_net_target)
    with torch.no_grad():
        for weight in [*target.parameters(), *model.q_net_target.parameters()]:
            weight.mul_(2.0)  # targets differ from values
    before = deepcopy(network)
    optimizer = torch.optim.Adam(network.parameters(), RATE)
    ours = TorchValues(network, target, optimizer, settings(), max_gradient=0.5)
    for batch in batches:
        ours.train(batch)
    model.train(STEPS, BATCH)
    assert_equal(network, model.q_net, before)


class Followed(nn.Module):
    """A critic of stable-baselines3 as ours."""

    def __init__(self, critic):
        super().__init__()
        self.critic = critic

    def forward(self, observations, actions):
        return torch.cat(self.critic(observations, actions), dim=1)


class Replayed:
    """In the place of a replay: the minibatches, behind each other."""

    def __init__(self, batches):
        self.batches = batches

    def sample(self, size):
        count, rest = size // BATCH, self.batches
        taken, self.batches = rest[:count], rest[count:]

        def joined(column):
            return torch.cat([getattr(one, column) for one in taken])

        seen, following = (
            {name: torch.cat([getattr(one, column)[name] for one in taken]) for name in SEEN}
            for column in ("observations", "next_observations")
        )
        return Transitions(seen, joined("actions"), joined("rewards"), following, joined("terminations"))


def test_deterministic_policy_gradients():
    model, batches = off_policy_model(DDPG, REALS, tau=SHARE)
    actor, critic = deepcopy(model.actor), Followed(deepcopy(model.critic))
    before = deepcopy(nn.ModuleList([actor, critic.critic]))
    optimizers = {
        name: torch.optim.Adam(net.parameters(), RATE) for name, net in (("actor", actor), ("critic", critic))
    }
    replay, rng = Replayed(batches), np.random.default_rng(0)
    learner = deterministic.DDPG(REALS, actor, critic, optimizers, replay, settings(), rng, 0.0, 0.0, action_l2=0.0)
    learner.train(STEPS)
    model.train(STEPS, BATCH)
    assert_equal(nn.ModuleList([actor, critic.critic]), nn.ModuleList([model.actor, model.critic]), before)
    targets = nn.ModuleList([learner.target_networks["actor"], learner.target_networks["critic"].critic])
    assert_equal(targets, nn.ModuleList([model.actor_target, model.critic_target]), before)


class Squashed(nn.Module):
    """An actor of stable-baselines3 as ours."""

    drawn = sac.SquashedActor.drawn

    def __init__(self, actor):
        super().__init__()
        self.actor = actor

    def forward(self, observations):
        mean, log_deviation, _ = self.actor.get_action_dist_params(observations)
        return mean, log_deviation


@pytest.mark.parametrize("weight", ["auto_0.3", 0.3])
def test_soft_actor_critic(weight, monkeypatch):
    model, batches = off_policy_model(SAC, REALS, tau=SHARE, ent_coef=weight, target_entropy=-2.0)
    before = deepcopy(nn.ModuleList([model.actor, model.critic]))
    monkeypatch.setattr(sac, "SquashedActor", lambda *_: Squashed(deepcopy(model.actor)))
    monkeypatch.setattr(sac, "TwinCritic", lambda *_: Followed(deepcopy(model.critic)))
    configuration = sac.SACConfiguration(
        batch_size=BATCH,
        learning_rate=RATE,
        discount=0.9,
        entropy_weight=0.3,
    )
    learner = sac.SAC(SEEN, REALS, configuration, np.random.default_rng(0))
    learner.settings = replace(learner.settings, target_updates=TargetUpdates(SHARE, "gradient steps"))
    if weight == 0.3:
        monkeypatch.setattr(learner.optimizers["entropy"], "step", lambda: None)  # it stays
    learner.replay = Replayed(batches)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        learner.train(STEPS)
        torch.manual_seed(1)
        model.train(STEPS, BATCH)
    ours = nn.ModuleList([learner.actor.actor, learner.critic.critic])
    assert_equal(ours, nn.ModuleList([model.actor, model.critic]), before)
    targets = learner.target_networks["critic"].critic
    assert_equal(targets, model.critic_target, before[1])
    if weight != 0.3:
        torch.testing.assert_close(learner.log_entropy_weight.detach(), model.log_ent_coef.detach())


class Chooser(nn.Module):
    """A policy of stable-baselines3 as our actor-critic."""

    memory_width = 0

    def __init__(self, policy):
        super().__init__()
        self.policy = policy
        self.value_heads = [policy.value_net]

    def prepare(self, observations):
        return observations

    def update_normaliser(self, observations):
        pass

    def read(self, observations, memory):
        features = self.policy.extract_features(observations)
        actor, critic = self.policy.mlp_extractor(features)
        return self.policy.action_net(actor), self.policy.value_net(critic)[:, 0], memory

    def forward(self, observations, memory):
        return self.read(observations, memory)

    def evaluate(self, prepared, memory, starts):
        outputs, values, _ = self.read(prepared, memory)
        return Evaluated(outputs, values, outputs, prepared)


def collected_by(model):
    """The rollout that PPO of stable-baselines3 is about to learn from, as ours; nothing ends in it."""
    buffer = model.rollout_buffer
    seen = {name: torch.as_tensor(array) for name, array in buffer.observations.items()}
    last = {name: torch.as_tensor(array) for name, array in model._last_obs.items()}
    starts = buffer.episode_starts.astype(np.bool_)
    nothing, none = torch.zeros(1, 0), np.zeros(starts.shape, np.bool_)
    return Rollout(
        observations=seen,
        actions=torch.as_tensor(buffer.actions[..., 0].astype(np.int64)),
        aux={"values": torch.as_tensor(buffer.values), "log_probabilities": torch.as_tensor(buffer.log_probs)},
        rewards=buffer.rewards,
        terminations=none,
        truncations=none,
        starts=starts,
        train=~none,
        memory=nothing,
        last_observations=last,
        last_starts=none[0],
        last_memory=nothing,
        end_observations={name: array[:0] for name, array in last.items()},
        cut_memory=nothing[:0],
        rewards_before=np.zeros(starts.shape, np.float32),
        infos={},
    )


def test_proximal_policy_optimisation():
    """Whole rollouts are one minibatch, whose order is of no account."""
    arguments = {"n_steps": 48, "batch_size": 48, "n_epochs": STEPS, "gamma": 0.9, "gae_lambda": 0.8, "ent_coef": 0.05}
    arguments |= {"clip_range": 0.02, "max_grad_norm": 0.3, "vf_coef": 0.7, "normalize_advantage": False}
    with torch.random.fork_rng(devices=[]):
        model = PPO("MultiInputPolicy", Noise(CHOICES), learning_rate=RATE, **arguments, **sizes())
        network, collect = Chooser(deepcopy(model.policy)), model.collect_rollouts
        kept = []

        def collect_and_keep(*given, **named):
            going_on = collect(*given, **named)
            kept.append(collected_by(model))
            return going_on

        model.collect_rollouts = collect_and_keep
        before = deepcopy(model.policy)
        model.learn(48)
    configuration = replace(
        PPOConfiguration(),
        learning_rate=RATE,
        minibatches=1,
        epochs=STEPS,
        discount=0.9,
        gae_lambda=0.8,
        entropy_weight=0.05,
        clip_range=0.02,
        max_gradient=0.3,
        value_weight=0.7,
        normalise=False,
    )
    learner = PolicyGradient(network, actions_of(CHOICES), configuration, np.random.default_rng(0))
    learner.update(kept[0])
    assert_equal(network.policy, model.policy, before)
