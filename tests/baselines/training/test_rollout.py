"""Playing lists of tasks."""

from typing import ClassVar

import gymnasium
import numpy as np
import pytest

from procgen_bench.baselines.policies.episode import PolicyCrashedError
from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.policy import NoisyPolicy, OraclePolicy, Policy
from procgen_bench.core.registrations import environment_type

ENVIRONMENT = "GridWorld-v0"
SPACE = environment_type(ENVIRONMENT).task_space


@pytest.mark.parametrize("num_envs", [1, 7, 64, 256])
def test_episodes_are_those_of_the_single_environment(num_envs):
    tasks = SPACE.suite("random").tasks[:40] + SPACE.suite("graded").tasks[::10]
    episodes = play_episodes(load_policy("random", ENVIRONMENT), ENVIRONMENT, tasks, range(len(tasks)), num_envs)
    assert len(episodes) == len(tasks)
    with gymnasium.make(ENVIRONMENT) as env:
        for task, episode in zip(tasks, episodes, strict=True):
            env.reset(seed=episode.seed, options={"task": task})
            return_, ended, success = 0.0, False, False
            for action in episode.actions:
                assert not ended
                _, reward, terminated, truncated, info = env.step(action)
                return_, ended, success = return_ + reward, terminated or truncated, info["success"]
            assert (return_, ended, success) == (episode.return_, episode.finished, episode.success)
            assert episode.length == len(episode.actions)


def test_solver_solves_every_graded_task_at_its_recorded_length():
    suite = SPACE.suite("graded")
    episodes = play_episodes(load_policy("solver", ENVIRONMENT), ENVIRONMENT, suite.tasks, range(len(suite)))
    assert all(episode.success for episode in episodes)
    assert [episode.length for episode in episodes] == suite.records["length"].tolist()


def test_single_environments_in_turn_are_the_vector_form():
    tasks = SPACE.suite("random").tasks[:12]
    in_rows, in_turn = (
        play_episodes(load_policy("solver", ENVIRONMENT), ENVIRONMENT, tasks, range(12), 5, serial=serial)
        for serial in (False, True)
    )
    for one, other in zip(in_rows, in_turn, strict=True):
        assert one.actions.tolist() == other.actions.tolist()
        assert (one.return_, one.success, one.finished) == (other.return_, other.success, other.finished)


class WantingPolicy(Policy):
    """Wants the goal environments' reward by distance."""

    environment_options: ClassVar[dict] = {"reward": "distance"}

    def act(self, observations, episode_starts):
        return np.zeros(len(episode_starts), np.int64)


@pytest.mark.parametrize("serial", [False, True])
def test_policies_play_under_their_options(serial):
    (task,) = environment_type("BitGrid-v0").task_space.suite("test").tasks[:1]
    policy = WantingPolicy()
    (episode,) = play_episodes(policy, "BitGrid-v0", [task], [0], serial=serial)
    assert episode.return_ < 0
    policy.environment_options = {"rewards": "distance"}
    with pytest.raises(InvalidOptionError, match="BitGrid-v0 takes no option 'rewards', expected some of "):
        play_episodes(policy, "BitGrid-v0", [task], [0], serial=serial)


class CrashingPolicy(Policy):
    """Goes down until its third call, then raises."""

    def __init__(self):
        self.calls = 0

    def act(self, observations, episode_starts):
        self.calls += 1
        if self.calls == 3:
            raise RuntimeError("out of ideas")
        return np.full(len(episode_starts), 1)


def test_a_crash_tells_what_was_played_until_then():
    tasks = SPACE.suite("targets").tasks
    with pytest.raises(
        PolicyCrashedError, match=r"RuntimeError: out of ideas; 3 of 3 episodes are unfinished"
    ) as caught:
        play_episodes(CrashingPolicy(), ENVIRONMENT, tasks, [1, 2, 3], num_envs=2)
    episodes = caught.value.episodes
    assert [(episode.finished, episode.length, episode.seed) for episode in episodes] == [
        (False, 2, 1),
        (False, 2, 2),
        (False, 0, 3),
    ]


class OutsidePolicy(Policy):
    """Chooses an action that there is not."""

    def act(self, observations, episode_starts):
        return np.full(len(episode_starts), 9)


class LostOracle(OraclePolicy):
    """Fails to understand its task."""

    def begin(self, row, task, seed):
        raise ValueError("what task?")

    def act(self, observations, episode_starts):
        return np.zeros(len(episode_starts), np.int64)


@pytest.mark.parametrize(
    ("policy", "message"), [(OutsidePolicy(), "action of row 0 is 9"), (LostOracle(), "what task")]
)
def test_other_failures_of_a_policy_are_its_crash(policy, message):
    with pytest.raises(PolicyCrashedError, match=message) as caught:
        play_episodes(policy, ENVIRONMENT, SPACE.suite("targets").tasks, [1, 2, 3])
    assert [(episode.finished, episode.length) for episode in caught.value.episodes] == [(False, 0)] * 3


class DrawingPolicy(NoisyPolicy):
    """Draws every action from its noise."""

    def __init__(self):
        super().__init__(noise_width=1)

    def act(self, observations, episode_starts):
        return (4 * self.draw_noise(len(episode_starts))[:, 0]).astype(np.int64)


def test_draws_of_an_episode_depend_on_its_seed_alone():
    tasks, seeds = SPACE.suite("graded").tasks[:10], [5, 5, *range(8)]
    policy = DrawingPolicy()
    together = [episode.actions.tolist() for episode in play_episodes(policy, ENVIRONMENT, tasks, seeds)]
    policy.seed(7)
    apart = [episode.actions.tolist() for episode in play_episodes(policy, ENVIRONMENT, tasks, seeds, 3)]
    assert together == apart
    both = min(len(together[0]), len(together[1]))
    assert together[0][:both] == together[1][:both]
    assert together[2][:both] != together[3][:both]
