"""Every registered task space, and its variants."""

from itertools import permutations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.installed import INSTALLED_IDS
from tests.tasks.conformance import neighbour_checks, parameter_checks, solver_checks, task_checks
from tests.tasks.conformance.cases import CASES, LARGE, each, marks_of
from tests.tasks.conformance.fresh_process import check_repeats_in_a_fresh_process
from tests.tasks.conformance.parameters import PUBLISHED, all_in_words

#: Families that are solved by a player in a simulator: seconds a task.
SIMULATED = ("XLand-v0", "XLandSmall-v0", "FetchBlocks-v0", "FetchProgram-v0", "TablePush-v0")

SOLVED = [case for case in CASES if case.environment_id not in solver_checks.UNSOLVED]
COMPUTED = [case for case in SOLVED if case.environment_id not in SIMULATED]
#: Suites whose solutions take long, next to others of their families.
LONG = (("TablePush-v0", "graded"), ("SparsePointMaze-v0", "random"))
SUITES = [
    pytest.param(
        case,
        name,
        id=f"{case}-{name}",
        marks=pytest.mark.slow if (case.environment_id, name) in LONG else marks_of(case.environment_id),
    )
    for case in SOLVED
    if case.environment_id in INSTALLED_IDS
    for name in case.space.suite_names[: 1 if case.environment_id in LARGE else None]
]

OPPOSED = [
    pytest.param(case, other, id=f"{case}-{other}")
    for case, other in permutations(CASES, 2)
    if case.environment_id == other.environment_id
]

#: Of every space; tasks that a check looks at, where it is told a number, or a tenth of that where tasks are large.
CHECKS = {
    parameter_checks.check_samples_repeat: None,
    parameter_checks.check_samples_decode: 100,
    parameter_checks.check_encode_is_undone: 60,
    parameter_checks.check_json: 20,
    parameter_checks.check_every_parameter_tells: None,
    parameter_checks.check_flat_vectors: 10,
    parameter_checks.check_corners_of_the_box: None,
    parameter_checks.check_bad_parameters_are_refused: None,
    neighbour_checks.check_neighbours_are_valid: 60,
    neighbour_checks.check_mutation_repeats: None,
    neighbour_checks.check_every_field_mutates: 500,
    task_checks.check_tasks_cannot_change: None,
    task_checks.check_every_field_tells_tasks_apart: None,
    task_checks.check_broken_fields_are_refused: None,
    task_checks.check_resolving: None,
    task_checks.check_spaces_are_copied: None,
    task_checks.check_text_round_trip: 60,
}


@pytest.mark.parametrize("case", each(CASES))
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_spaces(case, check):
    count = CHECKS[check]
    if count is None:
        check(case)
    else:
        check(case, max(2, count // 10) if case.environment_id in LARGE else count)


@pytest.mark.parametrize(("case", "other"), OPPOSED)
def test_tasks_of_other_options_are_refused(case, other):
    task_checks.check_tasks_of_other_options_are_refused(case, other)


@pytest.mark.parametrize("case", each(CASES))
def test_mangled_text(case):
    texts = task_checks.texts(case)

    @settings(max_examples=60, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def mangle(data):
        task_checks.check_mangled_text(case, data.draw(task_checks.mangled(texts)))

    mangle()


@pytest.mark.parametrize(("case", "name"), SUITES)
def test_solutions_are_as_recorded(case, name):
    solver_checks.check_solutions_are_as_recorded(case, name, 2 if case.environment_id in SIMULATED else 20)


@pytest.mark.parametrize("case", COMPUTED, ids=str)
def test_sampled_tasks_are_solved_within_the_horizon(case):
    solver_checks.check_sampled_tasks(case, 20 if case.environment_id == "SparsePointMaze-v0" else 60)


@pytest.mark.parametrize("case", COMPUTED, ids=str)
def test_solvable_samples(case):
    solver_checks.check_solvable_samples(case, 10)


@pytest.mark.parametrize("case", [case for case in CASES if case not in SOLVED], ids=str)
def test_missing_solver_is_reported(case):
    solver_checks.check_missing_solver_is_reported(case)


def test_parameters_are_the_published_ones():
    assert all_in_words() == PUBLISHED.read_text()


def test_tasks_repeat_in_a_fresh_process():
    check_repeats_in_a_fresh_process("tests.tasks.conformance.cases:CASES")
