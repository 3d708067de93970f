"""Targets between a teacher's proposals: the requested share, none of which the teacher observes."""

import json

import numpy as np
import pytest

from procgen_bench.baselines.training.target_share import BesideTargets, TargetShareError
from procgen_bench.baselines.training.teacher_table import get_teacher
from tests.baselines.curricula.students import ACTIONS, OBSERVATIONS, LogisticStudent, levels_of, made_up

TARGET = "grid-world/target-a"


def made(name, options, levels, seed=0):
    return get_teacher(name).make(options, levels, np.random.default_rng(seed))


def mixed(name="uniform", options="", share=0.5, seed=0) -> BesideTargets:
    levels = levels_of(TARGET, solvable=False)
    both = BesideTargets(made(name, options, levels, seed), made("targets", "", levels, seed + 1), share)
    both.setup(OBSERVATIONS, ACTIONS)
    return both


def are_targets(teacher, proposals) -> list[bool]:
    target = teacher.levels.benchmark.task_suite().tasks[0]
    return [proposal.task == target for proposal in proposals]


@pytest.mark.parametrize("rows", [1, 3, 8])
def test_half_of_the_levels_are_targets_in_turns(rows):
    teacher = mixed()
    proposals = [one for _ in range(8) for one in teacher.propose(np.arange(rows), 0)]
    assert are_targets(teacher, proposals) == [False, True] * (4 * rows)
    assert all((one.level < 0) == is_target for one, is_target in zip(proposals, are_targets(teacher, proposals)))


@pytest.mark.parametrize(("share", "targets"), [(0.25, 10), (0.9, 36), (1, 40)])
def test_any_share_is_kept(share, targets):
    teacher = mixed(share=share)
    assert sum(are_targets(teacher, [one for _ in range(8) for one in teacher.propose(np.arange(5), 0)])) == targets
    assert teacher.propose(np.arange(0), 0) == []


def test_a_population_plays_the_teachers_levels_and_the_student_the_targets():
    teacher = mixed("code", "slots=4,batch=2")
    proposals = teacher.propose(np.arange(40), 0)
    assert teacher.players == ("student", "student/2")
    assert {one.player for one in proposals if one.level >= 0} == {"student", "student/2"}
    assert {one.player for one in proposals if one.level < 0} == {"student"}


def test_the_teacher_learns_nothing_from_targets():
    teacher, heard = mixed("alp-gmm", "window=20,fewest_gaussians=1,most_gaussians=1"), []
    inner = teacher._teacher
    observe = inner.observe
    inner.observe = lambda played: heard.append(played.level.tolist()) or observe(played)
    student = LogisticStudent(lambda task: 0.0, 0, skill=0.0, width=1.0, rate=0.0)
    student.happened = made_up
    for _ in range(5):
        proposals = teacher.propose(np.arange(8), 0)
        teacher.observe(student.play_proposals(proposals))
        assert heard[-1] == [one.level for one in proposals if one.level >= 0]
        measures = teacher.learn(student)
    assert sum(map(len, heard)) == 20 and measures["gaussians"] > 0


def test_the_columns_that_the_teacher_requires_are_passed_on():
    teacher = mixed("apt-gen", "warm_up=100,latest=200,noise_size=4")
    assert teacher.required_columns == {"steps"}
    assert len(teacher.propose(np.arange(4), 0)) == 4


def test_a_restored_one_goes_on_exactly():
    teacher = mixed("goal-gan", "new_levels=10,old_levels=5")
    teacher.propose(np.arange(3), 0)
    arrays, values = teacher.state()
    values = json.loads(json.dumps(values))
    other = mixed("goal-gan", "new_levels=10,old_levels=5", seed=5)
    other.restore(arrays, values)
    assert other.propose(np.arange(6), 0) == teacher.propose(np.arange(6), 0)


@pytest.mark.parametrize("share", [-0.5, 1.5])
def test_a_share_that_is_none_is_refused(share):
    with pytest.raises(TargetShareError, match=rf"target_share is {share}, expected a number from 0 to 1"):
        mixed(share=share)


def test_targets_are_fresh_where_the_suite_is_held_out():
    levels = levels_of("grid-world/graded", True)
    teacher = made("targets", "", levels)
    tasks = [proposal.task for proposal in teacher.propose(np.arange(30), 0)]
    assert not any(map(levels.benchmark.holds_out, tasks))
    lengths = [len(levels.task_space.solve(task)) for task in tasks]
    assert np.mean(np.array(lengths) > 10) > 0.5, "of the suite's lengths, 1 to 40; of uniform levels, one in a hundred"


def test_a_target_that_may_be_trained_on_is_itself():
    teacher = made("targets", "", levels_of(TARGET, True))
    assert are_targets(teacher, teacher.propose(np.arange(3), 0)) == [True] * 3
