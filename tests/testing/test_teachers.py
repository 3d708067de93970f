"""The conformance suite over every teacher, and over sabotaged copies, each of which it has to notice."""

from dataclasses import replace

import numpy as np
import pytest

from procgen_bench.baselines.curricula.accel import ACCELTeacher
from procgen_bench.baselines.curricula.plr import PLRTeacher
from procgen_bench.baselines.curricula.uniform import UniformTeacher
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.testing import ConformanceError, check_teacher
from tests.baselines.curricula.test_every_teacher import OPTIONS

SMALL_BUFFER = "buffer_size=8,replay_probability=0.8"


@pytest.mark.parametrize(
    ("benchmark_id", "solvable"),
    [
        ("grid-world/graded", True),
        pytest.param("bit-grid/test", False, marks=pytest.mark.slow),
        pytest.param("point-maze/test", False, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("name", OPTIONS)
def test_every_teacher_conforms(name, benchmark_id, solvable):
    check_teacher(name, benchmark_id, OPTIONS[name], solvable)


@pytest.mark.parametrize("benchmark_id", ["grid-world/graded", pytest.param("xland/skills", marks=pytest.mark.slow)])
def test_accel_whose_children_are_tried_conforms(benchmark_id):
    check_teacher("accel", benchmark_id, f"{SMALL_BUFFER},edits=1,trials=3")


@pytest.mark.parametrize(("name", "score"), [("plr", "mna"), ("plr", "pace"), ("plr", "traced"), ("accel", "regret")])
def test_replay_conforms_by_every_score(name, score):
    check_teacher(name, options=f"{SMALL_BUFFER},score={score}")


@pytest.mark.parametrize("name", ["plr", "accel", "learnability", "ncc"])
@pytest.mark.parametrize(
    "benchmark_id",
    [
        "gminiwob/test",
        *(pytest.param(one, marks=pytest.mark.slow) for one in ("cminigrid/sparse", "grid-world/graded")),
    ],
)
def test_teachers_over_designs_conform(name, benchmark_id):
    check_teacher(name, benchmark_id, f"slots=3,{OPTIONS[name]}")


def _patched(monkeypatch, kind, name, make):
    """Put what ``make`` makes of a teacher's method in its place."""
    monkeypatch.setattr(kind, name, make(getattr(kind, name)))


def forgets_its_buffer(monkeypatch):
    _patched(monkeypatch, PLRTeacher, "state", lambda state: lambda teacher: ({}, state(teacher)[1]))
    _patched(monkeypatch, PLRTeacher, "restore", lambda restore: lambda teacher, arrays, values: None)


def forgets_who_succeeded(monkeypatch):
    def make(restore):
        def forgetting(teacher, arrays, values):
            restore(teacher, arrays, values)
            teacher._successes.clear()

        return forgetting

    _patched(monkeypatch, ACCELTeacher, "restore", make)


def forgets_its_generator(monkeypatch):
    _patched(
        monkeypatch,
        UniformTeacher,
        "state",
        lambda state: lambda teacher: ({}, {"numbered": state(teacher)[1]["numbered"]}),
    )
    monkeypatch.setattr(
        UniformTeacher, "restore", lambda teacher, arrays, values: setattr(teacher, "_numbered", values["numbered"])
    )


def draws_from_the_global_generator(monkeypatch):
    def make(propose):
        def drawing(teacher, rows, step):
            teacher.rng = np.random.default_rng(np.random.randint(1_000))
            return propose(teacher, rows, step)

        return drawing

    _patched(monkeypatch, UniformTeacher, "propose", make)


def restores_nothing(monkeypatch):
    monkeypatch.setattr(PLRTeacher, "restore", lambda teacher, arrays, values: None)


def restores_anything(monkeypatch):
    _patched(
        monkeypatch,
        UniformTeacher,
        "restore",
        lambda restore: lambda teacher, arrays, values: restore(teacher, arrays, teacher.state()[1] | values),
    )


def keeps_numbers_as_keys(monkeypatch):
    _patched(
        monkeypatch, UniformTeacher, "state", lambda state: lambda teacher: ({}, state(teacher)[1] | {"seen": {3: 1}})
    )


def ignores_its_generator(monkeypatch):
    def make(propose):
        def drawing(teacher, rows, step):
            teacher.rng = np.random.default_rng(step)
            return propose(teacher, rows, step)

        return drawing

    _patched(monkeypatch, UniformTeacher, "propose", make)


def _proposing(change):
    """A sabotage of what the uniform teacher proposes."""

    def sabotage(monkeypatch):
        _patched(
            monkeypatch,
            UniformTeacher,
            "propose",
            lambda propose: lambda teacher, rows, step: change(teacher, propose(teacher, rows, step)),
        )

    return sabotage


def _held_out(teacher, proposals):
    return [replace(proposal, task=get_benchmark("grid-world/graded").task_suite().tasks[0]) for proposal in proposals]


@pytest.mark.parametrize(
    ("teacher", "sabotage", "complaint"),
    [
        ("plr", forgets_its_buffer, "restored continues differently|after restore"),
        ("accel", forgets_who_succeeded, r"after restore\(\), state\(\) of a new one differs .* in .*successes"),
        ("uniform", forgets_its_generator, r"a new one that is restored continues differently .*missing in state\(\)"),
        ("uniform", draws_from_the_global_generator, "two of one seed propose different levels from proposal 0 on"),
        ("plr", restores_nothing, r"after restore\(\), state\(\) of a new one differs from what was kept in "),
        ("uniform", restores_anything, r"restore\(\) takes a state without the value 'rng', expected an error"),
        ("uniform", keeps_numbers_as_keys, r"state\(\) has the key 3 in seen, expected text"),
        ("uniform", ignores_its_generator, "the seeds 0 and 1 give the same levels"),
        ("uniform", _proposing(lambda teacher, proposals: proposals[:-1]), "gives 11 Proposal for 12 rows"),
        ("uniform", _proposing(_held_out), "which grid-world/graded holds out; draw levels from its LevelSource"),
        (
            "uniform",
            _proposing(lambda teacher, proposals: [replace(one, level=7) for one in proposals]),
            r"level 7 is another task than before; take next_number\(\)",
        ),
        (
            "uniform",
            _proposing(lambda teacher, proposals: [replace(one, player="nobody") for one in proposals]),
            r"level 0 is for 'nobody', expected one of \('student',\)",
        ),
        (
            "uniform",
            _proposing(lambda teacher, proposals: [replace(one, task="maze") for one in proposals]),
            "'maze' is no task of GridWorld-v0's space",
        ),
    ],
)
def test_a_sabotaged_teacher_is_noticed(teacher, sabotage, complaint, monkeypatch):
    sabotage(monkeypatch)
    options = {"plr": SMALL_BUFFER, "accel": f"{SMALL_BUFFER},trials=3"}
    with pytest.raises(ConformanceError, match=complaint):
        check_teacher(teacher, options=options.get(teacher, ""))


def test_one_that_proposes_the_same_always_may_do_so(monkeypatch):
    ignores_its_generator(monkeypatch)
    monkeypatch.setattr(UniformTeacher, "state", lambda teacher: ({}, {"numbered": teacher._numbered}))
    monkeypatch.setattr(
        UniformTeacher, "restore", lambda teacher, arrays, values: setattr(teacher, "_numbered", values["numbered"])
    )
    check_teacher("uniform", draws=False)
