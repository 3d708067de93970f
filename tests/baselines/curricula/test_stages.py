"""Stages: what is open, when the next opens, what is proposed of it, and orders that no task space has."""

import numpy as np
import pytest

from procgen_bench.baselines.training.contracts import FinishedEpisodes
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError

SKILLS = "stages=skill:near/skill:stand,memory=4"


@pytest.fixture(scope="module")
def levels() -> LevelSource:
    return LevelSource(get_benchmark("xland/skills"), True)


def make(levels, options=SKILLS):
    return get_teacher("stages").make(options, levels, np.random.default_rng(0))


def skills_of(proposals) -> set[str]:
    """The relations of all goals."""
    return {str(goal).partition("(")[0] for one in proposals for goal in one.task.game.goals}


def played(proposals, return_) -> FinishedEpisodes:
    count, nothing = len(proposals), np.full(len(proposals), np.nan, np.float32)
    return FinishedEpisodes(
        level=np.array([one.level for one in proposals]),
        player=np.zeros(count, np.int16),
        train=np.ones(count, np.bool_),
        return_=np.full(count, return_, np.float64),
        success=np.full(count, return_ > 0),
        length=np.full(count, 300),
        start_value=nothing,
        mean_value=nothing,
        value_loss=nothing,
    )


def test_a_stage_opens_once_all_before_go_well(levels):
    teacher, rows = make(levels), np.arange(6)
    first = teacher.propose(rows, 0)
    assert skills_of(first) == {"near"}
    teacher.observe(played(first, 100.0))  # a third of 300: too little
    assert teacher.learn(None)["stages_open"] == 1
    teacher.observe(played(teacher.propose(rows, 0), 150.0))
    assert teacher.learn(None) == {"stages_open": 2, "stage_1": 0.5, "stage_2": 0.0, "stage_3": 0.0}
    teacher.observe(played([one for one in teacher.propose(np.arange(24), 0) if skills_of([one]) == {"on"}], 300.0))
    assert teacher.learn(None)["stages_open"] == 3, "the last stage is what the environment draws"


def test_stages_that_pay_little_come_more_often(levels):
    teacher = make(levels)
    teacher.observe(played(teacher.propose(np.arange(6), 0), 270.0))
    proposals = teacher.propose(np.arange(100), 0)
    share = np.mean([skills_of([one]) == {"on"} for one in proposals])
    assert 0.75 < share < 0.97  # 1 beside the least weight, 0.15


def test_a_resumed_teacher_goes_on_alike(levels):
    teacher = make(levels)
    begun = teacher.propose(np.arange(6), 0)
    teacher.observe(played(begun[:3], 200.0))
    again = make(levels)
    again.restore(*teacher.state())
    for one in (teacher, again):
        one.observe(played(begun[3:], 200.0))
    assert teacher.learn(None) == again.learn(None)
    first, second = (one.propose(np.arange(5), 0) for one in (teacher, again))
    assert [one.task for one in first] == [one.task for one in second]


@pytest.mark.parametrize(
    ("stages", "message"),
    [
        ("near", "'near', expected options like skill:near"),
        ("skill:fly", "'skill:fly', which XLandSmall-v0 does not draw: skill is 'fly'"),
        ("colour:red", "'colour:red', which XLandSmall-v0 does not draw"),
    ],
)
def test_stages_that_are_none_are_refused(levels, stages, message):
    with pytest.raises(InvalidOptionError, match=message):
        make(levels, f"stages={stages}")
