"""Whole episodes as they are played: what pairs share, and that nothing lies behind an end."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import procgen_bench  # noqa: F401 - registers the environments
from procgen_bench.baselines.episodic.episodes import EpisodePlayer, siblings_of
from tests.baselines.episodic.made_episodes import made_episodes

#: Where random play ends episodes early, and at different steps.
TASKS = {"SparsePointMaze-v0": "corridor/2-0", "BitGrid-v0": None}


def make_rows(environment_id, count, tasks=None):
    rows = gymnasium.make_vec(
        environment_id,
        num_envs=count,
        vectorization_mode="vector_entry_point",
        autoreset_mode=AutoresetMode.DISABLED,
        tasks=tasks,
    )
    rows.reset(seed=11)
    return rows


class RandomActs:
    """Acts at random, never by the same log-probability twice, and keeps what it was asked and what it answered."""

    def __init__(self, space):
        self.space, self.calls, self.given = space, [], 0
        space.seed(0)

    def __call__(self, observations):
        count = len(observations["observation"])
        actions = np.stack([self.space.sample() for _ in range(count)])
        log_probabilities = -np.arange(self.given + 1, self.given + count + 1, dtype=np.float32)
        self.given += count
        self.calls.append((observations, actions, log_probabilities))
        return actions, log_probabilities


@pytest.fixture(params=sorted(TASKS))
def played(request):
    """Id, tasks, what acted, and the episodes of 30 rows without siblings."""
    rows = make_rows(request.param, 30, TASKS[request.param])
    act = RandomActs(rows.single_action_space)
    episodes = EpisodePlayer(rows).play(act)
    yield request.param, act, episodes, [rows.simulation.task(row) for row in range(30)]
    rows.close()


def test_nothing_lies_behind_an_end(played):
    _, _, episodes, _ = played
    assert len(episodes.actions) == episodes.lengths.max()
    behind = ~episodes.played
    for array in (*episodes.observations.values(), episodes.actions, episodes.log_probabilities):
        assert not array[behind].any()
    assert episodes.log_probabilities[episodes.played].all()
    assert episodes.num_steps == episodes.played.sum() == episodes.lengths.sum()


def test_only_rows_whose_episode_goes_on_are_asked(played):
    _, act, episodes, _ = played
    for step, (observations, actions, log_probabilities) in enumerate(act.calls):
        goes_on = episodes.lengths > step
        for name, array in observations.items():
            assert np.array_equal(array, episodes.observations[name][step, goes_on])
        assert np.array_equal(actions, episodes.actions[step, goes_on])
        assert np.array_equal(log_probabilities, episodes.log_probabilities[step, goes_on])
    assert len(act.calls) == episodes.lengths.max()


def test_single_environments_play_the_same_episodes(played):
    """Step for step: the observations before and after every action, the lengths, the ends, the successes."""
    environment_id, _, episodes, tasks = played
    env = gymnasium.make(environment_id)
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
    env.close()


def test_mazes_end_at_different_steps():
    """Otherwise the tests above would say little."""
    rows = make_rows("SparsePointMaze-v0", 30, TASKS["SparsePointMaze-v0"])
    episodes = EpisodePlayer(rows).play(RandomActs(rows.single_action_space))
    assert len(set(episodes.lengths.tolist())) > 5
    assert 0 < episodes.successes.sum() < 30


@pytest.mark.parametrize("environment_id", sorted(TASKS))
@pytest.mark.parametrize(
    ("siblings", "starts_shared", "goals_shared"),
    [("none", False, False), ("goal", False, True), ("start and goal", True, True)],
)
def test_siblings_share_what_they_should(environment_id, siblings, starts_shared, goals_shared):
    rows = make_rows(environment_id, 20)
    player, act = EpisodePlayer(rows, siblings), RandomActs(rows.single_action_space)
    for _ in range(2):  # pairs are made anew for every episode
        episodes = player.play(act)
        firsts = episodes.observations["observation"][0]
        for values, shared in ((firsts, starts_shared), (episodes.goals, goals_shared)):
            same = [np.array_equal(values[row], values[row + 1]) for row in range(0, 20, 2)]
            assert all(same) if shared else not all(same)
            pairs = {values[row].tobytes() for row in range(0, 20, 2)}
            assert len(pairs) > 1, "all pairs have the same task"
    assert not np.array_equal(episodes.actions[:, ::2], episodes.actions[:, 1::2])
    rows.close()


def test_pairs_need_an_even_number_of_rows():
    rows = make_rows("SparsePointMaze-v0", 3)
    EpisodePlayer(rows)
    for siblings in ("goal", "start and goal"):
        with pytest.raises(ValueError, match="3 rows do not come in pairs"):
            EpisodePlayer(rows, siblings)
    rows.close()


def test_siblings_are_exchanged():
    values = np.arange(12).reshape(6, 2)
    assert siblings_of(values)[:, 0].tolist() == [2, 0, 6, 4, 10, 8]


def test_rewards_lie_at_the_end():
    episodes = made_episodes([3, 1], [[0.0], [0.0]], [[0.0], [0.0]])
    assert episodes.at_the_end(np.array([5.0, -2.0])).tolist() == [[0, -2], [0, 0], [5, 0]]
    assert episodes.played.tolist() == [[True, True], [True, False], [True, False]]
