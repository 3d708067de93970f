"""The test of the tests: every planted fault is caught by the check that is meant for it, a healthy space by none."""

from functools import partial

import numpy as np
import pytest

from procgen_bench.tasks.grid_world import GridWorldTaskSpace
from tests.tasks.conformance import neighbour_checks, parameter_checks, solver_checks, suite_checks, task_checks
from tests.tasks.conformance import planted_faults as planted
from tests.tasks.conformance.fresh_process import check_repeats_in_a_fresh_process

encode_is_undone = partial(parameter_checks.check_encode_is_undone, count=20)
samples_decode = partial(parameter_checks.check_samples_decode, count=20)
flat_vectors = partial(parameter_checks.check_flat_vectors, count=3)
neighbours_are_valid = partial(neighbour_checks.check_neighbours_are_valid, count=40)
every_field_mutates = partial(neighbour_checks.check_every_field_mutates, count=200)
text_round_trip = partial(task_checks.check_text_round_trip, count=20)
tasks_cannot_change = partial(task_checks.check_tasks_cannot_change, count=2)
solutions = partial(solver_checks.check_solutions_are_as_recorded, name="graded", count=5)
sampled_tasks = partial(solver_checks.check_sampled_tasks, count=60)

TASK_FAULTS = [
    (planted.ForgetsItsObjects, task_checks.check_every_field_tells_tasks_apart),
    (planted.TellsNoKeys, text_round_trip),
    (planted.ChecksNothing, task_checks.check_broken_fields_are_refused),
    (planted.Writable, tasks_cannot_change),
]
FAULTS = [
    (planted.SwapsAxes, encode_is_undone),
    (planted.EncodesOutside, encode_is_undone),
    (planted.SharesItsArrays, encode_is_undone),
    (planted.WritesFewDigits, partial(parameter_checks.check_json, count=3)),
    (planted.IgnoresAParameter, parameter_checks.check_every_parameter_tells),
    (planted.ChangesItsParameters, samples_decode),
    (planted.DecodesInvalid, parameter_checks.check_corners_of_the_box),
    (planted.ChecksNoBound, parameter_checks.check_bad_parameters_are_refused),
    (planted.SamplesFromAnywhere, parameter_checks.check_samples_repeat),
    (planted.SamplesOnce, parameter_checks.check_samples_repeat),
    (planted.FlattensInOtherOrder, flat_vectors),
    (planted.MutatesInPlace, neighbours_are_valid),
    (planted.MutatesNothing, neighbours_are_valid),
    (planted.MutatesTilesOnly, every_field_mutates),
    (planted.MutatesObjectsOnly, every_field_mutates),
    (planted.MutatesBySomethingElse, neighbour_checks.check_mutation_repeats),
    (planted.SolvesTooLong, solutions),
    (planted.SolvesAtLength, solutions),
    (planted.HoldsAllSolvable, sampled_tasks),
    *((planted.with_tasks_of(task_class), check) for task_class, check in TASK_FAULTS),
]
CHECKS = list({repr(check): check for _, check in FAULTS}.values())

#: What is caught: a failed assertion, an error that did not come, or one that the space or the task itself raises.
CAUGHT = (AssertionError, pytest.fail.Exception, ValueError)


@pytest.mark.parametrize(("fault", "check"), FAULTS)
def test_fault_is_caught(fault, check):
    with pytest.raises(CAUGHT):
        check(planted.case_of(fault))


@pytest.mark.parametrize("check", CHECKS)
def test_healthy_space_passes(check):
    check(planted.case_of(GridWorldTaskSpace))


def test_error_of_another_kind_over_text_is_caught():
    case = planted.case_of(planted.with_tasks_of(planted.StumblesOverText))
    with pytest.raises(ValueError, match="inhomogeneous"):
        task_checks.check_mangled_text(case, "...\n....")


@pytest.mark.slow
def test_dependence_on_the_process_is_caught():
    with pytest.raises(AssertionError, match="another process has other tasks"):
        check_repeats_in_a_fresh_process("tests.tasks.conformance.planted_faults:HASH_DECIDES")


@pytest.mark.parametrize(
    "fault",
    [
        {"tasks": (*planted.TASKS, planted.TASKS[0])},
        {"names": ("0", *map(str, range(len(planted.TASKS) - 1)))},
        {"names": ("0",)},
        {"records": {"length": np.zeros(len(planted.TASKS) + 1, np.int64)}},
        {"records": {"length": np.zeros(len(planted.TASKS), np.int8)}},
        {"tasks": ()},
    ],
    ids=["a task twice", "a name twice", "names missing", "a record too long", "a record of bytes", "no tasks"],
)
def test_odd_suite_is_caught(fault, tmp_path):
    suite_checks.check_suite_is_whole(planted.with_suite(tmp_path), "odd")
    with pytest.raises(CAUGHT):
        suite_checks.check_suite_is_whole(planted.with_suite(tmp_path, **fault), "odd")


def test_unchecked_file_and_other_draws_are_caught(tmp_path):
    with pytest.raises(CAUGHT):
        suite_checks.check_flipped_byte_is_refused(planted.case_of(planted.TrustsItsFile), "graded", tmp_path)
    with pytest.raises(AssertionError):
        suite_checks.check_generating_gives_the_published(planted.with_suite(tmp_path), "odd")
