"""Demonstrations: states of what the solver does, how far from its success, and among whom."""

from contextlib import closing

import numpy as np
import pytest

from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.engine.environment_options import make_environment
from tests.baselines.curricula.students import levels_of

LEVELS = levels_of("grid-world/graded", solvable=True)


def make(options="", levels=LEVELS, seed=0):
    return get_teacher("demonstrations").make(options, levels, np.random.default_rng(seed))


def steps_left(state) -> int:
    """Steps of the solver's from a state of GridWorld to the success, played."""
    actions = LEVELS.task_space.solve(state.task)[state.elapsed :]
    with closing(make_environment("GridWorld-v0")) as env:
        env.reset(options={"state": state})
        ends = [env.step(action)[4]["success"] for action in actions]
    assert ends[-1] and not any(ends[:-1])
    return len(ends)


def test_states_are_on_the_way_to_success_short_ways_as_often_as_long_ones():
    teacher = make("demonstrated=400,states=1,share=1.0")
    assert teacher.learn(None) == {"states_kept": 400.0, "demonstrations_solved": 1.0}
    states = [one.state for one in teacher.propose(np.arange(400), 0)]
    left = np.array([steps_left(one) for one in states])
    whole = left + np.array([one.elapsed for one in states])
    assert (left == 1).any() and (left == whole).any()
    long = whole >= 4
    near = np.floor(np.sqrt(whole[long]))
    expected, if_even = np.mean(np.log(near + 1) / np.log(whole[long] + 1)), np.mean(near / whole[long])
    assert np.mean(left[long] <= near) == pytest.approx(expected, abs=0.08) and expected - if_even > 0.15


def test_some_proposals_are_plain_levels_all_before_the_first_demonstration():
    teacher = make("share=0.6")
    assert all(one.state is None for one in teacher.propose(np.arange(20), 0))
    teacher.learn(None)
    proposals = teacher.propose(np.arange(400), 0)
    assert 0.5 < np.mean([one.state is not None for one in proposals]) < 0.7
    assert len({one.level for one in proposals}) == 400
    assert all(one.state is None or one.task is one.state.task for one in proposals)


def test_the_oldest_states_make_way():
    teacher = make("demonstrated=5,states=2,pool=12")
    kept = [teacher.learn(None)["states_kept"] for _ in range(3)]
    assert kept == [10.0, 12.0, 12.0]


def test_targets_may_be_demonstrated():
    levels = levels_of("grid-world/target-b", solvable=True)
    teacher = make("demonstrated=2,share=1.0,targets=true", levels)
    assert teacher.learn(None)["demonstrations_solved"] == 1.0
    target = levels.task_space.resolve("targets/B")
    assert all(one.task == target for one in teacher.propose(np.arange(8), 0))
    with pytest.raises(InvalidOptionError, match="targets is true and levels is 'skill:hold'"):
        make("targets=true,levels=skill:hold", LevelSource(get_benchmark("xland/small"), True))


def test_demonstrated_levels_may_be_others_than_plain_ones():
    levels = LevelSource(get_benchmark("xland/small"), True)
    teacher = make("demonstrated=2,share=1.0,levels=skill:hold+player_way:1-2", levels)
    rows = CurriculumVectorEnv("XLandSmall-v0", 2, teacher, 0, players="all")
    with closing(rows):
        rows.begin()
        measures = teacher.learn(None)
        proposals = teacher.propose(np.arange(4), 0)
        rows.propose = lambda places: proposals[: len(places)]
        rows.begin()
        assert rows.acting.tolist() == [True, False] * 2, "in the second seat is whom the expert met"
    assert measures["demonstrations_solved"] > 0 and all(one.state is not None for one in proposals)
    assert all(str(one.task.game.goals[0]).startswith("hold(me") for one in proposals)
    with pytest.raises(InvalidOptionError, match="levels has 'skill:fly', which XLandSmall-v0 does not draw"):
        make("levels=skill:fly", levels)
