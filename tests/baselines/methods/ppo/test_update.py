"""What one update of PPO learns from, and how far it goes: each rule against what its sabotaged copy would do."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from procgen_bench.baselines.fast.ppo import twin_of
from procgen_bench.baselines.methods.ppo import PolicyGradient, minibatches_of
from procgen_bench.baselines.methods.ppo_settings import PPOConfiguration
from procgen_bench.baselines.parts.actor_critic import ActorCritic
from procgen_bench.baselines.parts.distributions import actions_of
from procgen_bench.baselines.parts.policy_gradient import policy_gradient_loss
from procgen_bench.baselines.training.curve_scores import evaluate
from procgen_bench.baselines.training.method import cooling
from procgen_bench.baselines.training.rollouts import Collector
from procgen_bench.core.benchmarks import get_benchmark
from tests.baselines.training.toys import Recall

SETTINGS = PPOConfiguration(width=8, layers=1, minibatches=1, epochs=1)


def learner_of(memory=0, compiled=True, **settings):
    toy, actions = Recall, actions_of(Recall.action_space)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        network = ActorCritic(toy.space, actions.sizes, 8, 1, memory)
    configuration = replace(SETTINGS, memory=memory, **settings)
    learner = PolicyGradient(network, actions, configuration, np.random.default_rng(0))
    return twin_of(learner) if compiled else learner


def collected(memory=0, steps=6, compiled=True, **settings):
    """A learner, and a rollout of its that half of the rows may be learned from."""
    learner = learner_of(memory, compiled, **settings)
    rows = Recall(num_rows=8)
    rows.train = np.arange(8) % 2 == 0
    return learner, Collector(rows, learner, steps).collect()


def updated(learner, rollout):
    learner.update(rollout)
    return learner.policy_weights()


@pytest.mark.parametrize("compiled", [False, True])
def test_the_learning_rate_is_the_players(compiled):
    """It may change while a run goes on."""
    learner, rollout = collected(compiled=compiled)
    before = {name: array.copy() for name, array in learner.policy_weights().items()}
    learner.rates["learning_rate"] = 0.0
    unchanged = updated(learner, rollout)
    assert all((before[name] == unchanged[name]).all() for name in before)
    learner.rates["learning_rate"] = 0.1
    changed = updated(learner, rollout)
    assert any((before[name] != changed[name]).any() for name in before)


@pytest.mark.parametrize(("memory", "compiled"), [(0, False), (0, True), (4, False)])
@pytest.mark.parametrize("normalise", [False, True])
def test_steps_that_may_not_be_learned_from_change_nothing(memory, compiled, normalise):
    """Neither in the loss nor in what advantages are normalised by, also where they share a minibatch of rows."""
    weights = []
    for reward in (0.0, 1_000.0):
        learner, rollout = collected(memory, compiled=compiled, normalise=normalise)
        rewards = np.where(rollout.train, rollout.rewards, np.float32(reward))
        # In rows with memory some of a row's steps may be learned from, and others not.
        train = rollout.train.copy()
        if memory:
            train[rollout.starts.cumsum(axis=0) > 1] = False
            rewards = np.where(train | ~rollout.train, rewards, np.float32(reward))
        weights.append(updated(learner, replace(rollout, rewards=rewards, train=train)))
    first, second = weights
    assert all(np.allclose(first[name], second[name], atol=1e-6) for name in first)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_run_cools_down_over_its_last_part(compiled):
    """What is left of the rates is what they are multiplied by; from the last step on nothing is learned."""
    weights = []
    for share, rates in ((1.0, {"learning_rate": 5e-4, "entropy_weight": 0.25}), (0.5, {}), (0.0, {})):
        learner, rollout = collected(compiled=compiled, learning_rate=1e-3, entropy_weight=0.5)
        learner.rates, learner.share_left = {**learner.rates, **rates}, lambda left=share: left
        before = {name: array.copy() for name, array in learner.policy_weights().items()}
        weights.append(updated(learner, rollout))
    assert all(np.array_equal(weights[0][name], array) for name, array in weights[1].items())
    assert all(np.array_equal(before[name], array) for name, array in weights[2].items())
    assert any(not np.array_equal(before[name], array) for name, array in weights[1].items())
    rows = Recall()
    left = cooling(0.25, rows, 1_000)
    for rows.steps, expected in ((0, 1.0), (750, 1.0), (800, 0.8), (1_000, 0.0)):
        assert left() == pytest.approx(expected) and cooling(0.0, rows, 1_000)() == 1.0


def loss_gradient(ratio, advantage, clip_range):
    log_probability = torch.zeros(1, requires_grad=True)
    kept = {"log_probabilities": -torch.tensor([np.log(ratio)]).float(), "advantages": torch.tensor([advantage])}
    kept |= {"returns": torch.zeros(1), "weights": torch.ones(1)}
    loss, _ = policy_gradient_loss(log_probability, torch.zeros(1), torch.zeros(1), kept, clip_range, 0.5, 0.0)
    loss.backward()
    return float(log_probability.grad)


@pytest.mark.parametrize(
    ("ratio", "advantage", "moves"),
    [(1.1, 1.0, True), (1.3, 1.0, False), (0.7, 1.0, True), (1.3, -1.0, True), (0.7, -1.0, False)],
)
def test_a_ratio_beyond_the_clip_range_gains_nothing_more(ratio, advantage, moves):
    assert (loss_gradient(ratio, advantage, 0.2) != 0) == moves
    assert loss_gradient(ratio, advantage, 0.0) == pytest.approx(-advantage), "the plain policy gradient"


@pytest.mark.parametrize("compiled", [False, True])
def test_an_update_ends_before_the_step_at_which_the_policy_has_moved_too_far(compiled):
    """One minibatch, so steps are epochs; without a bound each takes the policy further away."""
    far = {"compiled": compiled, "learning_rate": 0.05, "entropy_weight": 0.0, "normalise": False}
    means = [update_of(epochs, **far)[1]["divergence"] for epochs in (1, 2, 3, 4)]
    # From the means over all steps so far, the divergence that each of them began with.
    before = np.diff(np.array([0.0, *means]) * np.arange(5))
    assert before[0] == pytest.approx(0, abs=1e-6) and (np.diff(before) > 1e-4).all()
    for epochs in (1, 2, 3):
        bounded, measures = update_of(4, max_kl=before[epochs - 1 : epochs + 1].mean(), **far)
        expected, others = update_of(epochs, **far)
        assert all(np.array_equal(bounded[name], expected[name]) for name in bounded) and measures == others


def update_of(epochs, **settings):
    """Weights and measures of one update."""
    learner, rollout = collected(epochs=epochs, **settings)
    measures = learner.update(rollout)
    return learner.policy_weights(), measures


def test_the_divergence_is_measured_over_the_steps_that_are_learned_from():
    now = torch.log(torch.tensor([0.5, 0.25, 0.9]))
    kept = {"log_probabilities": torch.log(torch.tensor([0.25, 0.5, 0.1])), "weights": torch.tensor([1.0, 1.0, 0.0])}
    kept |= dict.fromkeys(("advantages", "returns"), torch.zeros(3))
    _, measures = policy_gradient_loss(now, torch.zeros(3), torch.zeros(3), kept, 0.2, 0.5, 0.0)
    expected = ((2 - 1 - np.log(2)) + (0.5 - 1 + np.log(2))) / 2
    assert measures["divergence"] == pytest.approx(expected)


def test_gradients_are_cut_to_their_greatest_norm():
    """Plain gradient steps of rate 1: what the weights move by is the gradient."""
    moved = []
    for greatest in (1e-3, 1e-2):
        learner, rollout = collected(compiled=False, max_gradient=greatest)
        learner.optimizer = torch.optim.SGD(learner.network.parameters(), lr=1.0)
        learner.rates = {**learner.rates, "learning_rate": 1.0}
        before = learner.policy_weights()
        after = updated(learner, rollout)
        moved.append(np.sqrt(sum(((after[name] - before[name]) ** 2).sum() for name in before)))
    assert moved == pytest.approx([1e-3, 1e-2], rel=1e-3)


@pytest.mark.parametrize("memory", [0, 4])
def test_minibatches_are_drawn_at_random_and_hold_every_step_once(memory):
    learner, rollout = collected(memory)
    numbers = np.arange(rollout.rewards.size, dtype=np.float32).reshape(rollout.rewards.shape)
    orders = []
    for seed in (0, 1):
        parts = minibatches_of(rollout, learner.network.prepare, numbers, 2, np.random.default_rng(seed))
        advantages = torch.cat([part.kept["advantages"] for part in parts]).numpy()
        weights = torch.cat([part.kept["weights"] for part in parts]).numpy()
        orders.append(advantages[weights > 0].tolist())
        assert sorted(orders[-1]) == sorted(numbers[rollout.train].tolist())
    assert orders[0] != orders[1] and all(order != sorted(order) for order in orders)


def test_evaluations_spread_over_the_suite(monkeypatch):
    """Not the first tasks, which are the easiest of a graded suite."""
    played = []

    def noted(policy, environment_id, tasks, seeds):
        played.extend(tasks)
        raise InterruptedError

    monkeypatch.setattr("procgen_bench.baselines.training.curve_scores.play_episodes", noted)
    benchmark = get_benchmark("grid-world/graded")
    suite = list(benchmark.task_suite().tasks)
    with pytest.raises(InterruptedError):
        evaluate(type("Seeded", (), {"seed": lambda self, seed: None})(), benchmark, 5, 1)
    places = [suite.index(task) for task in played]
    assert places == [round(place) for place in np.linspace(0, len(suite) - 1, 5)]


@pytest.mark.parametrize("compiled", [False, True])
def test_every_setting_of_the_update_reaches_it(compiled):
    """Each changes what the same rollout is learned as."""
    learner, rollout = collected(compiled=compiled)
    usual = updated(learner, rollout)
    others = {
        "learning_rate": 1e-2, "minibatches": 3, "epochs": 2, "discount": 0.5, "gae_lambda": 0.5, "clip_range": 1e-4,
        "max_kl": 1e-6, "entropy_weight": 0.5, "barrier_weight": 0.5, "value_weight": 5.0, "max_gradient": 1e-4,
        "normalise": False, "optimiser": "rmsprop",
    }  # fmt: skip
    for name, value in others.items():
        more = {"epochs": 4} if name in ("clip_range", "max_kl") else {}
        base = updated(*collected(compiled=compiled, **more)) if more else usual
        changed = updated(*collected(compiled=compiled, **{name: value}, **more))
        assert any(not np.array_equal(base[key], changed[key]) for key in base), name
