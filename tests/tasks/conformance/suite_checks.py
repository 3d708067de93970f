"""What holds of every published suite."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from procgen_bench.core.errors import UnknownNameError
from procgen_bench.core.suite_file import CorruptSuiteError, checksum, write_suite_file
from tests.tasks.conformance.cases import Case, spread

#: Tasks of a suite that are looked at one by one.
LOOKS = 600
#: In spaces of fewer tasks, or marks, two draws are alike now and then.
FEW_TASKS, FEW_MARKS = 100_000, 1_000


def check_suite_is_whole(case: Case, name: str) -> None:
    """Names and records are in step with the tasks, every task is valid, and no two are the same."""
    suite = case.space.suite(name)
    assert suite.name == name
    assert len(suite) == len(suite.tasks) == len(suite.task_names) == len(set(suite.task_names)) > 0
    for record, values in suite.records.items():
        assert isinstance(values, np.ndarray) and len(values) == len(suite), f"record {record} is out of step"
        assert values.dtype in (np.int64, np.float64), f"record {record} is {values.dtype}"
    places = spread(range(len(suite)), LOOKS)
    tasks = [suite.tasks[place] for place in places]
    for task in tasks:
        assert isinstance(task, case.space.task_type)
        case.space.validate(task)
    assert len(set(tasks)) == len(tasks), f"a task stands twice in {name}"


def check_names_lead_to_tasks(case: Case, name: str) -> None:
    """``SUITE/TASK`` is the task of that name; unknown names are refused and the known listed."""
    suite = case.space.suite(name)
    for place in spread(range(len(suite)), 12):
        task_name = suite.task_names[place]
        assert case.space.resolve(f"{name}/{task_name}") == suite[task_name] == suite.tasks[place]
    assert case.space.resolve_many(name)[:3] == tuple(suite.tasks[:3])
    with pytest.raises(UnknownNameError, match=f"suite '{name}' 'nothing'; known: {suite.task_names[0]}"):
        case.space.resolve(f"{name}/nothing")


def check_unknown_suites_are_refused(case: Case) -> None:
    """The error lists the suites that there are."""
    known = ", ".join(case.space.suite_names) or "none"
    with pytest.raises(UnknownNameError, match=f"unknown suite 'nothing'; known: {known}"):
        case.space.suite("nothing")
    with pytest.raises(UnknownNameError, match="unknown task 'nothing/0'"):
        case.space.resolve("nothing/0")


def check_flipped_byte_is_refused(case: Case, name: str, folder: Path) -> None:
    """A file whose arrays differ from the published ones in one byte is not read."""
    arrays = case.space.suites.read(name)
    for field in arrays:
        flipped = arrays[field].copy()
        flipped.view(np.uint8).flat[-1] ^= 1
        write_suite_file(folder, name, arrays | {field: flipped})
        with pytest.raises(CorruptSuiteError, match=f"{name}.npz has checksum"):
            replace(case.space.suites, folder=folder).load(name)
    write_suite_file(folder, name, arrays)
    assert replace(case.space.suites, folder=folder).load(name).task_names == case.space.suite(name).task_names


def check_more_tasks_are_drawn(case: Case, name: str, count: int) -> None:
    """Whatever place's rules they are drawn by, more tasks are valid, and the generator alone decides them.

    Suites whose tasks were written say that there are no more.
    """
    suite, places = case.space.suite(name), spread(range(len(case.space.suite(name))), count)
    if case.space.suites[name].draw_like is None:
        with pytest.raises(NotImplementedError, match=f"the tasks of suite '{name}' were written, not drawn"):
            case.space.draw_like(name, 0, np.random.default_rng(0))
        return
    drawn, again, others = (
        [case.space.draw_like(name, place, rng) for place in places] for rng in map(np.random.default_rng, (0, 0, 1))
    )
    for task in drawn:
        assert isinstance(task, case.space.task_type)
        case.space.validate(task)
    assert drawn == again != others
    known = {suite.tasks[place] for place in places}
    if case.space.task_count is not None and case.space.task_count.tasks < FEW_TASKS:
        assert not set(drawn) <= known  # some are drawn again
    else:
        assert set(drawn).isdisjoint([*others, *known])


def check_marks_tell_what_is_held_out(case: Case, name: str, count: int) -> None:
    """Each task has marks among its suite's, and a drawn task elsewhere in the space shares none.

    Where the space has few marks, some drawn tasks may share one. All of a task's marks are its suite's, but where a
    suite says nothing new by some of them: games of one literal are few.
    """
    marks = case.space.suite_marks(name)
    for task in spread(case.space.suite(name).tasks, count):
        own = case.space.hold_out_marks(task)
        assert own & marks and (name == "skills" or own <= marks)
    has_few = case.space.task_count is not None and case.space.task_count.marks < FEW_MARKS
    apart = [marks.isdisjoint(case.space.hold_out_marks(task)) for task in case.decoded(2, seed=11)]
    assert any(apart) if has_few else all(apart)


def check_generating_gives_the_published(case: Case, name: str) -> None:
    """Drawn again from its fixed seed, the suite is the published one."""
    descriptor = case.space.suites[name]
    assert checksum(descriptor.generate(case.new_space())) == descriptor.checksum
