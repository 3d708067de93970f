"""Stages: what is open, when the next opens, what is proposed of it, and orders that no task space has."""

import numpy as np
import pytest

from procgen_bench.baselines.training.contracts import FinishedEpisodes
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.tasks.xland.ways import player_way

SKILLS = "stages=skill:near/skill:stand,memory=4"


@pytest.fixture(scope="module")
def levels() -> LevelSource:
    return LevelSource(get_benchmark("xland/skills"), True)


def make(levels, options=SKILLS):
    return get_teacher("stages").make(options, levels, np.random.default_rng(0))


def skills_of(proposals) -> set[str]:
    """The relations of all goals."""
    return {str(goal).partition("(")[0] for one in proposals for goal in one.task.game.goals}


def played(proposals, return_, seat=0) -> FinishedEpisodes:
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
        seat=np.full(count, seat, np.int16),
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


def test_each_seat_is_judged_by_itself(levels):
    """What one seat is paid says nothing of the other's goal: half of 300 on average is not enough."""
    teacher = make(levels)
    assert teacher.observes_all_seats
    proposals = teacher.propose(np.arange(8), 0)
    both = [played(proposals, 300.0), played(proposals, 0.0, seat=1)]
    teacher.observe(FinishedEpisodes.joined(both))
    assert teacher.learn(None)["stages_open"] == 1 and teacher.learn(None)["stage_1"] == 0
    again = teacher.propose(np.arange(4), 0)
    teacher.observe(FinishedEpisodes.joined([played(again, 0.0), played(again, 150.0, seat=1)]))
    assert teacher.learn(None)["stages_open"] == 1, "the first seat does badly now"
    teacher.observe(played(teacher.propose(np.arange(4), 0), 150.0))
    assert teacher.learn(None) == {"stages_open": 2, "stage_1": 0.5, "stage_2": 0.0, "stage_3": 0.0}


def test_a_stage_is_judged_by_the_share_of_steps_rewarded_not_by_whether_any_is(levels):
    teacher = make(levels)
    episodes = played(teacher.propose(np.arange(8), 0), 15.0)
    assert episodes.success.all()
    teacher.observe(episodes)
    assert teacher.learn(None)["stages_open"] == 1 and teacher.learn(None)["stage_1"] == 0.05


def test_several_stages_may_be_open_from_the_start_beside_what_is_drawn(levels):
    ways = "stages=skill:hold+player_way:1-2/skill:hold+player_way:4-6,opened=2,memory=4"
    teacher = make(levels, f"{ways},fresh_share=0.5")
    proposals = teacher.propose(np.arange(60), 0)
    of_stages = [one for one in proposals if teacher._stages[one.level] < 2]
    lengths = [player_way(one.task.world, one.task.game.goals[0]) for one in of_stages]
    assert 15 < len(of_stages) < 45 and {teacher._stages[one.level] for one in proposals} == {0, 1, 2}
    assert all(1 <= way <= 2 or 4 <= way <= 6 for way in lengths) and min(lengths) < 2 < 4 < max(lengths)
    with pytest.raises(InvalidOptionError, match="opened is 4, expected at most 3"):
        make(levels, "stages=skill:near/skill:hold,opened=4")


def test_a_stage_may_say_between_which_whole_numbers_something_is_drawn(levels):
    proposals = make(levels, "stages=templates:0+sides:5-6+options:2-2,memory=4").propose(np.arange(4), 0)
    assert {len(one.task.game.goals[0].matrix) for one in proposals} == {2}
    assert {side for one in proposals for side in one.task.world.shape} <= {5, 6}


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
        (
            "colour:red",
            "which XLandSmall-v0 does not draw: 'colour' is no option of what is drawn; known: ",
        ),
    ],
)
def test_stages_that_are_none_are_refused(levels, stages, message):
    with pytest.raises(InvalidOptionError, match=message):
        make(levels, f"stages={stages}")
