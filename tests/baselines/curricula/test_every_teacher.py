"""What every teacher of the table proposes; that it continues exactly tests/testing/test_teachers.py holds."""

import importlib.util

import numpy as np
import pytest

from procgen_bench.baselines.curricula.ladder import NoSolverError
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.teacher_table import TEACHERS, TeacherOptionError, get_teacher
from tests.baselines.curricula.students import ACTIONS, OBSERVATIONS, LogisticStudent, SecretHoldOut, levels_of, made_up

#: Options under which everything that a teacher does happens within a few dozen episodes.
OPTIONS = {
    "uniform": "",
    "targets": "",
    "plr": "buffer_size=20,score=max_monte_carlo",
    "accel": "buffer_size=20,edits=1,score=traced",
    "learnability": "candidates=20,episodes=2,period=2,buffer_size=8,mutants=0.4,edits=1",
    "ncc": "buffer_size=8,fresh=12,episodes=2,period=2,step_size=0.05",
    "alp-gmm": "window=20,most_gaussians=2,history=30",
    "goal-gan": "new_levels=10,old_levels=5,period=1,episodes=2,steps=2",
    "apt-gen": "warm_up=100,latest=200,iterations=0.02,batch=8,steps=2,beta_period=100,noise_size=4",
    "dynamic-tasks": "candidates=8,most_control=0.6,trials=2,window=4,buffer_size=8,lives=6",
    "stages": "memory=5",
    "demonstrations": "demonstrated=2,states=2,pool=8",
    "ladder": "fewest=2,memory=5,grown=2,patience=1,wander=1,pool=8",
}
NEEDS = {"accel": "torch", "alp-gmm": "sklearn", "goal-gan": "torch", "apt-gen": "torch"}


@pytest.fixture(params=list(OPTIONS))
def name(request) -> str:
    if request.param in NEEDS and importlib.util.find_spec(NEEDS[request.param]) is None:
        pytest.skip(f"{NEEDS[request.param]} is not installed")
    return request.param


def make(name, levels, seed=0):
    teacher = get_teacher(name).make(OPTIONS[name], levels, np.random.default_rng(seed))
    teacher.setup(OBSERVATIONS, ACTIONS)
    return teacher


def gambler(seed=0) -> LogisticStudent:
    """One to whom every level is differently difficult, for no reason."""
    student = LogisticStudent(
        lambda task: int(task.fingerprint()[:4], 16) / 2**14 - 2, seed, skill=0.0, width=1.0, rate=0.0
    )
    student.happened = made_up
    return student


def lesson(teacher, student, rounds=2, rows=12):
    """What is proposed in some rounds of episodes, some of which are still being played when the next begin."""
    history, waiting = [], []
    for _ in range(rounds):
        proposals = teacher.propose(np.arange(rows), student.steps_used)
        history += [(proposal.level, proposal.task.fingerprint(), proposal.train) for proposal in proposals]
        ended, waiting = waiting + proposals[: rows // 2], proposals[rows // 2 :]
        teacher.observe(student.play_proposals(ended))
        history.append(teacher.learn(student))
    return history, waiting


def test_every_teacher_is_tested_here():
    """But for that of designs, which is made for families of primitives alone: see test_code.py."""
    assert {*OPTIONS, "code"} == {name for name, entry in TEACHERS.items() if not entry.of}


def test_levels_that_are_held_out_are_never_proposed(name):
    benchmark = SecretHoldOut("BitGrid-v0")
    teacher = make(name, LevelSource(benchmark, solvable=False))
    student = gambler()
    evaluate, tried = student.evaluate, []
    student.evaluate = lambda tasks, episodes, *who: tried.extend(tasks) or evaluate(tasks, episodes, *who)
    for _ in range(6):
        proposals = teacher.propose(np.arange(30), 0)
        assert not any(benchmark.holds_out(proposal.task) for proposal in proposals)
        teacher.observe(student.play_proposals(proposals))
        teacher.learn(student)
    assert not any(map(benchmark.holds_out, tried))


def test_unsolvable_levels_are_proposed_only_where_they_are_wanted(name):
    levels = levels_of("grid-world/graded", solvable=True)
    teacher, student = make(name, levels), gambler()
    for _ in range(6):
        proposals = teacher.propose(np.arange(30), 0)
        assert all(levels.task_space.is_solvable(proposal.task) for proposal in proposals)
        teacher.observe(student.play_proposals(proposals))
        teacher.learn(student)


@pytest.mark.parametrize("solvable", [True, False])
def test_tables_have_a_target_unless_any_are_wanted(name, solvable):
    if name == "ladder":
        return  # it grades all by the solver, which takes physics
    teacher = make(name, levels_of("table-push/target-a", solvable))
    present = [proposal.task.present[0] for proposal in teacher.propose(np.arange(80), 0)]
    assert all(present) == (solvable or name == "targets")


@pytest.mark.parametrize("count", [0, 1])
def test_few_rows_or_none_are_served(name, count):
    teacher, student = make(name, levels_of("grid-world/graded", True)), gambler()
    for _ in range(3):
        lesson(teacher, student)
        proposals = teacher.propose(np.arange(count), 0)
        assert len(proposals) == count
        teacher.observe(student.play_proposals(proposals))


def test_where_nothing_can_be_graded_the_others_still_teach(name):
    levels = levels_of("ant-maze/test", solvable=False)
    if name in ("ladder", "demonstrations"):
        with pytest.raises(NoSolverError):
            make(name, levels)
    else:
        assert len(lesson(make(name, levels), gambler())[0]) == 26


def test_an_option_that_it_has_not_is_refused(name):
    with pytest.raises(TeacherOptionError, match=f"teacher '{name}' has no option 'speed'; its options: "):
        get_teacher(name).configured("speed=3")


@pytest.mark.parametrize(
    "options, message",
    [
        ("buffer_size=many", "of type int"),
        ("staleness=", "of type float"),
        ("=5", "option '=5', expected NAME=VALUE"),
        ("staleness=0.5,staleness=0.7", "staleness is given twice, in 'staleness=0.5,staleness=0.7'; give it once"),
    ],
)
def test_values_of_the_wrong_type_and_those_given_twice_are_refused(options, message):
    with pytest.raises(TeacherOptionError, match=message):
        get_teacher("plr").configured(options)


def test_every_field_says_what_it_is_and_is_read_from_text(name):
    import dataclasses

    entry = get_teacher(name)
    for field in dataclasses.fields(entry.configured("")):
        assert field.metadata["description"]
        text = str(field.default).lower()  # true and false are written so
        assert getattr(entry.configured(f"{field.name}={text}"), field.name) == field.default


@pytest.mark.parametrize(
    ("alias", "values"),
    [
        ("random-designs", {"designs": "random", "population": 1, "slots": 12}),
        ("scheduled-designs", {"designs": "scheduled", "population": 1, "first_share": 0.1}),
        ("robust-plr", {"robust": True, "buffer_size": 4000}),
        ("pop-regret", {"objective": "pop-regret", "population": 2, "entropy_weight": 0.05}),
        ("difficulty", {"objective": "difficulty", "population": 1, "entropy_weight": 0.05}),
        ("paired", {"objective": "paired", "population": 2, "entropy_weight": 0.1}),
        ("flexible-paired", {"objective": "flexible-paired", "population": 2, "entropy_weight": 0.1}),
        ("alp", {"objective": "alp", "population": 1, "entropy_weight": 0.05}),
    ],
)
def test_an_alias_is_its_teacher_with_some_options(alias, values):
    entry = get_teacher(alias)
    configuration = entry.configured("")
    assert configuration == get_teacher(entry.of).configured(entry.options)
    assert {name: getattr(configuration, name) for name in values} == values


def test_an_alias_takes_other_values_but_for_what_it_stands_for():
    assert get_teacher("paired").configured("entropy_weight=0.3").entropy_weight == 0.3
    message = "^teacher 'paired': objective is 'alp', expected 'paired', for which the name stands; .* teacher 'code'$"
    with pytest.raises(TeacherOptionError, match=message):
        get_teacher("paired").configured("objective=alp")
