"""The ladder: its rungs hold levels of their lengths, grow, and open one after the other."""

import numpy as np
import pytest

from procgen_bench.baselines.curricula.ladder import NoSolverError, Rung
from procgen_bench.baselines.training.teacher_table import get_teacher
from tests.baselines.curricula.students import climber, levels_of, trained_skill

LEVELS = levels_of("grid-world/graded", solvable=True)
ROWS = np.arange(50)
SMALL = "fewest=4,memory=50,grown=8"


def make(options=SMALL, seed=0):
    return get_teacher("ladder").make(options, LEVELS, np.random.default_rng(seed))


def practised(teacher, skill, rounds):
    """The teacher after rounds with a student that learns nothing."""
    student = climber(LEVELS)
    student.skill, student.rate, student.width = skill, 0.0, 0.1
    for _ in range(rounds):
        teacher.observe(student.play_proposals(teacher.propose(ROWS, 0)))
        teacher.learn(student)
    return teacher


def never_open(teacher):
    teacher.mastered = lambda rung: False


def test_it_brings_a_student_further_than_uniform_levels_and_a_closed_one_does_not():
    def skill(teacher):
        student = climber(LEVELS)
        student.rate = 0.03
        return trained_skill(teacher, student, 4000)

    uniform = skill(get_teacher("uniform").make("", LEVELS, np.random.default_rng(0)))
    assert skill(make()) > uniform + 4
    closed = make()
    never_open(closed)
    assert skill(closed) < uniform


def test_every_rung_holds_levels_of_its_lengths():
    teacher = practised(make("width=3,fewest=2,pool=20"), skill=50, rounds=15)
    assert len(teacher.rungs) > 5
    for place, rung in teacher.rungs.items():
        lengths = {len(LEVELS.task_space.solve(task)) for task in rung.tasks}
        assert lengths <= {3 * place + 1, 3 * place + 2, 3 * place + 3}
        assert len(rung.tasks) <= 20


def test_levels_are_grown_far_beyond_what_is_drawn():
    drawn = [len(LEVELS.task_space.solve(task)) for task in LEVELS.draw(np.random.default_rng(0), 500)]
    assert np.quantile(drawn, 0.98) <= 12
    teacher = practised(make("fewest=4"), skill=60, rounds=20)
    assert (teacher.top + 1) * 2 >= 16


def test_rungs_open_as_far_as_the_student_gets_and_one_beyond():
    teacher = practised(make(), skill=6.5, rounds=25)
    assert teacher.top == 3  # lengths 7 and 8: never solved; 5 and 6 always
    assert teacher.rungs[2].success > 0.95 and teacher.rungs[3].success < 0.05


def test_rungs_that_are_solved_half_the_time_are_proposed_most():
    teacher = practised(make("floor=0.1,grown=8,memory=50"), skill=6.5, rounds=20)
    for rung, success in zip((0, 1, 2, 3), (1.0, 0.9, 0.5, 0.0)):
        teacher.rungs[rung].success = success
        teacher.rungs[rung].episodes = 100
    teacher.top = 3
    places, weights = teacher.weights()
    assert places == [0, 1, 2, 3]
    assert weights == pytest.approx(np.array([0.1, 0.46, 1.1, 0.1]) / 1.76)


def test_what_is_proposed_is_open_but_for_a_share_of_uniform_levels(monkeypatch):
    teacher = practised(make(SMALL + ",fresh_share=0.2"), skill=6.5, rounds=10)
    drawn, draw = set(), LEVELS.draw
    monkeypatch.setattr(LEVELS, "draw", lambda *wanted: [drawn.add(task) or task for task in draw(*wanted)])
    proposed = [proposal.task for _ in range(40) for proposal in teacher.propose(ROWS, 0)]
    graded = [task for task in proposed if task not in drawn]
    assert len(graded) / len(proposed) == pytest.approx(0.8, abs=0.03)
    assert max(len(LEVELS.task_space.solve(task)) for task in graded) <= 2 * (teacher.top + 1)


def test_hardly_a_level_is_played_twice():
    teacher = practised(make(SMALL + ",fresh_share=0"), skill=6.5, rounds=10)
    proposed = [proposal.task for _ in range(40) for proposal in teacher.propose(ROWS, 0)]
    assert len(set(proposed)) > 0.9 * len(proposed)


def test_without_a_solver_it_says_which_teachers_there_are():
    with pytest.raises(NoSolverError, match=r"SparseAntMaze-v0 has no solver.*uniform, plr"):
        get_teacher("ladder").make("", levels_of("ant-maze/test", False), np.random.default_rng(0))


def test_where_short_solutions_are_rare_the_lowest_rung_there_is_opens_first():
    levels = levels_of("bit-grid/test", solvable=True)
    teacher = get_teacher("ladder").make("fewest=2,grown=4", levels, np.random.default_rng(0))
    for _ in range(3):
        teacher.propose(ROWS[:20], 0)
        teacher.learn(climber(levels))
    assert teacher.top == min(place for place, rung in teacher.rungs.items() if len(rung.tasks) >= 2) > 2


def test_a_rungs_success_is_the_mean_at_first_and_then_forgets():
    rung = Rung()
    for success in (True, False, True, True):
        rung.played(success, memory=10)
    assert rung.success == pytest.approx(0.75)
    for _ in range(200):
        rung.played(True, memory=10)
    for _ in range(3):
        rung.played(False, memory=10)
    assert rung.success == pytest.approx(0.9**3)


@pytest.mark.parametrize(("options", "episodes"), [("memory=200", 50), ("memory=20", 20)])
def test_a_rung_is_judged_after_some_episodes_and_until_then_taken_for_solved_half_the_time(options, episodes):
    teacher = make(options)
    for played in (episodes - 1, episodes):
        rung = Rung(episodes=played, success=1.0)
        teacher.top, teacher.rungs = 1, {0: Rung(episodes=episodes, success=0.5), 1: rung}
        assert teacher.mastered(rung) == (played == episodes)
        weights = teacher.weights()[1]
        assert weights[1] / weights[0] == pytest.approx(0.1 / 1.1 if played == episodes else 1)


def test_a_rung_opens_with_enough_levels_and_others_are_passed_over():
    teacher, tasks = make("fewest=4"), LEVELS.draw(np.random.default_rng(0), 4)
    teacher.rungs = {0: Rung(tasks[:3]), 1: Rung(tasks)}
    teacher._climb()
    assert teacher.top == 1


def test_levels_far_above_the_open_rungs_are_not_kept(monkeypatch):
    teacher, kept = practised(make(SMALL + ",ahead=2"), skill=6.5, rounds=5), []
    places = iter([teacher.top + above for above in (0, 1, 2, 3)] * 2)
    monkeypatch.setattr(teacher, "_place", lambda task: next(places))
    monkeypatch.setattr(teacher, "_keep", lambda task, place: kept.append(place - teacher.top))
    teacher.learn(climber(LEVELS))
    assert kept == [0, 1, 2] * 2
