"""Sampling for learnability: what it tries and keeps, and that it brings a student further."""

import numpy as np
import pytest

from procgen_bench.baselines.training.teacher_table import get_teacher
from tests.baselines.curricula.students import climber, levels_of, trained_skill

LEVELS = levels_of("grid-world/graded", solvable=True)
ROWS = np.arange(50)
SMALL = "candidates=500,episodes=4,buffer_size=20,period=50,buffer_share=0.9"


def make(options=SMALL, seed=0):
    return get_teacher("learnability").make(options, LEVELS, np.random.default_rng(seed))


def experienced(seed=0):
    """A student that solves most uniform levels, so that they teach it little."""
    student = climber(LEVELS, seed)
    student.skill = 7.0
    return student


def prefer_easy(teacher):
    teacher.learnability = lambda trial: trial.success


def test_it_brings_a_student_further_than_uniform_levels_and_easy_ones_do_not():
    uniform = trained_skill(get_teacher("uniform").make("", LEVELS, np.random.default_rng(0)), experienced(), 12_000)
    assert trained_skill(make(), experienced(), 12_000) > uniform + 1.5
    sabotaged = make()
    prefer_easy(sabotaged)
    assert trained_skill(sabotaged, experienced(), 12_000) < uniform


def test_it_keeps_the_levels_that_are_solved_half_the_time():
    teacher, student = make("candidates=400,episodes=8,buffer_size=20"), experienced()
    student.skill = 3.5
    teacher.learn(student)
    lengths = [student.difficulty(task) for task in teacher._tasks]
    assert len(lengths) == 20 and 3.0 <= np.mean(lengths) <= 4.0
    assert teacher._learnability == pytest.approx(0.25)


def test_levels_are_uniform_before_the_first_trial_and_kept_ones_have_their_share_after_it():
    teacher, student = make("candidates=60,buffer_size=10,buffer_share=0.25"), experienced()
    assert len({proposal.level for proposal in teacher.propose(ROWS, 0)}) == len(ROWS)
    teacher.learn(student)
    kept = set(teacher._tasks)
    later = [proposal.task in kept for _ in range(40) for proposal in teacher.propose(ROWS, 0)]
    assert np.mean(later) == pytest.approx(0.25, abs=0.03)


def test_trials_are_charged_and_come_with_their_period():
    teacher, student = make("candidates=50,episodes=2,period=3"), experienced()
    charged = []
    for _ in range(7):
        teacher.learn(student)
        charged.append(student.steps_used)
    assert charged == [100, 100, 100, 200, 200, 200, 300]


def test_only_levels_that_were_tried_are_kept():
    teacher, student = make("candidates=30,episodes=2,period=1,buffer_size=20"), experienced()
    evaluate, tried = student.evaluate, []
    for suffices_for in (5, 0):
        student.evaluate = lambda tasks, episodes, n=suffices_for: (
            tried.extend(tasks[:n]) or evaluate(tasks[:n], episodes)
        )
        teacher.learn(student)
        assert set(teacher._tasks) == set(tried) and len(teacher._tasks) == 5


def test_mutants_of_kept_levels_grow_them():
    def longest(mutants):
        teacher, student = make(f"candidates=150,buffer_size=30,period=1,mutants={mutants}"), experienced()
        student.width = 1.5
        for _ in range(8):
            student.skill += 1.0
            teacher.learn(student)
        return np.mean([student.difficulty(task) for task in teacher._tasks])

    assert longest(0.8) > longest(0.0) + 2


def test_kept_levels_and_their_mutants_are_tried_beside_fresh_ones():
    teacher = make("candidates=40,buffer_size=10,mutants=0.5,edits=1")
    assert len(teacher._candidates()) == 40, "at first there is nothing to mutate"
    teacher.learn(experienced())
    fresh, draw = [], teacher.levels.draw
    teacher.levels.draw = lambda rng, count: fresh.extend(draw(rng, count)) or fresh
    try:
        candidates = teacher._candidates()
    finally:
        teacher.levels.draw = draw
    assert len(fresh) == 20 and set(fresh) | set(teacher._tasks) <= set(candidates)
    assert 30 < len(candidates) <= 20 + 20 + 10


def test_levels_are_judged_by_the_episodes_that_were_played_of_them():
    """Where the run's steps suffice for no more, of the last level for half as many."""
    teacher, student = make("candidates=2,episodes=4,buffer_size=2"), experienced()
    evaluate = student.evaluate

    def evaluated(tasks, episodes):
        played = evaluate(tasks, episodes).of(np.arange(6))
        played.success[:] = [True, True, False, False, True, False]
        return played

    student.evaluate = evaluated
    teacher.learn(student)
    assert teacher._learnability.tolist() == [0.25, 0.25]
