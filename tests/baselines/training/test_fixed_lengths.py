"""Rows of episodes of one length: how they are staggered, how long actions last, who takes the other seats."""

import json

import numpy as np
import pytest

from procgen_bench.baselines.curricula.uniform import UniformTeacher
from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.papers.open_ended.agents_settings import AgentPPOConfiguration
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.repeating_rows import RepeatingRows
from procgen_bench.baselines.training.teacher import NoSettings
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError, UnknownNameError
from procgen_bench.envs.xland.actions import NOOP

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
