"""Compiled gradient steps of Q-learning are those of stable-baselines3's DQN, on the same minibatches."""

import numpy as np
import pytest
import torch
from tests.baselines.sb3.test_q_learner import SMALL

from procgen_bench.baselines.methods.dqn import DQNConfiguration
from procgen_bench.baselines.sb3.q_learner import QLearner
from procgen_bench.baselines.training.rollouts import Collector
from tests.baselines.training.toys import Pairs, Patience

torch.set_num_threads(1)


def taught(toy, compiled, **settings):
    """A learner whose replay holds something, and the minibatches that it draws from now on."""
    rows = toy(32)
    configuration = DQNConfiguration(**SMALL | {"learning_starts": 10**6, "max_gradient": 0.05} | settings)
    learner = QLearner(rows.space, rows.action_space, configuration, 10_000, np.random.default_rng(0))
    for _ in range(10):
        learner.update(Collector(rows, learner, configuration.rollout_steps).collect())
    minibatches = iter([learner.replay.sample(64) for _ in range(8)])
    learner.replay.sample = lambda count, env=None: next(minibatches)
    if not compiled:
        learner._updates = None
    return learner


@pytest.mark.parametrize("toy", [Patience, Pairs])
@pytest.mark.parametrize("clip_next_values", [False, True])
def test_they_are_those_of_the_algorithm(toy, clip_next_values, monkeypatch):
    monkeypatch.setattr("procgen_bench.baselines.sb3.compiled_q_updates._AT_ONCE", 1)
    ours, theirs = (taught(toy, compiled, clip_next_values=clip_next_values) for compiled in (True, False))
    assert ours._updates is not None
    before = [parameter.detach().clone() for parameter in ours.algorithm.q_net.parameters()]
    for learner in (ours, theirs):
        learner._train(5)
    pairs = zip(ours.algorithm.q_net.parameters(), theirs.algorithm.q_net.parameters(), strict=True)
    for own, other in pairs:
        np.testing.assert_allclose(own.detach().numpy(), other.detach().numpy(), rtol=1e-3, atol=2e-4)
    now = [parameter.detach() for parameter in ours.algorithm.q_net.parameters()]
    assert max(float((own - old).abs().max()) for own, old in zip(now, before, strict=True)) > 0.01
    assert ours._measures()["loss"] == pytest.approx(theirs._measures()["loss"], rel=1e-3)


class Own(torch.nn.Module):
    """A network of a person's own."""

    features = 1

    def __init__(self, space):
        super().__init__()

    def forward(self, observations):
        return next(iter(observations.values())).float().flatten(1)[:, :1]


def test_a_network_of_a_persons_own_is_left_to_the_algorithm():
    rows = Patience(32)
    configuration = DQNConfiguration(**SMALL | {"network": f"{__name__}:Own"})
    assert QLearner(rows.space, rows.action_space, configuration, 100, np.random.default_rng(0))._updates is None
