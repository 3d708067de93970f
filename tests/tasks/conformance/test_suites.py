"""Every suite of every family."""

import pytest

from tests.tasks.conformance import suite_checks as checks
from tests.tasks.conformance.cases import CASES, each, suites

SUITES = suites(CASES)
FILES = [entry for entry in SUITES if entry.values[0].space.suites[entry.values[1]].checksum]
#: Suites that take seconds to draw again.
LONG = (
    "SparsePointMaze-v0-random",
    "CompositionalMiniGrid-v0-test",
    "GridWorld-v0-graded",
    "GridWorldLarge-v0-graded",
)
DRAWN = [
    pytest.param(*entry.values, id=entry.id, marks=[*entry.marks, *([pytest.mark.slow] if entry.id in LONG else [])])
    for entry in FILES
    if entry.values[0].space.suites[entry.values[1]].generate
]
#: How many tasks are drawn of environments' suites that take long: of TablePush, one of a single push.
FEW = {"XLand-v0": 2, "XLandSmall-v0": 2, "FetchProgram-v0": 2, "TablePush-v0": 1}


#: Of every suite; how many of its tasks a check looks at, where it is told a number.
CHECKS = {
    checks.check_suite_is_whole: None,
    checks.check_names_lead_to_tasks: None,
    checks.check_more_tasks_are_drawn: FEW,
    checks.check_marks_tell_what_is_held_out: {},
}


@pytest.mark.parametrize(("case", "name"), SUITES)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_suites(case, name, check):
    few = CHECKS[check]
    check(case, name, *([] if few is None else [few.get(case.environment_id, 10)]))


@pytest.mark.parametrize("case", each(CASES))
def test_unknown_suites_are_refused(case):
    checks.check_unknown_suites_are_refused(case)


@pytest.mark.parametrize(("case", "name"), FILES)
def test_flipped_byte_is_refused(case, name, tmp_path):
    checks.check_flipped_byte_is_refused(case, name, tmp_path)


@pytest.mark.parametrize(("case", "name"), DRAWN)
def test_generating_gives_the_published(case, name):
    checks.check_generating_gives_the_published(case, name)
