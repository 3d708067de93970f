"""V-MPO solves toys that know their answer, and its sabotaged copies do not."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from gymnasium import spaces

from procgen_bench.baselines.methods import vmpo
from procgen_bench.baselines.methods.vmpo import VMPO, weighted_likelihood
from procgen_bench.baselines.methods.vmpo_settings import VMPOConfiguration
from procgen_bench.baselines.papers.open_ended.agents import AgentVMPO
from procgen_bench.baselines.papers.open_ended.agents_settings import AgentVMPOConfiguration
from procgen_bench.baselines.parts.actor_critic import ActorCritic
from procgen_bench.baselines.parts.distributions import BoundedActions, actions_of
from procgen_bench.baselines.training.rollouts import Collector
from tests.baselines.training.toys import Aim, Endless, Paid, Patience, Poisoned, Recall, SixHeads, learn

torch.set_num_threads(1)  # small networks gain nothing from more

SMALL = {"width": 32, "layers": 1, "learning_rate": 1e-2, "rollout_steps": 8, "minibatches": 4, "kl_bound": 0.05}


def built(rows, seed=0, **settings):
    configuration = VMPOConfiguration(**SMALL | settings)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        actions = actions_of(rows.action_space)
        sizes = configuration.width, configuration.layers, configuration.memory
        network = ActorCritic(rows.space, actions.sizes, *sizes)
    return VMPO(network, actions, configuration, np.random.default_rng(seed))


def trained(toy, updates, **settings):
    rows = toy()
    learner = built(rows, **settings)
    learn(rows, learner, updates)
    return rows, learner


@pytest.mark.parametrize(
    ("toy", "updates", "settings", "least"),
    [
        pytest.param(Recall, 60, {"memory": 16}, 0.95, id="recall", marks=pytest.mark.slow),
        pytest.param(Patience, 30, {}, 0.9, id="patience"),
        pytest.param(Poisoned, 20, {}, 0.95, id="poisoned"),
        pytest.param(SixHeads, 20, {}, 0.95, id="six heads"),
        pytest.param(Aim, 80, {}, 0.6, id="aim", marks=pytest.mark.slow),
        pytest.param(SixHeads, 60, {"target_period": 50}, 0.9, id="the policy that acts rests", marks=pytest.mark.slow),
    ],
)
def test_it_solves_what_has_an_answer(toy, updates, settings, least):
    assert trained(toy, updates, **settings)[0].score() > least


def test_what_is_cut_off_goes_on():
    assert trained(Endless, 30)[0].score() == pytest.approx(0.4, abs=0.05)


@pytest.mark.parametrize(
    ("toy", "updates", "settings", "most"),
    [
        pytest.param(Recall, 60, {}, 0.65, id="no memory", marks=pytest.mark.slow),
        pytest.param(Patience, 60, {"discount": 0.5}, 0.5, id="discount halved", marks=pytest.mark.slow),
        pytest.param(SixHeads, 20, {"learning_rate": 0.0}, 0.6, id="no learning rate"),
        pytest.param(SixHeads, 20, {"entropy_weight": 10.0}, 0.7, id="entropy above all", marks=pytest.mark.slow),
    ],
)
def test_settings_without_which_it_does_not(toy, updates, settings, most):
    assert trained(toy, updates, **settings)[0].score() < most


def test_it_does_not_learn_where_it_is_bound_to_where_it_is(monkeypatch):
    monkeypatch.setattr(vmpo, "_KL_WEIGHT", 1e4)
    assert trained(SixHeads, 20, kl_bound=1e-6)[0].score() < 0.6


def _least_advantages(monkeypatch):
    honest = vmpo.weighted_likelihood
    monkeypatch.setattr(vmpo, "weighted_likelihood", lambda logs, gains, *others: honest(logs, -gains, *others))


def _learns_from_all(monkeypatch):
    split = vmpo.minibatches_of

    def everything(rollout, *arguments):
        rollout.train[:] = True
        return split(rollout, *arguments)

    monkeypatch.setattr(vmpo, "minibatches_of", everything)


@pytest.mark.parametrize(
    ("sabotage", "toy", "passes"),
    [
        pytest.param(_least_advantages, SixHeads, lambda score: score > 0.5, id="the least advantages"),
        pytest.param(_learns_from_all, Poisoned, lambda score: score > 0.5, id="learns from all rows"),
    ],
)
def test_sabotaged_copies_are_caught(sabotage, toy, passes, monkeypatch):
    sabotage(monkeypatch)
    assert not passes(trained(toy, 20)[0].score())


def test_the_upper_half_is_weighed_by_a_softmax():
    advantages, logs = torch.tensor([1.0, -5.0, 3.0, 0.5]), torch.tensor([-1.0, -2.0, -3.0, -4.0], requires_grad=True)
    temperature = torch.tensor(2.0, requires_grad=True)
    policy_loss, temperature_loss = weighted_likelihood(logs, advantages, temperature, 0.5, 0.1)
    share = math.exp(1.5) / (math.exp(1.5) + math.exp(0.5))
    assert policy_loss.item() == pytest.approx(3 * share + 1 * (1 - share))
    assert temperature_loss.item() == pytest.approx(2 * (0.1 + math.log((math.exp(1.5) + math.exp(0.5)) / 2)))
    policy_loss.backward()
    assert temperature.grad is None, "the policy's loss is none of the temperature's"
    assert logs.grad.tolist() == pytest.approx([share - 1, 0, -share, 0])
    assert weighted_likelihood(logs[:1], advantages[:1], temperature, 0.5, 0.1)[0].item() == 1.0, "one step at least"


def test_the_bound_is_of_the_mean_divergence_over_all_steps_that_may_be_learned_from(monkeypatch):
    """Not over those of the greatest advantages alone, nor over those that may not be learned from.

    The fourth head has moved from 1/2 to 3/4 for its first action where the cue is 1, and nothing else has. Of the four
    valid steps, those are the two without a reward; and they are all of the invalid ones.
    """
    rows = SixHeads(4)
    settings = {"layers": 0, "memory": 1, "epochs": 1, "minibatches": 1, "learning_rate": 0.0}
    monkeypatch.setattr(vmpo, "_KL_WEIGHT", 2.0)
    learner = built(rows, **settings)
    with torch.no_grad():
        for parameter in (*learner.network.parameters(), *learner.acting.parameters()):
            parameter.zero_()
        seen, moved = learner.network.memory.seen, learner.network.actor.heads[3]
        seen.weight[2], seen.bias[1] = 100.0, -100.0  # the memory is -1 where the cue is 0, and 1 where it is 1
        moved.weight[0] = moved.bias[0] = math.log(3) / 2
    cues = np.array([[0, 0, 1, 1], [1, 1, 1, 1]], np.float32)
    seen_cues = {"cue": torch.as_tensor(cues[:, :, None])}
    rollout = Collector(rows, learner, 2).collect()
    rollout = replace(rollout, observations=seen_cues, rewards=1 - cues, train=np.array([[True] * 4, [False] * 4]))
    measures = learner.update(rollout)
    where_moved = 0.5 * math.log(0.5 / 0.75) + 0.5 * math.log(0.5 / 0.25)
    assert measures["divergence"] == pytest.approx(where_moved / 2)
    # Steps with a reward, where the memory is -1, pull the weight one way and the bias the other. Their sum is pulled
    # by the bound alone: with its weight 2, at half of the steps, and both by 3/4 - 1/2.
    assert (moved.weight.grad[0] + moved.bias.grad[0]).item() == pytest.approx(2.0 * 0.5 * 2 * 0.25)


def test_the_weight_of_the_bound_rises_while_the_policy_moves_too_far():
    """And falls while it moves less than the bound allows."""
    weights = [trained(SixHeads, 5, kl_bound=bound)[1].kl_weight.item() for bound in (1e-5, 10.0)]
    assert weights[0] > 5.0 > weights[1]


def test_temperatures_and_weights_stay_above_nothing(monkeypatch):
    monkeypatch.setattr(vmpo, "_TEMPERATURE_BOUND", 10.0)
    monkeypatch.setattr(vmpo, "_DUAL_LEARNING_RATE", 100.0)
    learner = trained(SixHeads, 10, kl_bound=10.0)[1]
    assert learner.kl_weight.item() == learner.temperature.item() == pytest.approx(1e-3)


def test_rates_that_are_set_are_those_learned_by():
    rows = SixHeads()
    learner = built(rows)
    assert learner.rates == {"learning_rate": 1e-2, "kl_bound": 0.05}
    learner.rates = {**learner.rates, "learning_rate": 0.0}
    before = learner.policy_weights()
    before.pop("critic.weight"), before.pop("critic.bias")  # which follow the scale of the returns
    learner.update(Collector(rows, learner, 8).collect())
    after = learner.policy_weights()
    assert all(np.array_equal(array, after[name]) for name, array in before.items() if "reals" not in name)


def test_the_policy_that_acts_is_replaced_when_it_is_due():
    rows = SixHeads()
    learner = built(rows, epochs=1, minibatches=4, target_period=8)
    collector, differs = Collector(rows, learner, 8), []
    for _ in range(4):
        learner.update(collector.collect())
        pairs = zip(learner.network.actor.parameters(), learner.acting.actor.parameters(), strict=True)
        differs.append(any(not torch.equal(own, other) for own, other in pairs))
    assert differs == [True, False, True, False]


@pytest.mark.parametrize("space", [spaces.Discrete(3), spaces.MultiDiscrete([2, 4]), spaces.Box(-2, 1, (2,))])
def test_divergences_are_those_of_the_distributions(space):
    """Held against the mean of log-probabilities' differences over many draws."""
    actions, rng = actions_of(space), np.random.default_rng(0)
    before, now = (torch.as_tensor(rng.normal(size=(1, actions.num_outputs)), dtype=torch.float32) for _ in range(2))
    assert actions.divergence(now, now).item() == pytest.approx(0.0, abs=1e-6)
    many = 40_000
    noise = torch.as_tensor(rng.random((many, actions.noise_width), np.float32))
    drawn = actions.play(before.expand(many, -1), noise)
    logs = [actions.evaluate(one.expand(many, -1), drawn)[0] for one in (before, now)]
    expected = (logs[0] - logs[1]).mean().item()
    assert actions.divergence(before, now).item() == pytest.approx(expected, rel=0.05, abs=0.01)
    assert isinstance(actions, BoundedActions) == isinstance(space, spaces.Box)


class Rich(Patience):
    """Earns 5,000 where patience earns 1."""

    def judged(self, actions):
        rewards, ended = super().judged(actions)
        return 5_000.0 * rewards, ended


@pytest.mark.parametrize("unit", [1.0, 1_000.0])
def test_advantages_are_measured_in_deviations_of_the_returns(unit, monkeypatch):
    """Rewards of 1 to 4 weigh actions as those of thousands do; each is a whole episode's, of which nothing was known.

    The two greatest are those of actions whose probabilities are 3/4 and 1/4 in the fourth head, while the other five
    are uniform.
    """
    rows = SixHeads(4)
    monkeypatch.setattr(vmpo, "_TEMPERATURE", 0.7)
    learner = built(rows, layers=0, epochs=1, minibatches=1, learning_rate=0.0, target_period=50)
    with torch.no_grad():
        for network in (learner.network, learner.acting):
            for parameter in network.parameters():
                parameter.zero_()
            network.actor.heads[3].bias[0] = math.log(3)
    rollout = Collector(rows, learner, 1).collect()
    rewards, actions = unit * np.array([[4, 1, 3, 2]], np.float32), torch.zeros_like(rollout.actions)
    actions[0, 2, 3] = 1
    measures = learner.update(replace(rollout, rewards=rewards, actions=actions))
    deviation = np.std([4, 1, 3, 2])
    share = 1 / (1 + math.exp(-1 / (0.7 * deviation)))
    likelihood = share * math.log(3 / 4) + (1 - share) * math.log(1 / 4) - math.log(3 * 3 * 5 * 2 * 2)
    assert learner.returns_scale.deviation == pytest.approx(unit * deviation)
    assert measures["policy_loss"] == pytest.approx(-likelihood, rel=1e-5)
    assert measures["value_loss"] == pytest.approx(0.5 * (16 + 1 + 9 + 4) / 4 / deviation**2, rel=1e-5)


def test_the_policy_that_acts_says_the_same_of_states_as_the_scale_moves():
    """Until it is replaced, after 50 gradient steps: then it says what has been learned."""
    rows = Rich()
    learner = built(rows, epochs=1, minibatches=4, target_period=50)
    states, collector = {"elapsed": torch.arange(4.0)[:, None]}, Collector(rows, learner, 8)
    before = learner.values(states)
    for update in range(13):
        assert learner.values(states) == pytest.approx(before, abs=0.01), f"after {4 * update} gradient steps"
        learner.update(collector.collect())
    assert learner.returns_scale.deviation > 500.0
    with torch.no_grad():
        learned = learner.returns_scale.unnormalised(learner.network(states, torch.zeros(4, 0))[1])
    assert learner.values(states) == pytest.approx(learned.numpy(), abs=0.01) and abs(learned - before[0]).min() > 50.0


@pytest.mark.parametrize(
    ("reward_play", "expected"),
    [
        # 100 a step, and 700 after an episode that was cut off, or after the rollout; nothing after a real end.
        pytest.param(False, [[803.17, 781.3, 757, 730, 757, 730], [190, 100, 190, 100, 190, 100]], id="rewards"),
        # 1 for an episode's first reward, and nothing counts beyond that.
        pytest.param(True, [[1, 510.3, 567, 630, 1, 630], [1, 0, 1, 0, 1, 0]], id="self reward-play"),
    ],
)
def test_what_follows_is_worth_what_the_policy_that_acts_says(reward_play, expected):
    """2 on the scale's terms, while the network that learns says 7."""
    rows = Paid(2)
    learner = built(rows, layers=0, target_period=50, discount=0.9)
    if reward_play:
        configuration = AgentVMPOConfiguration(layers=0, discount=0.9, reward_play=True)
        learner = AgentVMPO(learner.network, learner.actions, configuration, np.random.default_rng(0))
    learner.returns_scale.mean, learner.returns_scale.deviation = 500.0, 100.0
    with torch.no_grad():
        for network, value in ((learner.acting, 2.0), (learner.network, 7.0)):
            network.critic.weight.zero_()
            network.critic.bias.fill_(value)
    rollout = Collector(rows, learner, 6).collect()
    assert (rollout.aux["values"] == 700.0).all() and (learner.values(rollout.last_observations) == 700.0).all()
    np.testing.assert_allclose(learner.advantages(rollout).T + 700.0, expected, rtol=1e-5, atol=1e-3)


def test_the_critic_learns_returns_of_any_size():
    """Of thousands, with PopArt; without, it stays far off, and returns are what they are."""

    def error(learner):
        start = {"elapsed": torch.zeros(1, 1)}
        return abs(float(learner.values(start)[0]) - 5_000.0)

    assert error(trained(Rich, 30)[1]) < 500.0
    plain = trained(Rich, 30, popart_share=0.0)[1]
    assert error(plain) > 500.0 and (plain.returns_scale.mean, plain.returns_scale.deviation) == (0.0, 1.0)
    assert not any(name.startswith("scale.") for name in plain.state()[0])


@pytest.mark.parametrize("memory", [0, 16])
def test_a_restored_learner_goes_on_alike(memory):
    rows, settings = Recall(), {"memory": memory, "target_period": 20}
    learner = built(rows, **settings)
    learn(rows, learner, 2)
    other = built(rows, seed=1, **settings)
    other.restore(*learner.state())
    learn(Recall(seed=5), learner, 2)
    learn(Recall(seed=5), other, 2)
    (arrays, values), (others, other_values) = learner.state(), other.state()
    assert values == other_values and all(np.array_equal(arrays[name], others[name]) for name in arrays)
