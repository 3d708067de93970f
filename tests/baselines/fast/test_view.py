"""View networks compute and learn the same in compiled code as in torch."""

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
import torch
from gymnasium import spaces

from procgen_bench.baselines.fast.ppo import FastPolicyGradient, twin_of
from procgen_bench.baselines.methods.ppo import PolicyGradient
from procgen_bench.baselines.methods.ppo_settings import PPOConfiguration, RecurrentPPOConfiguration
from procgen_bench.baselines.parts.actor_critic import ActorCritic
from procgen_bench.baselines.parts.distributions import actions_of
from procgen_bench.baselines.parts.view_network import ViewNetwork
from procgen_bench.baselines.training.learner import Rollout
from procgen_bench.core.errors import InvalidOptionError
from tests.baselines.fast.agreement import assert_gradients_agree, assert_updates_agree
from tests.baselines.training.toys import ToyRows, learn

STEPS, ROWS = 12, 25
#: Several pictures, one of them with numbers that are no categories, and what is no picture.
VIEW = {"direction": spaces.Box(0, 1, (4,), np.uint8), "image": spaces.Box(0, 8, (5, 6, 3), np.uint8)}
VIEW |= {"near": spaces.Box(0, 1, (4, 3), np.float32), "place": spaces.Box(-1.0, 1.0, (2,), np.float32)}
VIEW |= {"kinds": spaces.Box(1, 3, (4,), np.uint8)}
#: Leaves, layers, the memory's units, the network's name, the memory's kind, and the width of the heads' layers.
NETWORKS = {
    "alone": ({"near": VIEW["near"]}, 1, 0, "view", "gru", 0),
    "view": (VIEW, 1, 0, "view", "gru", 5),
    "view, gru": (VIEW, 2, 6, "view", "gru", 0),
    "view, lstm, as published": (VIEW, 0, 6, "view", "lstm", 5),
    "flat, lstm": ({name: VIEW[name] for name in ("direction", "image")}, 0, 6, "", "lstm", 5),
}
UPDATES = 40
ACTIONS = spaces.MultiDiscrete([3, 2])
SETTINGS = PPOConfiguration(width=8, minibatches=2, epochs=2, entropy_weight=0.5)


def drawn(leaf, rng, count):
    if leaf.dtype == np.float32 and leaf.low.min() < 0:
        return rng.uniform(leaf.low, leaf.high, (count, *leaf.shape)).astype(np.float32)
    values = rng.integers(leaf.low, leaf.high + 1, (count, *leaf.shape)).astype(leaf.dtype)
    if leaf.dtype == np.float32:
        values[0, 0, :3] = 0.5, -1, 2  # no categories
    return values


def observed(leaves, rng, count):
    return {name: torch.as_tensor(drawn(leaf, rng, count)) for name, leaf in leaves.items()}


def learners(name, **settings):
    """One that is compiled and one that is not, with the same weights, none of which is zero."""
    leaves, *sizes = NETWORKS[name]
    actions = actions_of(ACTIONS)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        made = ActorCritic(spaces.Dict(leaves), actions.sizes, SETTINGS.width, *sizes)
        with torch.no_grad():
            for parameter in made.parameters():
                parameter.add_(0.1 * torch.randn(parameter.shape))
    configuration = replace(SETTINGS, **settings)
    compiled, plain = (
        PolicyGradient(deepcopy(made), actions, configuration, np.random.default_rng(1)) for _ in range(2)
    )
    twin = twin_of(compiled)
    assert isinstance(twin, FastPolicyGradient)
    return twin, plain


@pytest.fixture(params=NETWORKS)
def name(request):
    return request.param


@pytest.fixture
def rollout(name):
    """One with random contents: actions that the policy has, others' log-probabilities, and ends of episodes."""
    rng, leaves, width = np.random.default_rng(5), NETWORKS[name][0], learners(name)[1].memory_width
    shape = (STEPS, ROWS)
    ends = rng.random(shape) < 0.1
    seen = observed(leaves, rng, STEPS * ROWS)
    return Rollout(
        observations={key: array.unflatten(0, shape) for key, array in seen.items()},
        actions=torch.as_tensor(rng.integers(ACTIONS.nvec, size=(*shape, 2))),
        aux={
            "log_probabilities": torch.as_tensor(rng.normal(-1.8, 0.3, shape), dtype=torch.float32),
            "values": torch.as_tensor(rng.normal(size=shape), dtype=torch.float32),
        },
        rewards=rng.normal(size=shape).astype(np.float32),
        terminations=ends,
        truncations=np.zeros(shape, bool),
        starts=np.concatenate([rng.random((1, ROWS)) < 0.3, ends[:-1]]),
        train=rng.random(shape) < 0.9,
        memory=torch.as_tensor(rng.normal(size=(ROWS, width)), dtype=torch.float32),
        last_observations=observed(leaves, rng, ROWS),
        last_starts=ends[-1],
        last_memory=torch.as_tensor(rng.normal(size=(ROWS, width)), dtype=torch.float32),
        end_observations=observed(leaves, rng, int(ends.sum())),
        cut_memory=torch.zeros(0, width),
        rewards_before=np.zeros(shape, np.float32),
        infos={},
    )


def test_it_acts_as_torch_does(name):
    rng, (ours, theirs) = np.random.default_rng(2), learners(name)
    seen = observed(NETWORKS[name][0], rng, 300)
    memory = torch.as_tensor(rng.normal(size=(300, ours.memory_width)), dtype=torch.float32)
    (actions, aux, after), (others, other_aux, other_after) = (each.act(seen, memory) for each in (ours, theirs))
    assert (actions == others).all() and all(len(np.unique(column)) == size for column, size in zip(actions.T, (3, 2)))
    np.testing.assert_allclose(after, other_after, atol=1e-6)
    for key, column in aux.items():
        np.testing.assert_allclose(column, other_aux[key], atol=2e-6, err_msg=key)


def test_gradients_are_those_of_autograd(name, rollout):
    ours, theirs = learners(name, minibatches=1, epochs=1, learning_rate=0.0, max_gradient=1e9)
    measures = ours.update(rollout), theirs.update(rollout)
    assert measures[0] == pytest.approx(measures[1], rel=1e-5, abs=1e-6)
    assert_gradients_agree(ours, theirs, 1e-6)


def test_updates_are_those_of_torch(name, rollout):
    ours, theirs = learners(name)
    assert_updates_agree(ours, theirs, rollout, 1e-3, 3e-4)


class Spotted(ToyRows):
    """The first view shows a tile of one of two kinds; the action two steps later must name the kind. Best: 1."""

    space = spaces.Dict({"last": spaces.Box(0.0, 1.0, (1,), np.float32), "view": spaces.Box(0, 4, (5, 5), np.uint8)})
    action_space = spaces.Discrete(2)
    horizon = 99

    def seen(self):
        view = self.rng.integers(2, 5, (self.num_rows, 25))
        places = self.rng.integers(25, size=self.num_rows)
        view[np.arange(self.num_rows), places] = np.where(self.elapsed == 0, self.cues, 2)
        return {
            "last": (self.elapsed == 2)[:, None].astype(np.float32),
            "view": view.reshape(-1, 5, 5).astype(np.uint8),
        }

    def judged(self, actions):
        last = self.elapsed == 2
        return np.where(last, actions == self.cues, 0.0), last


@pytest.mark.parametrize("kind", ["gru", "lstm"])
def test_it_learns_what_torch_learns(kind):
    """Both curves agree, and end where only a network that remembers the view can get."""
    actions = actions_of(Spotted.action_space)
    settings = RecurrentPPOConfiguration(rollout_steps=15, learning_rate=5e-3)
    curves = []
    for compile_it in (twin_of, lambda learner: learner):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            network = ActorCritic(Spotted.space, actions.sizes, 8, 0, 16, "view", kind, 8)
        learner = compile_it(PolicyGradient(network, actions, settings, np.random.default_rng(0)))
        rows, curve = Spotted(), []
        for _ in range(UPDATES // 10):
            learn(rows, learner, 10)
            curve.append(rows.score())
        curves.append(curve)
    assert min(curve[-1] for curve in curves) > 0.9
    np.testing.assert_allclose(*curves, atol=0.1)


def test_a_view_needs_a_picture():
    with pytest.raises(InvalidOptionError, match=r"network is 'view'.*objects, position"):
        ViewNetwork(spaces.Dict({"objects": spaces.Box(0, 3, (9,)), "position": spaces.Box(0, 3, (2, 8))}))
