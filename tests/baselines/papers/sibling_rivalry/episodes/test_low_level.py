"""The ant's low level: what it earns, what it sees, that it learns, that it plays as it was trained."""

import gymnasium
import numpy as np
import pytest
import torch

from procgen_bench.baselines.papers.sibling_rivalry.episode_learner import EpisodeCollector, EpisodeLearner
from procgen_bench.baselines.papers.sibling_rivalry.learned_low_level import (
    ACTION_SPACE,
    OBSERVATION_SPACE,
    WIDTH,
    DistanceToSubgoal,
    LearningWalker,
    TwoLevels,
    low_level_settings,
    over_learning_walker,
)
from procgen_bench.baselines.papers.sibling_rivalry.sibling_rivalry import TerminalDistance
from procgen_bench.baselines.papers.sibling_rivalry.sibling_rivalry_settings import NaiveConfiguration
from procgen_bench.baselines.papers.sibling_rivalry.two_levels import with_low_level
from procgen_bench.baselines.papers.sibling_rivalry.whole_episodes import EpisodeRows, Episodes
from procgen_bench.baselines.parts.goal_networks import GoalActorCritic
from procgen_bench.baselines.parts.hierarchy import GoalPolicy
from procgen_bench.baselines.policies.tensors import tensors_of
from procgen_bench.core.benchmarks import get_benchmark
from tests.baselines.papers.sibling_rivalry.episodes.random_play import Fresh

ANT = "SparseAntMaze-v0"


def made_walks(ends, places, length=3):
    """Walks on a straight line from (0, 0), one row each."""
    ends, places = np.asarray(ends, np.float32), np.asarray(places, np.float32)
    count = len(ends)
    at = np.linspace(0, 1, length, endpoint=False, dtype=np.float32)[:, None, None] * ends
    observation = np.zeros((length, count, 30), np.float32)
    observation[..., :2] = at
    final = np.zeros((count, 30), np.float32)
    final[:, :2] = ends
    return Episodes(
        observations=tensors_of(
            {"observation": observation, "achieved_goal": at, "desired_goal": np.broadcast_to(places, at.shape).copy()}
        ),
        actions=np.zeros((length, count, 8), np.float32),
        log_probabilities=np.zeros((length, count), np.float32),
        lengths=np.full(count, length),
        final_observations={"observation": final, "achieved_goal": ends, "desired_goal": places},
        successes=np.zeros(count, np.bool_),
        train=np.ones(count, np.bool_),
    )


def learner_of(labeller, rollouts=80, seed=0):
    torch.manual_seed(seed)
    network = GoalActorCritic(OBSERVATION_SPACE, ACTION_SPACE, width=WIDTH)
    settings = low_level_settings(rollouts, 1e-3, 1e-3, "cpu")
    return EpisodeLearner(network, labeller, settings, np.random.default_rng(seed))


def test_every_step_costs_the_distance_that_it_leaves():
    walks = made_walks([[3.0, 0.0], [0.0, -3.0]], [[3.0, 4.0], [0.0, -3.0]])
    walks.final_observations["observation"][1, 3:7] = [0, 1, 0, 0]  # on its back
    labels = DistanceToSubgoal().label(walks)
    assert np.allclose(labels.rewards[:, 0], [-np.hypot(2, 4), -np.hypot(1, 4), -4])
    assert np.allclose(labels.rewards[:, 1], [-2, -1, 0])
    assert labels.included.all()
    assert labels.measures["return"] == pytest.approx(labels.rewards.sum() / 2)
    assert (labels.measures["distance"], labels.measures["falls"]) == (2.0, 0.5)
    assert labels.measures["progress"] == ((5 - 4) + (3 - 0)) / 2


def test_a_walk_is_cut_off_and_does_not_end():
    """Its last advantage is that of a step whose end is worth what the critic says, at the published discount."""
    walks = made_walks([[3.0, 0.0]], [[3.0, 4.0]])
    judged = learner_of(DistanceToSubgoal()).estimate_advantages(walks)
    network = learner_of(DistanceToSubgoal()).network
    with torch.no_grad():
        after = network.values(tensors_of(walks.final_observations)).item()
    assert judged.advantages[-1, 0] == pytest.approx(-4 + 0.98 * after - judged.values[-1, 0], abs=1e-4)
    delta = -np.hypot(1, 4) + 0.98 * judged.values[2, 0] - judged.values[1, 0]
    assert judged.advantages[1, 0] == pytest.approx(delta + 0.98 * 0.95 * judged.advantages[2, 0], abs=1e-4)


def test_settings_are_the_published_ones():
    settings = low_level_settings(80, 1e-3, 1e-3, "cpu")
    assert (settings.epochs, settings.entropy_weight, settings.clip_range) == (2, 0.02, 0.2)
    assert (settings.discount, settings.gae_lambda, settings.bootstrap) == (0.98, 0.95, True)
    assert (settings.learning_rate, settings.learning_rate_decay, settings.adam_epsilon) == (1e-3, 1.0, 1e-3)
    gradient_steps = settings.epochs * settings.minibatches
    assert gradient_steps == 8 * 80 / 20  # 2 times 4 after an episode of each of 20 workers
    assert low_level_settings(2, 1e-3, 1e-3, "cpu").minibatches == 1


def test_both_networks_are_as_wide_as_published():
    network = learner_of(DistanceToSubgoal()).network
    for part in (network.actor, network.critic):
        layers = [weight.shape[0] for name, weight in part[0].named_parameters() if name.endswith("weight")]
        assert layers == [256, 256, 256]


class Rows:
    """Ants of which there is nothing but the place: two of the torques push it along x and y."""

    def __init__(self, num_rows, rng):
        self.num_rows, self.rng, self.train = num_rows, rng, np.ones(num_rows, np.bool_)

    def walk(self, walker, shuffled):
        """One walk of every row to a subgoal near it, which is another row's where they are ``shuffled``."""
        state = np.zeros((self.num_rows, 30), np.float32)
        state[:, 3] = 1
        places = self.rng.uniform(-1, 1, (self.num_rows, 2)).astype(np.float32)
        torques, rows = np.zeros((self.num_rows, 8)), np.ones(self.num_rows, np.bool_)
        pushed = np.roll(places, 1, axis=0) if shuffled else places
        for _ in range(20):
            walker.walk(self.seen(state), pushed, rows, torques)
            state[:, :2] += torques[:, :2] / 300
        walker.arrive(self.seen(state), places, rows)
        return np.linalg.norm(state[:, :2] - places, axis=1).mean()

    def seen(self, state):
        return {"observation": state, "achieved_goal": state[:, :2].copy(), "desired_goal": state[:, :2]}


class Reversed(DistanceToSubgoal):
    """The reward's sign the wrong way round."""

    def label(self, episodes):
        labels = super().label(episodes)
        labels.rewards[...] *= -1
        return labels


def distances_of(labeller, shuffled=False, updates=12):
    """Distances to the subgoal at the ends of the first walks and of the last ones."""
    rows = Rows(100, np.random.default_rng(1))
    walker = LearningWalker(learner_of(labeller, rollouts=60), rows)
    distances = []
    for _ in range(updates):
        distances.append(rows.walk(walker, shuffled))
        walker.update()
    return np.mean(distances[:2]), np.mean(distances[-2:])


@pytest.mark.slow
def test_the_low_level_learns_to_reach_near_subgoals_and_sabotaged_ones_do_not():
    first, last = distances_of(DistanceToSubgoal())
    assert last < 0.7 * first
    first, last = distances_of(Reversed())
    assert last > 1.2 * first
    first, last = distances_of(DistanceToSubgoal(), shuffled=True)
    assert last > 0.85 * first


def test_walks_are_learned_from_once_as_long_as_they_are_and_where_they_may(monkeypatch):
    rows, learned = Rows(4, np.random.default_rng(1)), []
    rows.train[1] = False
    walker = LearningWalker(learner_of(DistanceToSubgoal(), rollouts=4), rows)
    update = EpisodeLearner.update
    monkeypatch.setattr(EpisodeLearner, "update", lambda self, walks: learned.append(walks) or update(self, walks))
    rows.walk(walker, shuffled=False)
    assert walker.update() and walker.update() == {}
    seen, places = rows.seen(np.ones((4, 30), np.float32)), np.zeros((4, 2), np.float32)
    for step in range(3):  # the last row arrives first
        walker.walk(seen, places, np.array([True, True, True, step < 2]), np.zeros((4, 8)))
    walker.arrive(seen, places, np.ones(4, np.bool_))
    walker.update()
    assert [walks.lengths.tolist() for walks in learned] == [[20] * 4, [3, 3, 3, 2]]
    assert all(walks.train.tolist() == [True, False, True, True] for walks in learned)


class Kept:
    """A generator that keeps what it gave."""

    def __init__(self, seed):
        self.rng, self.given = np.random.default_rng(seed), []

    def random(self, *arguments):
        self.given.append(self.rng.random(*arguments))
        return self.given[-1]

    def __getattr__(self, name):
        return getattr(self.rng, name)


def trained_rows(num_threads=1, count=2, **settings):
    """Rows over a low level that learns, their collector, and the learner of both levels."""
    benchmark = get_benchmark("ant-maze/test")
    options = {"control": "subgoal", "num_threads": num_threads}
    rows = EpisodeRows(ANT, count, Fresh(benchmark), 3, 20, **options)
    configuration = NaiveConfiguration(
        rollouts=count, epochs=1, minibatches=1, learning_rate_decay=1.0, entropy_weight=0.025, discount=1.0, **settings
    )
    torch.manual_seed(0)
    network = GoalActorCritic(rows.env.single_observation_space, rows.env.single_action_space)
    labeller = TerminalDistance(rows.env.distance, rows.env.distance_threshold)
    high = EpisodeLearner(network, labeller, configuration, np.random.default_rng(0))
    both = over_learning_walker(high, rows, 5, configuration)
    return rows, both, EpisodeCollector(rows, both, 25)


def test_a_low_level_learns_where_it_is_asked_to():
    rows, both, _ = trained_rows()
    settings = [NaiveConfiguration(rollouts=2, low_level=name) for name in ("learned", "shipped")]
    found = [with_low_level(both.high, rows, configuration, 5) for configuration in settings]
    assert isinstance(found[0], TwoLevels) and found[0].high is found[1] is both.high
    rows.close()


def test_an_exported_policy_plays_what_training_played():
    """Torques and all that is seen are the same, bit for bit, under the same noise, for two subgoals."""
    rows, both, _ = trained_rows()
    high, walker = both.high, both.walker
    high.rng, walker.learner.rng = Kept(1), Kept(2)
    tasks = [proposal.task for proposal in rows.teacher.proposed]
    policy = GoalPolicy(ANT, True, "learned")
    policy.load_weights(both.policy_weights())
    for _ in range(2):
        seen = {name: torch.as_tensor(array.copy()) for name, array in rows.observations.items()}
        rows.step(both.act(seen, torch.empty(0))[0].numpy())
    walks = walker._walks
    trained = {
        name: np.concatenate([walk.observations[name] for walk in walks])
        for name in ("observation", "achieved_goal", "desired_goal")
    }
    torques = np.concatenate([walk.actions for walk in walks])
    rows.close()

    env = gymnasium.make_vec(ANT, num_envs=2, vectorization_mode="vector_entry_point")
    observations, _ = env.reset(seed=0, options={"task": tasks})
    state = {name: torch.zeros(2, *shape) for name, shape in policy.state_shapes.items()}
    for step in range(40):
        assert np.array_equal(observations["observation"], trained["observation"][step])
        noise = np.concatenate([high.rng.given[step // 20], walker.learner.rng.given[step]], axis=1)
        with torch.no_grad():
            played, state = policy.step(tensors_of(observations), state, torch.as_tensor(noise))
        assert np.array_equal(state["place"].numpy(), trained["desired_goal"][step])
        assert np.array_equal(played.numpy(), torques[step])
        observations, *_ = env.step(played.numpy())
    env.close()


def learned_in(num_threads):
    rows, both, collector = trained_rows(num_threads)
    measures = both.update(collector.collect())
    rows.close()
    return both, measures


@pytest.mark.slow
def test_both_levels_learn_are_kept_and_do_not_depend_on_threads():
    """The same weights and measures in one thread and in two, and in a learner that went on from a state."""
    (both, measures), (other, same) = learned_in(1), learned_in(2)
    assert measures == same
    expected = both.policy_weights()
    assert_equal_arrays(expected, other.policy_weights())
    assert {name.split(".")[0] for name in expected} == {"subgoals", "low_level"}
    assert {"low_level_return", "low_level_distance", "low_level_falls", "distance"} <= measures.keys()
    rows, resumed, _ = trained_rows()
    before = resumed.policy_weights()
    assert all(not np.array_equal(before[name], array) for name, array in expected.items() if "weight" in name)
    resumed.restore(*both.state())
    assert_equal_arrays(expected, resumed.policy_weights())
    rows.close()


def assert_equal_arrays(first, second):
    assert first.keys() == second.keys()
    assert all(np.array_equal(array, second[name]) for name, array in first.items())
