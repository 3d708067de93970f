"""EpisodeReplay against episodes whose goals tell episode and step."""

import numpy as np
import pytest
from gymnasium import spaces

from procgen_bench.baselines.off_policy.replay import EpisodeReplay
from procgen_bench.baselines.sb3.vec_env import TaskVecEnv

ROWS, CAPACITY = 3, 60
PLACE = spaces.Box(-np.inf, np.inf, (2,), np.float32)
SPACE = spaces.Dict({"observation": PLACE, "achieved_goal": PLACE, "desired_goal": PLACE})
#: What the episodes are played for, and never achieve.
PLAYED_GOAL = np.array([-1, -1], np.float32)


class Pairs:
    """As much of an environment as the replay asks for; goals are pairs (episode, step)."""

    distance_threshold = 0.5

    def __init__(self):
        self.calls = []

    def get_attr(self, name, indices):
        return [getattr(self, name)]

    def env_method(self, name, *arguments, indices):
        self.calls.append((name, len(arguments[0])))
        return [getattr(self, name)(*arguments)]

    def distance(self, achieved, desired):
        return (achieved != desired).any(axis=-1).astype(np.float64)

    def compute_reward(self, achieved, desired, info):
        return (achieved == desired).all(axis=-1).astype(np.float64)


def make_replay(env, relabelled=4):
    action_space = spaces.Discrete(9)
    rng = np.random.default_rng(0)
    return EpisodeReplay(
        CAPACITY * ROWS, SPACE, action_space, env=env, n_envs=ROWS, n_sampled_goal=relabelled, device="cpu", rng=rng
    )


def observe(episodes, steps):
    places = np.stack([episodes, steps], axis=1).astype(np.float32)
    return {"observation": places, "achieved_goal": places, "desired_goal": np.tile(PLAYED_GOAL, (ROWS, 1))}


def play(replay, num_steps):
    """Episodes of 1 to 12 steps, all cut off by a time limit; returns the lengths of those that are over."""
    rng = np.random.default_rng(1)
    episodes, steps = np.arange(ROWS), np.zeros(ROWS, np.int64)
    planned, lengths = rng.integers(1, 13, ROWS), {}
    for _ in range(num_steps):
        ended = steps + 1 == planned
        rewards = np.full(ROWS, 0.25)
        infos = [{"TimeLimit.truncated": bool(one)} for one in ended]
        replay.add(observe(episodes, steps), observe(episodes, steps + 1), np.zeros(ROWS), rewards, ended, infos)
        steps += 1
        for row in np.flatnonzero(ended):
            lengths[int(episodes[row])] = int(steps[row])
            episodes[row], steps[row], planned[row] = episodes.max() + 1, 0, rng.integers(1, 13)
    return lengths


@pytest.mark.parametrize("num_steps", [40, 200])
def test_goals_are_those_that_the_episode_achieved_later(num_steps):
    """Also when the buffer has gone round, and old episodes are partly overwritten."""
    replay = make_replay(Pairs())
    lengths = play(replay, num_steps)
    drawn = replay.sample(4_000)
    before, after = (one["achieved_goal"].numpy() for one in (drawn.observations, drawn.next_observations))
    goals = drawn.observations["desired_goal"].numpy()
    assert np.array_equal(goals, drawn.next_observations["desired_goal"].numpy())
    assert np.array_equal(before[:, 0], after[:, 0])
    relabelled = (goals != PLAYED_GOAL).any(axis=1)
    assert 0.77 < relabelled.mean() < 0.83
    episodes, steps = goals[relabelled].T
    assert np.array_equal(episodes, after[relabelled, 0])
    assert (steps >= after[relabelled, 1]).all()
    assert all(steps[k] <= lengths[int(episodes[k])] for k in range(len(steps)))
    assert len({(*start, *goal) for start, goal in zip(before.tolist(), goals.tolist())}) > 200
    reached = (after == goals).all(axis=1)
    assert 0.1 < reached.mean() < 0.6
    assert np.array_equal(drawn.rewards[:, 0].numpy(), np.where(relabelled, reached, 0.25).astype(np.float32))
    assert np.array_equal(drawn.dones[:, 0].numpy(), reached.astype(np.float32))


def test_later_goals_are_uniform():
    replay = make_replay(Pairs())
    play(replay, 50)
    drawn = replay.sample(60_000)
    before, goals = drawn.observations["achieved_goal"].numpy(), drawn.observations["desired_goal"].numpy()
    longest = int(goals[goals[:, 1] == goals[:, 1].max()][0, 0])
    chosen = goals[(before == (longest, 0)).all(axis=1) & (goals != PLAYED_GOAL).any(axis=1), 1]
    counts = np.unique(chosen, return_counts=True)[1]
    assert len(counts) >= 10
    assert counts.max() < 2 * counts.min()


def test_rewards_of_a_whole_draw_are_asked_for_at_once():
    env = Pairs()
    replay = make_replay(env)
    play(replay, 50)
    replay.sample(4_000)
    sizes = [size for name, size in env.calls if name == "compute_reward"]
    assert len(sizes) == 1
    assert sizes[0] > 3_000


def test_without_relabelling_transitions_are_as_played():
    replay = make_replay(Pairs(), relabelled=0)
    play(replay, 100)
    drawn = replay.sample(500)
    assert (drawn.observations["desired_goal"].numpy() == PLAYED_GOAL).all()
    assert (drawn.rewards.numpy() == 0.25).all()
    assert not drawn.dones.any(), "a time limit is no end"


def test_a_replay_without_a_whole_episode_says_so():
    with pytest.raises(RuntimeError, match="no whole episode"):
        make_replay(Pairs()).sample(1)


def fill_with_bits(as_bytes):
    env = TaskVecEnv("BitGrid-v0", 4)
    env.seed(0)
    rng = np.random.default_rng(0)
    replay = EpisodeReplay(
        800, env.observation_space, env.action_space, env=env, n_envs=4, device="cpu", rng=rng, as_bytes=as_bytes
    )
    observations, actions = env.reset(), np.random.default_rng(2)
    for _ in range(120):
        chosen = actions.integers(9, size=4)
        following, rewards, ended, infos = env.step(chosen)
        stored = {name: array.copy() for name, array in following.items()}
        for row in np.flatnonzero(ended):
            for name, array in infos[row]["terminal_observation"].items():
                stored[name][row] = array
        replay.add(observations, stored, chosen, rewards, ended, infos)
        observations = following
    return replay


def test_bits_are_the_same_when_kept_in_bytes():
    floats, as_bytes = fill_with_bits(False), fill_with_bits(True)
    assert as_bytes.observations["observation"].nbytes * 4 == floats.observations["observation"].nbytes
    left, right = floats.sample(2_000), as_bytes.sample(2_000)
    for name in left.observations:
        assert right.observations[name].dtype == left.observations[name].dtype
        assert np.array_equal(left.observations[name], right.observations[name])
        assert np.array_equal(left.next_observations[name], right.next_observations[name])
    assert np.array_equal(left.rewards, right.rewards)
    assert np.array_equal(left.dones, right.dones)
    achieved, goals = left.observations["achieved_goal"].numpy(), left.observations["desired_goal"].numpy()
    assert (achieved != goals).any(axis=(1, 2)).all(), "a transition began in its goal"


@pytest.mark.parametrize("value", [0.5, -1.0, 256.0])
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")
def test_what_does_not_fit_into_a_byte_is_refused(value):
    replay = fill_with_bits(True)
    observations = {name: np.zeros((4, *leaf.shape), np.float32) for name, leaf in replay.observation_space.items()}
    following = {name: array.copy() for name, array in observations.items()}
    following["observation"][2, 3, 4, 1] = value
    nothing = np.zeros(4)
    with pytest.raises(ValueError, match=rf"observation holds {value}, expected integers from 0 to 255"):
        replay.add(observations, following, nothing, nothing, nothing, [{}] * 4)
