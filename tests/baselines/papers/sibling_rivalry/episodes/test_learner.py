"""EpisodeLearner: what it makes of episodes, and how it steps."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from procgen_bench.baselines.papers.sibling_rivalry.episode_learner import EpisodeLearner
from procgen_bench.baselines.papers.sibling_rivalry.episode_settings import EpisodicConfiguration
from procgen_bench.baselines.papers.sibling_rivalry.sibling_rivalry import SiblingRivalry
from procgen_bench.baselines.papers.sibling_rivalry.whole_episodes import Episodes, Labeller, Labels
from procgen_bench.baselines.parts.goal_networks import GoalActorCritic
from procgen_bench.baselines.policies.tensors import tensors_of
from procgen_bench.core.registrations import environment_type
from tests.baselines.papers.sibling_rivalry.episodes.made_episodes import episode_pairs

ROWS, MAZE = 4, environment_type("SparsePointMaze-v0")
SETTINGS = {
    "minibatches": 4,
    "epochs": 3,
    "learning_rate_decay": 0.5,
    "entropy_weight": 0.025,
    "discount": 0.9,
    "gae_lambda": 0.8,
    "adam_epsilon": 1e-8,
}


class EvenRows(Labeller):
    """Includes every second episode; rewards count the steps; anti-goals are the ends."""

    def __init__(self, anti_goal: bool):
        self.anti_goal = anti_goal

    def label(self, episodes) -> Labels:
        steps = np.arange(len(episodes.actions), dtype=np.float64)[:, None]
        return Labels(
            rewards=np.where(episodes.played, steps, 0.0),
            included=np.arange(len(episodes.lengths)) % 2 == 0,
            anti_goals=episodes.ends if self.anti_goal else None,
            measures={"steps": float(episodes.lengths.mean())},
        )


def distance(achieved, desired):
    """Distances (n,) of places (n, 2)."""
    return np.linalg.norm(achieved - desired, axis=-1).astype(np.float64)


def played(rng, train=True) -> Episodes:
    """Two pairs of episodes in the maze's spaces, with numbers from a generator."""
    lengths = np.array([3, 5, 2, 5])
    steps = np.arange(5)[:, None] < lengths
    observations = {
        name: np.where(steps[..., None], rng.integers(4, size=(5, ROWS, 2)), 0).astype(np.float32)
        for name in ("achieved_goal", "desired_goal", "observation")
    }
    goals = np.repeat(rng.integers(4, size=(2, 2)), 2, axis=0).astype(np.float32)
    ends = rng.integers(4, size=(ROWS, 2)).astype(np.float32)
    final = rng.integers(4, size=(ROWS, 2)).astype(np.float32)
    actions = np.where(steps[..., None], rng.uniform(-0.9, 0.9, (5, ROWS, 2)), 0).astype(np.float32)
    return Episodes(
        observations=tensors_of(observations),
        actions=actions,
        log_probabilities=np.where(steps, rng.uniform(-1, 0, (5, ROWS)), 0).astype(np.float32),
        lengths=lengths,
        final_observations={"achieved_goal": ends, "desired_goal": goals, "observation": final},
        successes=distance(ends, goals) <= 0.15,
        train=np.full(ROWS, train),
    )


def learner_of(labeller=None, anti_goal=True, **settings) -> EpisodeLearner:
    labeller = labeller or EvenRows(anti_goal)
    network = GoalActorCritic(MAZE.observation_space, MAZE.action_space, anti_goal)
    return EpisodeLearner(network, labeller, EpisodicConfiguration(**SETTINGS | settings), np.random.default_rng(0))


def slow_advantages(rewards, values, final_value, discount, decay):
    """Generalised advantages of one episode: the discounted sum of all later surprises, for every step."""
    following = [*values[1:], final_value]
    surprises = [r + discount * after - v for r, v, after in zip(rewards, values, following)]
    return [
        sum((discount * decay) ** (later - step) * surprises[later] for later in range(step, len(rewards)))
        for step in range(len(rewards))
    ]


class GivenValues(EpisodeLearner):
    """Its critic's values and its labeller's rewards are given."""

    def __init__(self, labels, values, finals, **settings):
        self.labels, self.given_values, self.finals = labels, values, finals
        super().__init__(
            GoalActorCritic(MAZE.observation_space, MAZE.action_space),
            self,
            EpisodicConfiguration(**SETTINGS | settings),
            np.random.default_rng(0),
        )

    def label(self, episodes):
        return self.labels

    def _values(self, episodes, labels):
        return np.where(episodes.played, self.given_values, 0).astype(np.float32)

    def _values_of(self, seen):
        return self.finals.astype(np.float32)


@settings(max_examples=25)
@given(st.data(), episode_pairs(), st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.5, 1.0]), st.booleans())
def test_advantages_are_those_of_each_episode_alone(data, episodes, discount, decay, bootstrap):
    """Bootstrapped where an episode was cut off, if at all."""

    def drawn(*shape):
        return data.draw(arrays(np.float64, shape, elements=st.floats(-10, 10, width=32)))

    count = len(episodes.lengths)
    rewards, values, finals = np.where(episodes.played, drawn(*episodes.played.shape), 0), drawn(count), drawn(count)
    values = np.broadcast_to(values, episodes.played.shape)
    labels = Labels(rewards, np.ones(count, bool), None, {})
    learner = GivenValues(labels, values, finals, discount=discount, gae_lambda=decay, bootstrap=bootstrap)
    judged = learner.estimate_advantages(episodes)
    for row, length in enumerate(episodes.lengths):
        final = finals[row] if bootstrap and not episodes.successes[row] else 0.0
        expected = slow_advantages(rewards[:length, row], values[:length, row], final, discount, decay)
        assert judged.advantages[:length, row] == pytest.approx(np.array(expected), rel=1e-4, abs=1e-4)
        assert not judged.advantages[length:, row].any() and not judged.values[length:, row].any()


@pytest.mark.parametrize("anti_goal", [True, False])
def test_it_learns_from_the_included_steps_and_no_others(anti_goal, monkeypatch):
    learner, episodes, steps = learner_of(anti_goal=anti_goal), played(np.random.default_rng(1)), []
    step = EpisodeLearner._step
    monkeypatch.setattr(EpisodeLearner, "_step", lambda self, *given: steps.append(given) or step(self, *given))
    judged = learner.estimate_advantages(episodes)
    learner.update(episodes)
    chosen = judged.advantages[:, ::2][episodes.played[:, ::2]]
    expected = {}
    for row in (0, 2):
        for t in range(episodes.lengths[row]):
            advantage = judged.advantages[t, row]
            expected[episodes.log_probabilities[t, row]] = (
                (advantage - chosen.mean()) / (chosen.std() + 1e-8),
                judged.values[t, row] + advantage,
                *episodes.actions[t, row],
                *episodes.observed("observation")[t, row],
                *(episodes.ends[row] if anti_goal else ()),
            )
    assert len(steps) == 3 * 3, "five steps, two of them in each part but the last"
    for epoch in (steps[:3], steps[3:6], steps[6:]):
        found = {}
        for seen, kept in epoch:
            assert ("anti_goal" in seen) == anti_goal
            parts = [kept["advantages"][:, None], kept["returns"][:, None], kept["actions"], seen["observation"]]
            rows = torch.cat([*parts, *([seen["anti_goal"]] if anti_goal else [])], dim=1)
            found |= dict(zip(kept["log_probabilities"].tolist(), map(tuple, rows.tolist())))
        assert found.keys() == {float(key) for key in expected}
        for key, numbers in expected.items():
            assert found[float(key)] == pytest.approx(numbers, rel=1e-4, abs=1e-4)
    orders = [[key for _, kept in epoch for key in kept["returns"].tolist()] for epoch in (steps[:3], steps[3:6])]
    assert orders[0] != orders[1], "every pass draws another order"


#: By whether it bootstraps: what the published rows' learner, on stable-baselines3's PPO, measured of two updates.
MEASURED = {
    False: [
        {"policy_loss": 0.3752480397621791, "value_loss": 13.045985062917074, "entropy": -0.24593686064084372},
        {"policy_loss": 0.4031100968519847, "value_loss": 5.430259704589844, "entropy": -0.2103102852900823},
    ],
    True: [
        {"policy_loss": 0.39234986901283264, "value_loss": 17.49627176920573, "entropy": -0.2722589472929637},
        {"policy_loss": 0.673204759756724, "value_loss": 4.844420909881592, "entropy": -0.34800296028455097},
    ],
}


@pytest.mark.parametrize("bootstrap", [False, True])
def test_updates_are_those_of_the_published_rows(bootstrap):
    # Theirs was 1e-8 by PyTorch's Adam; in the first steps, of ours counts 18 to 32 times as much.
    learner = learner_of(SiblingRivalry(distance, 0.15, 0.5), minibatches=1, bootstrap=bootstrap, adam_epsilon=4e-10)
    rng = np.random.default_rng(0)
    with torch.no_grad():
        for parameter in [*learner.network.actor.parameters(), *learner.network.critic.parameters()]:
            parameter.copy_(torch.as_tensor(rng.normal(0, 0.2, parameter.shape)))
    for expected in MEASURED[bootstrap]:
        measures = learner.update(played(rng))
        assert {name: measures[name] for name in expected} == pytest.approx(expected, rel=1e-3)


def test_small_gradients_take_small_steps():
    """Adam's epsilon is the published source's, and added where it adds it. By PyTorch's own every first step would be
    as long as the learning rate."""
    learner = learner_of(minibatches=1, epochs=1, learning_rate=0.1, adam_epsilon=EpisodicConfiguration().adam_epsilon)
    before = [parameter.detach().clone() for parameter in learner.network.parameters()]
    learner.update(played(np.random.default_rng(0)))
    for parameter, then in zip(learner.network.parameters(), before):
        step = 0.1 * parameter.grad / (parameter.grad.abs() + 1e-3 / (1 - 0.999) ** 0.5)
        assert torch.allclose(then - parameter, step, atol=1e-5)


def test_minibatches_and_learning_rate_follow_the_updates():
    learner = learner_of(learning_rate=0.25, minibatches=3)
    rates, step = [], learner.optimizer.step

    def counted_step(*arguments, **keywords):
        rates.append(learner.optimizer.param_groups[0]["lr"])
        return step(*arguments, **keywords)

    learner.optimizer.step = counted_step
    for _ in range(2):
        measures = learner.update(played(np.random.default_rng(0)))
    assert rates == [0.25] * 9 + [0.125] * 9
    assert measures["steps"] == 3.75


def test_the_critics_squared_error_counts_half():
    """So its last bias's gradient is minus the mean advantage: returns are values and advantages."""
    learner, episodes = learner_of(minibatches=1, epochs=1), played(np.random.default_rng(0))
    judged = learner.estimate_advantages(episodes)
    learner.update(episodes)
    chosen = judged.advantages[:, ::2][episodes.played[:, ::2]]
    assert abs(chosen.mean()) > 0.1
    assert learner.network.critic[-1].bias.grad.item() == pytest.approx(-chosen.mean(), rel=1e-3)


def test_actions_come_with_their_log_probabilities():
    learner = learner_of()
    seen = tensors_of(played(np.random.default_rng(0)).final_observations)
    actions, noted, _ = learner.act(seen, torch.zeros(ROWS, 0))
    with torch.no_grad():
        expected, _ = learner.network.actions.evaluate(learner.network.actor(seen), actions)
    assert torch.allclose(noted["log_probabilities"], expected) and expected.all()


def test_what_was_judged_is_not_labelled_again():
    """A labeller that learns would learn twice."""

    class Counting(EvenRows):
        times = 0

        def label(self, episodes):
            self.times += 1
            return super().label(episodes)

    learner, episodes = learner_of(Counting(True)), played(np.random.default_rng(0))
    learner.estimate_advantages(episodes)
    learner.update(episodes)
    assert learner.labeller.times == 1
    learner.update(episodes)
    assert learner.labeller.times == 2, "other episodes have other labels"


def test_what_normalises_counts_the_steps_that_are_learned_from(monkeypatch):
    counted, learner, episodes = [], learner_of(), played(np.random.default_rng(0))
    monkeypatch.setattr(GoalActorCritic, "count", lambda self, seen: counted.append(seen["observation"].tolist()))
    learner.update(episodes)
    chosen = episodes.played & (np.arange(ROWS) % 2 == 0)
    assert counted == [episodes.observations["observation"][chosen].tolist()]


def test_episodes_of_which_nothing_may_be_learned_change_nothing():
    learner = learner_of()
    before = learner.policy_weights()
    assert learner.update(played(np.random.default_rng(0), train=False)) == {}
    assert all(np.array_equal(array, before[name]) for name, array in learner.policy_weights().items())
    assert learner.updates == 0


def test_the_policy_ignores_the_anti_goal_and_the_critic_does_not():
    learner = learner_of()
    seen = tensors_of(played(np.random.default_rng(0)).final_observations)
    here, there = seen | {"anti_goal": seen["achieved_goal"]}, seen | {"anti_goal": seen["desired_goal"] + 1}
    with torch.no_grad():
        assert torch.equal(learner.network.actor(here), learner.network.actor(there))
        assert not torch.equal(learner.network.values(here), learner.network.values(there))
    assert np.isnan(learner.values(seen)).all(), "states have no value without an anti-goal"
    assert np.isfinite(learner_of(anti_goal=False).values(seen)).all()


def test_the_first_policy_is_nearly_uniform():
    with torch.no_grad():
        seen = tensors_of(played(np.random.default_rng(0)).final_observations)
        outputs = learner_of().network.actor(seen)
    assert outputs.abs().max() < 0.5


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
def test_it_learns_on_cuda():
    learner, episodes = learner_of(device="cuda"), played(np.random.default_rng(0))
    assert np.isfinite(list(learner.update(episodes).values())).all()
    seen = {name: array.cuda() for name, array in tensors_of(episodes.final_observations).items()}
    actions, noted, _ = learner.act(seen, torch.zeros(ROWS, 0, device="cuda"))
    assert actions.is_cuda and torch.isfinite(noted["log_probabilities"]).all()


@pytest.mark.parametrize(("group_size", "shares"), [(1, [0.5, 0.5]), (2, [0.5, 0.5]), (4, [0.6, 0.4]), (9, [0.6, 0.4])])
def test_every_group_weighs_as_much_whatever_is_learned_from_of_it(group_size, shares, monkeypatch):
    """The published gradient is the mean of its workers' means. Rows 0 and 2 are included, 3 and 2 steps."""
    learner, given = learner_of(EvenRows(True), minibatches=1, epochs=1, group_size=group_size), []
    monkeypatch.setattr(EpisodeLearner, "_step", lambda self, seen, kept: given.append((seen, kept)) or {})
    episodes = played(np.random.default_rng(0))
    learner.update(episodes)
    ((seen, kept),) = given
    first = (seen["anti_goal"].numpy() == episodes.ends[0]).all(axis=1)
    assert first.sum() == 3 and (~first).sum() == 2
    weights = kept["weights"].numpy() / kept["weights"].sum().item()
    assert [weights[first].sum(), weights[~first].sum()] == pytest.approx(shares)


def test_rates_that_are_set_are_those_learned_by():
    learner = learner_of(learning_rate=0.25, entropy_weight=0.5)
    assert learner.rates == {"learning_rate": 0.25, "entropy_weight": 0.5}
    before = learner.policy_weights()
    learner.rates = {"learning_rate": 0.0, "entropy_weight": 0.5}
    learner.update(played(np.random.default_rng(0)))
    assert all(np.array_equal(array, before[name]) for name, array in learner.policy_weights().items())
    weights = []
    for entropy_weight in (0.0, 5.0):
        learner = learner_of(learning_rate=0.25, entropy_weight=0.0)
        learner.rates = {**learner.rates, "entropy_weight": entropy_weight}
        learner.update(played(np.random.default_rng(0)))
        weights.append(learner.policy_weights())
    assert any(not np.array_equal(array, weights[1][name]) for name, array in weights[0].items())


@pytest.mark.parametrize("left", [0.5, 0.0])
def test_the_entropy_bonus_has_the_weight_that_is_left(left):
    episodes = played(np.random.default_rng(1))
    cooled, usual = learner_of(anti_goal=False), learner_of(anti_goal=False, entropy_weight=left * 0.025)
    usual.network.load_state_dict(cooled.network.state_dict())
    cooled.entropy_left = lambda: left
    for learner in (cooled, usual):
        learner.update(episodes)
    for one, other in zip(cooled.network.parameters(), usual.network.parameters(), strict=True):
        assert torch.equal(one, other)
