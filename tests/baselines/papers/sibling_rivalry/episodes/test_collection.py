"""Whole episodes as they are collected: what pairs share, what teachers hear, and that nothing lies behind an end.

GoalPolicy: what a run leaves plays as the learner did.
"""

import gymnasium
import numpy as np
import pytest
import torch

from procgen_bench.baselines.papers.sibling_rivalry.episode_learner import EpisodeLearner
from procgen_bench.baselines.papers.sibling_rivalry.episode_settings import EpisodicConfiguration
from procgen_bench.baselines.papers.sibling_rivalry.whole_episodes import siblings_of
from procgen_bench.baselines.parts.goal_networks import GoalActorCritic
from procgen_bench.baselines.policies.arrays import network_arrays
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.policies.tensors import tensors_of
from procgen_bench.baselines.stable_baselines3 import TaskVecEnv
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError, InvalidPolicyError, LearningDivergedError
from tests.baselines.papers.sibling_rivalry.episodes.made_episodes import made_episodes
from tests.baselines.papers.sibling_rivalry.episodes.random_play import BITS, MAZE, collector_of


@pytest.fixture(params=[MAZE, BITS])
def collected(request):
    """The collector, the episodes of 20 rows without siblings, and their environment and tasks."""
    collector = collector_of(request.param)
    tasks = collector.rows.env.tasks
    with gymnasium.make(get_benchmark(request.param).environment_id) as env:
        yield collector, collector.collect(), (env, tasks)
    collector.rows.close()


def test_nothing_lies_behind_an_end(collected):
    _, episodes, _ = collected
    assert len(episodes.actions) == episodes.lengths.max()
    behind = ~episodes.played
    for array in (*episodes.observations.values(), episodes.actions, episodes.log_probabilities):
        assert not array[behind].any()
    assert episodes.log_probabilities[episodes.played].all()
    assert episodes.played.sum() == episodes.lengths.sum()


def test_only_rows_whose_episode_goes_on_are_asked_and_counted(collected):
    collector, episodes, _ = collected
    calls = collector.learner.calls
    for step, (observations, actions, log_probabilities) in enumerate(calls):
        goes_on = episodes.lengths > step
        for name, array in observations.items():
            assert np.array_equal(array, episodes.observations[name][step, goes_on])
        assert np.array_equal(actions, episodes.actions[step, goes_on])
        assert np.array_equal(log_probabilities, episodes.log_probabilities[step, goes_on])
    assert len(calls) == episodes.lengths.max()
    assert collector.rows.steps == episodes.lengths.sum()


def test_single_environments_play_the_same_episodes(collected):
    """Step for step: the observations before and after every action, the lengths, the ends, the successes."""
    _, episodes, (env, tasks) = collected
    following = {name: episodes.next_observations(name) for name in episodes.observations}
    for row, task in enumerate(tasks):
        observation, info = env.reset(options={"task": task})
        for step in range(episodes.lengths[row]):
            for name, array in observation.items():
                assert np.array_equal(array, episodes.observations[name][step, row])
            observation, _, terminated, truncated, info = env.step(episodes.actions[step, row])
            assert (terminated or truncated) == (step == episodes.lengths[row] - 1)
            for name, array in observation.items():
                assert np.array_equal(array, following[name][step, row])
        assert info["success"] == episodes.successes[row]
        assert np.array_equal(observation["achieved_goal"], episodes.ends[row])
        assert np.array_equal(observation["desired_goal"], episodes.goals[row])
    for array in following.values():
        assert not array[~episodes.played].any()


def test_mazes_end_at_different_steps():
    """Otherwise the tests above would say little."""
    episodes = collector_of(MAZE).collect()
    assert len(set(episodes.lengths.tolist())) > 5
    assert 0 < episodes.successes.sum() < 20


def test_the_teacher_hears_of_every_episode_in_the_order_of_ending():
    collector = collector_of(MAZE, steps_per_action=20)
    for _ in range(2):
        first = len(collector.rows.teacher.proposed) - 20
        episodes = collector.collect()
        played = collector.finished_episodes(episodes)
        rows = np.lexsort((np.arange(20), episodes.lengths))
        assert played.level.tolist() == (first + rows).tolist()
        assert played.train.tolist() == [level % 3 > 0 for level in played.level]
        assert np.array_equal(episodes.train, np.arange(first, first + 20) % 3 > 0)
        assert np.array_equal(played.length, 20 * episodes.lengths[rows])
        assert np.array_equal(played.success, episodes.successes[rows])
        assert np.array_equal(played.return_, episodes.successes[rows])
        assert not played.start_value.any() and np.allclose(played.value_loss, rows)
        assert np.allclose(played.mean_value, (episodes.lengths[rows] - 1) / 2)


@pytest.mark.parametrize("benchmark_id", ["point-maze/test", BITS])
@pytest.mark.parametrize(
    ("siblings", "starts_shared", "goals_shared"),
    [("none", False, False), ("goal", False, True), ("start and goal", True, True)],
)
def test_siblings_share_what_they_should(benchmark_id, siblings, starts_shared, goals_shared):
    collector = collector_of(benchmark_id, siblings=siblings)
    teacher = collector.rows.teacher
    for _ in range(2):  # every episode has new pairs
        begun, tasks = teacher.proposed[-20:], collector.rows.env.tasks
        episodes = collector.collect()
        firsts = episodes.observed("observation")[0]
        for values, shared in ((firsts, starts_shared), (episodes.goals, goals_shared)):
            same = [np.array_equal(values[row], values[row + 1]) for row in range(0, 20, 2)]
            assert all(same) if shared else not all(same)
            pairs = {values[row].tobytes() for row in range(0, 20, 2)}
            assert len(pairs) > 1, "all pairs have the same task"
        levels = np.sort(collector.finished_episodes(episodes).level).tolist()
        asked = begun[-10:] if goals_shared else begun
        assert tasks[:: 20 // len(asked)] == tuple(level.task for level in asked)
        assert levels == sorted([level.level for level in asked] * (20 // len(asked)))
        recorded = set(collector.rows.recorder.fingerprints().tolist())
        assert recorded >= {task.short_fingerprint() for task in tasks}
    assert not np.array_equal(episodes.actions[:, ::2], episodes.actions[:, 1::2])


def test_siblings_with_starts_of_their_own_begin_elsewhere_in_every_episode():
    collector = collector_of("point-maze/test", siblings="goal")
    first, second = (collector.collect().observed("observation")[0, 1::2].copy() for _ in range(2))
    assert (first != second).any(axis=1).all()


def test_actions_of_rows_at_rest_are_not_looked_at():
    rows = collector_of(MAZE).rows
    actions = np.zeros(rows.env.action_space.shape, np.float32)
    actions[3, 1] = np.nan
    rows.active[3] = False
    rows.step(actions)
    assert rows.steps == 19
    rows.active[3] = True
    with pytest.raises(LearningDivergedError, match=r"the action of row 3 is \[0\.0, nan\]"):
        rows.step(actions)


def test_only_whole_episodes_of_every_row_are_affordable():
    collector = collector_of(MAZE, steps_per_action=2)
    assert [collector.rollout_length_within(steps) for steps in (10**6, 2_000, 1_999)] == [50, 50, 0]


def test_siblings_are_exchanged():
    values = np.arange(12).reshape(6, 2)
    assert siblings_of(values)[:, 0].tolist() == [2, 0, 6, 4, 10, 8]


def test_rewards_lie_at_the_end():
    episodes = made_episodes([3, 1], [[0.0], [0.0]], [[0.0], [0.0]])
    assert episodes.at_the_end(np.array([5.0, -2.0])).tolist() == [[0, -2], [0, 0], [5, 0]]
    assert episodes.played.tolist() == [[True, True], [True, False], [True, False]]


def test_a_teacher_that_wants_them_hears_every_step(collected):
    collector, episodes, _ = collected
    collector.rows.teacher.required_columns = frozenset({"steps"})
    played = collector.finished_episodes(episodes)
    rows = np.argwhere(episodes.last_steps)[:, 1]
    assert len(played.steps) == len(rows) and played.length.tolist() == [len(own) for own in played.steps]
    for own, row, return_ in zip(played.steps, rows.tolist(), played.return_):
        length = len(own)
        assert np.array_equal(own.actions, episodes.actions[:length, row])
        assert own.rewards.sum() == np.float32(return_)
        for name, array in own.observations.items():
            assert np.array_equal(array[:-1], episodes.observations[name][:length, row])
            assert np.array_equal(array[-1], episodes.final_observations[name][row])


FAMILIES = ["BitGrid-v0", "SparsePointMaze-v0"]
ROWS = 30


class Trained:
    """An actor with weights of some size, observations, and the folder that it was written to."""

    def __init__(self, environment_id, path):
        self.environment_id, self.path = environment_id, path
        env = TaskVecEnv(environment_id, ROWS)
        env.seed(1)
        self.observations = env.reset()
        torch.manual_seed(0)
        self.network = GoalActorCritic(env.observation_space, env.action_space)
        with torch.no_grad():
            self.network.actor[-1].weight *= 300
            outputs = self.network.actor.unmasked(tensors_of(self.observations))
            self.network.actor[-1].bias -= outputs.mean(dim=0)  # so that one action is not the best of all everywhere
        self.weights = network_arrays(self.network.actor)
        env.close()

    def load(self, stochastic, weights=None, **settings):
        configuration = {"stochastic": stochastic, **settings}
        PolicyFolder("ppo-naive", self.environment_id, configuration, weights or self.weights).write(self.path)
        return load_policy(self.path, self.environment_id)


@pytest.fixture(params=FAMILIES)
def trained(request, tmp_path):
    return Trained(request.param, tmp_path / "policy")


STARTS = np.ones(ROWS, np.bool_)


def test_a_loaded_policy_plays_as_in_training(trained):
    played = trained.load(stochastic=False).act(trained.observations, STARTS)
    with torch.no_grad():
        outputs = trained.network.actor(tensors_of(trained.observations))
    assert np.array_equal(played, trained.network.actions.play(outputs, None))
    assert len(np.unique(played, axis=0)) > 1


def test_drawn_actions_are_distributed_as_in_training(trained):
    """Both are drawn 60 times in every state; per state, the means agree within the error of such a mean."""
    policy = trained.load(stochastic=True)
    policy.seed(3)
    learner = EpisodeLearner(trained.network, None, EpisodicConfiguration(entropy_weight=0.0), np.random.default_rng(5))
    seen = tensors_of(trained.observations)
    played = np.stack([policy.act(trained.observations, STARTS) for _ in range(60)]).reshape(60, ROWS, -1)
    trained_draws = np.stack([learner.act(seen, None)[0] for _ in range(60)]).reshape(60, ROWS, -1)
    error = np.sqrt((played.var(axis=0) + trained_draws.var(axis=0)) / 60)
    apart = np.abs(played.mean(axis=0) - trained_draws.mean(axis=0)) / np.maximum(error, 1e-9)
    assert np.quantile(apart[error > 1e-6], 0.95) < 2.5
    assert (error > 1e-6).mean() > 0.1


def test_draws_repeat_under_their_seed(trained):
    policy = trained.load(stochastic=True)
    policy.seed(7)
    first, second = (policy.act(trained.observations, STARTS) for _ in range(2))
    policy.seed(7)
    assert np.array_equal(policy.act(trained.observations, STARTS), first)
    assert not np.array_equal(first, second)


def test_folders_that_do_not_fit_are_refused(trained):
    with pytest.raises(InvalidPolicyError, match=r"configuration\.stochastic is 'yes', expected true or false"):
        trained.load(stochastic="yes")
    with pytest.raises(InvalidOptionError, match="takes no option 'observation'"):
        trained.load(True, observation=3)
    name = next(name for name in trained.weights if name.endswith("weight"))
    with pytest.raises(InvalidPolicyError, match="the weights do not fit the network"):
        trained.load(True, {**trained.weights, name: np.zeros((1, 1), np.float32)})
    missing = {kept: array for kept, array in trained.weights.items() if kept != name}
    with pytest.raises(InvalidPolicyError, match="the weights do not fit the network"):
        trained.load(True, missing)
    other = next(family for family in FAMILIES if family != trained.environment_id)
    with pytest.raises(InvalidPolicyError, match=f"expected one that plays '{other}'"):
        load_policy(trained.path, other)
