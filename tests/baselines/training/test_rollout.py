"""Playing lists of tasks.

Rows of episodes of one length: how they are staggered, how long actions last, who takes the other seats.
"""

import json
from typing import ClassVar

import gymnasium
import numpy as np
import pytest

from procgen_bench.baselines.curricula.uniform import UniformTeacher
from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.papers.open_ended.agents_settings import AgentPPOConfiguration
from procgen_bench.baselines.policies.episode import PolicyCrashedError
from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.repeating_rows import RepeatingRows
from procgen_bench.baselines.training.teacher import NoSettings
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError, UnknownNameError
from procgen_bench.core.policy import NoisyPolicy, OraclePolicy, Policy
from procgen_bench.core.registrations import environment_type
from procgen_bench.envs.xland.actions import NOOP

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


train = METHODS["ppo"].train

SMALL, GRADED = get_benchmark("xland/small"), get_benchmark("grid-world/graded")
NUM_WORLDS = 4


def rows_of(benchmark=SMALL, rows_type=CurriculumVectorEnv, **options):
    teacher = UniformTeacher(LevelSource(benchmark, True), np.random.default_rng(0), NoSettings())
    own = {"players": "all", "num_threads": 1} if benchmark is SMALL else {}
    rows = rows_type(benchmark.environment_id, NUM_WORLDS, teacher, seed=3, **own, **options)
    rows.begin()
    return rows


def ages_at_first_end(rows, steps):
    """How long each row's first episode was, and the length of the second, if that ended."""
    lengths, age = [[] for _ in range(rows.num_rows)], np.zeros(rows.num_rows, int)
    noop = np.tile(np.array(NOOP), (rows.num_rows, 1))
    for _ in range(steps // rows.steps_per_action):
        step = rows.step(noop)
        age += rows.steps_per_action
        assert (step.truncations == rows.starts).all() and not step.terminations.any()
        for row in np.flatnonzero(rows.starts):
            lengths[row].append(int(age[row]))
        age[rows.starts] = 0
    rows.close()
    return lengths


def test_staggered_rows_begin_at_different_ages_and_never_end_together_again():
    lengths = ages_at_first_end(rows_of(rows_type=RepeatingRows, steps_per_action=60, staggered=True), 900)
    first = [length[0] for length in lengths]
    assert first[::2] == first[1::2], "players of one world begin and end together"
    assert len(set(first)) > 1 and all(60 <= length <= 300 for length in first)
    assert all(length[1] == 300 for length in lengths)
    assert ages_at_first_end(rows_of(rows_type=RepeatingRows, steps_per_action=60), 360) == [[300]] * 8


def test_rows_of_players_go_on_from_what_was_kept_with_their_ages_and_co_players():
    """Some worlds have just begun, in others somebody random has a seat."""
    rows, others = (rows_of(staggered=True, drawn_co_players=["learner", "random"]) for _ in range(2))
    rng = np.random.default_rng(0)
    rows._cut_at[:2], rows._cut_at[2:] = 5, 9
    for _ in range(5):
        rows.step(rng.integers(0, (3, 5, 7, 5, 2, 2), (8, 6)))
    assert rows.can_be_kept and 0 < rows.starts.sum() < 8 and not rows.acts.all()
    arrays, values = rows.state()
    others.restore(arrays, json.loads(json.dumps(values)))
    assert (others._cut_at == rows._cut_at).all() and (others.acts == rows.acts).all()
    for _ in range(3):
        actions = rng.integers(0, (3, 5, 7, 5, 2, 2), (8, 6))
        assert (rows.step(actions).rewards == others.step(actions).rewards).all()
        for name, array in rows.observations.items():
            assert np.array_equal(array, others.observations[name]), name
    rows.close(), others.close()


def test_an_action_lasts_and_its_rewards_are_added_up():
    rng = np.random.default_rng(0)
    one, four = rows_of(), rows_of(rows_type=RepeatingRows, steps_per_action=4)
    rewards = []
    for _ in range(30):
        actions = rng.integers(0, (3, 5, 7, 5, 2, 2), (8, 6))
        apart = [one.step(actions).rewards for _ in range(4)]
        together = four.step(actions).rewards
        assert (np.sum(apart, axis=0) == together).all()
        rewards.append(together.sum())
        for name, array in one.observations.items():
            assert np.array_equal(array, four.observations[name]), name
    assert one.steps == four.steps == 30 * 4 * 8
    one.close(), four.close()


@pytest.mark.parametrize(
    ("learned", "repeat", "message"),
    [
        (SMALL, 7, "action_repeat is 7, expected a divisor of 300"),
        (GRADED, 2, "action_repeat is 2, expected 1: episodes of GridWorld-v0 end within an action"),
    ],
)
def test_actions_that_would_outlast_an_episode_are_refused(learned, repeat, message):
    with pytest.raises(InvalidOptionError, match=message):
        rows_of(learned, RepeatingRows, steps_per_action=repeat)


def test_the_other_seats_are_taken_by_those_that_are_drawn():
    rows = rows_of(drawn_co_players=["learner", "noop"])
    taken = ~rows.acts.reshape(NUM_WORLDS, 2)
    assert not taken[:, 0].any() and set(taken[:, 1]) == {True, False}
    assert (rows.train == rows.acts).all()
    before = rows.steps
    rows.step(np.tile(np.array(NOOP), (8, 1)))
    assert rows.steps - before == rows.acts.sum(), "frozen seats are not charged"
    rows.close()


def test_co_players_of_training_are_the_environments_own_where_nobody_is_named():
    rows = rows_of(drawn_co_players=[])
    assert set(rows._draws_co_players) == {"learner", "noop", "random"}
    rows.close()


def test_co_players_that_there_are_not_are_refused_before_a_run_begins(tmp_path):
    configuration = AgentPPOConfiguration(num_envs=2, co_players="learner,nobody")
    with pytest.raises(UnknownNameError, match="nobody"):
        train(SMALL, configuration, 0, 1000, tmp_path / "run")
    assert not (tmp_path / "run").exists()
    with pytest.raises(InvalidOptionError, match="rows of GridWorld-v0 have no seat"):
        rows_of(GRADED, drawn_co_players=["learner"])
