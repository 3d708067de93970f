"""NCC: what it tries and keeps, what it refuses, and that it brings a student further."""

import numpy as np
import pytest

from procgen_bench.baselines.training.teacher_table import TeacherOptionError, get_teacher
from tests.baselines.curricula.students import climber, levels_of, trained_skill

LEVELS = levels_of("grid-world/graded", solvable=True)
ROWS = np.arange(50)
SMALL = "buffer_size=100,fresh=300,period=50,step_size=0.02"


def make(options=SMALL, seed=0):
    return get_teacher("ncc").make(options, LEVELS, np.random.default_rng(seed))


def experienced(seed=0):
    """A student that solves most uniform levels, so that they teach it little."""
    student = climber(LEVELS, seed)
    student.skill = 7.0
    return student


def test_it_brings_a_student_further_than_uniform_levels_and_unlearnable_ones_do_not():
    uniform = trained_skill(get_teacher("uniform").make("", LEVELS, np.random.default_rng(0)), experienced(), 8_000)
    assert trained_skill(make(), experienced(), 8_000) > uniform + 1
    sabotaged = make()
    sabotaged.scores = lambda trial, max_returns: -trial.learnability
    assert trained_skill(sabotaged, experienced(), 8_000) < uniform


def test_what_it_proposes_ends_at_the_softmax_of_the_learnabilities():
    teacher, student = make("buffer_size=3,fresh=1,episodes=200,period=1000,step_size=0.1,entropy=0.1"), experienced()
    student.skill = 3.0
    for _ in range(500):
        measures = teacher.learn(student)
    weights = np.exp(teacher.buffer.scores / 0.1)
    proposed = [proposal.level for _ in range(200) for proposal in teacher.propose(ROWS, 0)]
    shares = [proposed.count(teacher.buffer.level(slot)[0]) / len(proposed) for slot in range(3)]
    assert shares == pytest.approx(weights / weights.sum(), abs=0.02)
    assert measures["mean_score"] == pytest.approx(weights / weights.sum() @ teacher.buffer.scores, abs=1e-4)


def test_levels_are_uniform_before_the_first_trial_and_kept_after_it():
    teacher = make("buffer_size=20,fresh=5")
    assert len({proposal.level for proposal in teacher.propose(ROWS, 0)}) == len(ROWS)
    teacher.learn(experienced())
    assert {proposal.task for proposal in teacher.propose(ROWS, 0)} <= set(teacher.buffer.tasks)


def test_trials_are_charged_and_come_with_their_period():
    teacher, student = make("buffer_size=20,fresh=5,episodes=2,period=3"), experienced()
    charged = []
    for _ in range(7):
        teacher.learn(student)
        charged.append(student.steps_used)
    assert charged == [50, 50, 50, 100, 100, 100, 150]


def test_regret_is_what_is_missing_to_the_greatest_return_so_far():
    teacher, student = make("score=regret,buffer_size=10,fresh=1,episodes=4,period=1"), experienced()
    teacher.learn(student)
    student.skill = -50.0  # no longer solves any
    teacher.learn(student)
    solved_once = teacher.buffer.max_returns > 0
    assert solved_once.any() and np.array_equal(teacher.buffer.scores, solved_once.astype(float))


def test_only_levels_that_were_tried_are_kept_and_others_keep_their_scores():
    teacher, student = make("buffer_size=20,fresh=1,episodes=2,period=1"), experienced()
    evaluate = student.evaluate
    student.evaluate = lambda tasks, episodes: evaluate(tasks[:5], episodes)
    teacher.learn(student)
    before = teacher.buffer.scores.copy()
    student.evaluate = lambda tasks, episodes: evaluate([], episodes)
    teacher.learn(student)
    assert len(teacher.buffer) == 5 and np.array_equal(teacher.buffer.scores, before)
    assert teacher.buffer.replay_distribution().sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("score=novelty", r"teacher 'ncc': score is 'novelty', expected one of \['learnability', 'regret'\]"),
        ("buffer_size=100001", "buffer_size is 100001, expected at most 100,000"),
        ("entropy=0", "entropy is 0.0, expected a number above 0"),
    ],
)
def test_options_that_make_no_distribution_are_refused(options, message):
    with pytest.raises(TeacherOptionError, match=message):
        make(options)
