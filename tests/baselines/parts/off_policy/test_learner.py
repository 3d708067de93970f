"""One phase of updates, and behaviour."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from procgen_bench.baselines.papers.sibling_rivalry.goal_replay_settings import GoalReplayConfiguration
from procgen_bench.baselines.parts import deterministic
from procgen_bench.baselines.parts.hierarchy import GoalPolicy
from procgen_bench.baselines.parts.replay import Transitions
from procgen_bench.baselines.parts.replay_settings import OffPolicySettings, TargetUpdates
from procgen_bench.baselines.training.contracts import CRITICISM
from procgen_bench.tasks.bit_grid.task import MOVES
from tests.baselines.parts.off_policy.beginners import ROWS, ddpg, dqn
from tests.baselines.parts.off_policy.going_on import assert_the_rate_is_the_players

MAKERS = pytest.mark.parametrize("make", [dqn, ddpg])


def begun(make, rollouts=2, **settings):
    """A learner that has learned a little, and what its rows show now."""
    collector = make(**settings)
    for _ in range(rollouts):
        collector.learner.update(collector.collect())
    seen = {name: torch.as_tensor(array) for name, array in collector.rows.observations.items()}
    return collector.learner, seen


def act(learner, seen):
    """Actions (N, ...)."""
    return learner.act(seen, torch.zeros(ROWS, 0))[0].numpy()


def targets_of(learner, batch):
    """What the values of a minibatch's actions should be."""
    return (learner.targets if hasattr(learner, "actor") else learner.q.targets)(batch)


def next_values(learner, observations):
    """Values (n, 1) of states that follow: targets without rewards or ends, of which the discount is taken."""
    nothing, actions = torch.zeros(len(observations["observation"]), 1), torch.zeros(0)
    return targets_of(learner, Transitions(observations, actions, nothing, observations, nothing)) / 0.9


def test_targets_are_the_rewards_and_what_follows():
    """With an offset to every reward, nothing after an end for good, and no further than the clip."""
    settings = OffPolicySettings(
        0.1, 4, 0.5, TargetUpdates(1.0, "updates"), reward_offset=-1.0, target_clip=(-2.0, 3.0)
    )
    column = lambda *numbers: torch.tensor(numbers)[:, None]  # noqa: E731 - three of them
    batch = Transitions({}, torch.zeros(4), column(0.0, 2.0, 1.0, -9.0), {}, column(0.0, 1.0, 0.0, 0.0))
    assert settings.targets(batch, column(1.0, 8.0, 20.0, 1.0)).tolist() == [[-0.5], [1.0], [3.0], [-2.0]]


def test_the_learning_rate_declines_to_a_tenth():
    settings = OffPolicySettings(0.1, 4, 0.5, TargetUpdates(1.0, "updates"), decline=(100, 200))
    shares = [settings.remaining_rate(steps) for steps in (0, 100, 150, 200, 300)]
    assert shares == pytest.approx([1.0, 1.0, 0.55, 0.1, 0.1])
    assert replace(settings, decline=(200, 200)).remaining_rate(300) == 1.0


@MAKERS
def test_targets_move_once_per_phase(make):
    collector = make()
    learner = collector.learner
    before = [parameter.clone() for parameter in learner.target_networks.parameters()]
    learner.update(collector.collect())
    now = zip(learner.networks.parameters(), learner.target_networks.parameters(), before)
    for parameter, target, then in now:
        assert torch.allclose(target, 0.95 * then + 0.05 * parameter, atol=1e-6)


@MAKERS
def test_targets_bootstrap_unless_the_goal_is_reached(make):
    learner, _ = begun(make)
    drawn = learner.replay.sample(640)
    assert 0.01 < drawn.terminations.mean() < 0.9
    targets = targets_of(learner, drawn)
    assert targets.shape == (640, 1)
    following = next_values(learner, drawn.next_observations)
    assert torch.allclose(targets, torch.where(drawn.terminations == 1, 1.0, 0.9 * following), atol=1e-5)


@MAKERS
def test_an_update_is_as_many_steps_as_the_settings_say(make, monkeypatch):
    collector, sizes = make(), []
    of = OffPolicySettings.targets

    def targets(settings, batch, next_values):
        sizes.append(len(batch))
        return of(settings, batch, next_values)

    monkeypatch.setattr(OffPolicySettings, "targets", targets)
    collector.learner.update(collector.collect())
    assert sizes == [32, 32, 32]


@MAKERS
def test_rollouts_of_which_nothing_may_be_learned_change_nothing(make):
    collector = make()
    learner, rollout = collector.learner, collector.collect()
    before = {name: array.copy() for name, array in learner.policy_weights().items()}
    assert learner.update(replace(rollout, train=np.zeros_like(rollout.train))) == {}
    assert all(np.array_equal(array, before[name]) for name, array in learner.policy_weights().items())


def test_dqn_bootstraps_from_the_target_networks_best_move_within_the_grid():
    learner, _ = begun(dqn)
    seen = learner.replay.sample(640).next_observations
    with torch.no_grad():
        learner.target_networks["q"][-1].bias[:4] += 1.0  # to the left, and along y
        values = learner.target_networks["q"].unmasked(seen).numpy()
        found = next_values(learner, seen)[:, 0].numpy()
        assert (np.abs(found - learner.networks["q"](seen).amax(dim=1).numpy()) > 0.5).mean() > 0.5
    y, x = np.nonzero(seen["observation"][..., 1].numpy())[1:]
    arrives = np.stack([x, y], axis=1)[:, None] + MOVES
    leaves = ((arrives < 0) | (arrives > 12)).any(axis=2)
    assert np.allclose(found, np.where(leaves, -np.inf, values).max(axis=1))
    assert not np.allclose(found, values.max(axis=1)), "some moves would lead off it"


@MAKERS
def test_values_approach_their_targets(make):
    learner, _ = begun(make)
    batch, name = learner.replay.sample(32), "loss" if make is dqn else "critic_loss"
    losses = [learner.learn(batch)[name] for _ in range(60)]
    assert losses[-1] < losses[0] / 2


#: What the published rows' learner, on stable-baselines3's DDPG, measured of the phases below.
MEASURED = [
    {
        "critic_loss": 0.42665236194928485,
        "actor_loss": -0.808904230594635,
        "value": 0.8722666104634603,
        "squared_action": 0.3142867088317871,
    },
    {
        "critic_loss": 0.24902992447217306,
        "actor_loss": -0.6562695900599161,
        "value": 0.8594511946042379,
        "squared_action": 0.5475079819864401,
    },
]


def test_ddpgs_updates_are_those_of_the_published_rows(monkeypatch):
    """But for what came since: the actor's small outputs, and a price on actions as they are played."""
    monkeypatch.setattr(deterministic, "OUTPUT_SCALE", 1.0)
    collector, rng = ddpg(action_l2=0.25 / 0.95**2), np.random.default_rng(0)
    learner = collector.learner
    with torch.no_grad():
        for parameter in learner.networks.parameters():
            parameter.copy_(torch.as_tensor(rng.normal(0, 0.2, parameter.shape)))
    learner.target_networks.load_state_dict(learner.networks.state_dict())
    acted = rng.uniform(-1, 1, (96, 2)).astype(np.float32)
    shapes = {name: kept.shape[2:] for name, kept in learner.replay.observations.items()}
    seen, following = (
        {name: torch.as_tensor(rng.integers(2, size=(96, *shape))).float() for name, shape in shapes.items()}
        for _ in range(2)
    )
    ends = torch.as_tensor(rng.integers(2, size=(96, 1))).float()
    drawn = Transitions(seen, torch.as_tensor(acted), ends, following, ends)
    monkeypatch.setattr(learner.replay, "sample", lambda count: drawn.part(0, count))
    for expected in MEASURED:
        measures = learner.update(collector.collect())
        measures["squared_action"] /= 0.95**2
        assert measures == pytest.approx(expected, rel=1e-3)


def test_dqn_steps_down_the_mean_squared_error():
    """However far off: neither are errors of more than 1 counted less, nor gradients cut."""
    learner, _ = begun(dqn)
    network, batch = learner.networks["q"], learner.replay.sample(32)
    far_off = replace(batch, rewards=batch.rewards + 100)
    values = network.unmasked(batch.observations).gather(1, batch.actions)
    loss = (values - (targets_of(learner, batch) + 100)).square().mean()
    expected = torch.autograd.grad(loss, list(network.parameters()))
    assert sum(part.square().sum() for part in expected) > 100
    assert learner.learn(far_off)["loss"] == pytest.approx(loss.item(), rel=1e-5)
    for weight, gradient in zip(network.parameters(), expected):
        assert torch.allclose(weight.grad, gradient, rtol=1e-4, atol=1e-4)


@MAKERS
def test_small_gradients_take_small_steps(make):
    """Adam's epsilon is the published source's, and added where it adds it."""
    learner = make(adam_epsilon=GoalReplayConfiguration().adam_epsilon, learning_rate=0.1).learner
    optimizer = learner.q.optimizer if make is dqn else learner.optimizers["actor"]
    weights = optimizer.param_groups[0]["params"]
    before = [weight.detach().clone() for weight in weights]
    for weight in weights:
        weight.grad = torch.full_like(weight, 1e-3)
    optimizer.step()
    step = torch.tensor(0.1 * 1e-3 / (1e-3 + 1e-3 / (1 - 0.999) ** 0.5))
    assert all(torch.allclose(then - weight, step, rtol=1e-3) for weight, then in zip(weights, before))


def test_dqn_acts_at_random_in_a_share_of_the_rows():
    learner, seen = begun(dqn)
    greedy = learner.networks["q"](seen).argmax(dim=1).numpy()
    others = np.mean([act(learner, seen) != greedy for _ in range(300)])
    assert abs(others - 0.2 * 8 / 9) < 0.02
    learner, seen = begun(dqn, epsilon=0.0)
    assert np.array_equal(act(learner, seen), learner.networks["q"](seen).argmax(dim=1))


def test_random_actions_are_all_as_likely():
    learner, seen = begun(dqn, rollouts=0, epsilon=1.0)
    counts = np.bincount(np.concatenate([act(learner, seen) for _ in range(300)]), minlength=9)
    assert counts / counts.sum() == pytest.approx(np.full(9, 1 / 9), abs=0.02)


def test_ddpg_acts_with_noise_or_at_random():
    def draws(**settings):
        learner, seen = begun(ddpg, **settings, rollouts=0)
        actions = np.stack([act(learner, seen) for _ in range(1_000)])
        assert actions.dtype == np.float32 and (np.abs(actions) <= np.float32(0.95)).all()
        with torch.no_grad():
            return learner.kept_actions(actions), learner.actor(seen).numpy()

    scaled, chosen = draws(epsilon=0.0, noise=0.0)
    assert np.allclose(scaled, chosen, atol=1e-6)
    scaled, chosen = draws(epsilon=0.0)
    assert abs((scaled - np.clip(chosen, -0.6, 0.6))[:, np.abs(chosen) < 0.6].std() - 0.1) < 0.005
    uniform, _ = draws(epsilon=1.0)
    assert abs(uniform.mean()) < 0.02
    assert abs(uniform.std() - 1 / np.sqrt(3)) < 0.01
    scaled, chosen = draws(noise=0.0)
    others = (np.abs(scaled - chosen) > 1e-5).any(axis=2)
    assert abs(others.mean() - 0.2) < 0.02
    assert 0 < others[:10].sum() < others[:10].size, "rows act at random apart from each other"


def test_large_actions_cost():
    def squared_action(action_l2):
        learner, _ = begun(ddpg, action_l2=action_l2)
        batch = learner.replay.sample(32)
        measures = [learner.learn(batch) for _ in range(40)]
        played = 0.95 * learner.actor(batch.observations)
        assert learner.learn(batch)["squared_action"] == pytest.approx(played.square().mean().item(), rel=1e-3)
        return measures[-1]["squared_action"]

    assert squared_action(100.0) < squared_action(0.0) / 10


def test_the_actor_climbs_the_critic(monkeypatch):
    """And leaves the critic as it is: its last gradients are those of its own loss."""
    learner, _ = begun(ddpg, action_l2=0.0)
    batch = learner.replay.sample(32)
    with torch.no_grad():
        perfect = learner.critic(batch.observations, batch.actions)
        before = learner.state_values(batch.observations).mean()
    monkeypatch.setattr(learner, "targets", lambda batch: perfect)
    weights = [parameter.clone() for parameter in learner.critic.parameters()]
    learner.optimizers["critic"].param_groups[0]["lr"] = 0.0
    for _ in range(20):
        learner.learn(batch)
    assert all(parameter.grad.abs().max() < 1e-6 for parameter in learner.critic.parameters())
    assert all(map(torch.equal, weights, learner.critic.parameters()))
    assert learner.state_values(batch.observations).mean() > before


def test_dqn_leaves_a_policy_that_plays_its_best_actions():
    learner, seen = begun(dqn)
    policy = GoalPolicy("BitGrid-v0", stochastic=False)
    policy.load_weights(learner.policy_weights())
    played = policy.act({name: array.numpy() for name, array in seen.items()}, np.ones(ROWS, np.bool_))
    assert np.array_equal(played, learner.networks["q"](seen).argmax(dim=1))


@MAKERS
def test_states_are_worth_what_was_learned_whatever_the_target_networks_say(make):
    learner, seen = begun(make, rollouts=0)
    worth = learner.values(seen)
    with torch.no_grad():
        for parameter in learner.target_networks.parameters():
            parameter.add_(1.0)
    assert np.array_equal(learner.values(seen), worth)
    assert np.allclose(learner.act(seen, torch.zeros(ROWS, 0))[1]["values"], worth, atol=1e-6)


@MAKERS
def test_teachers_hear_what_states_are_worth(make):
    collector = make()
    collector.rows.teacher.required_columns = CRITICISM
    rollout = collector.collect()
    played = collector.finished_episodes(rollout)
    assert len(played) >= ROWS and np.isfinite(played.value_loss).all()
    first = {name: seen[0] for name, seen in rollout.observations.items()}
    assert np.allclose(rollout.aux["values"][0], collector.learner.values(first), atol=1e-6)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
@MAKERS
def test_it_learns_on_cuda(make):
    collector = make(device="cuda")
    for _ in range(2):
        measures = collector.learner.update(collector.collect())
    assert measures and all(np.isfinite(value) for value in measures.values())
    assert all(parameter.is_cuda for parameter in collector.learner.networks.parameters())


@MAKERS
def test_the_rate_is_the_players(make):
    assert_the_rate_is_the_players(make())
