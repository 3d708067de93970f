"""The generator draws the published tables again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from procgen_bench.core.registrations import make_task_space
from procgen_bench.envs.table_push.boxes import merged_rectangles
from procgen_bench.envs.table_push.generate import generate, graded_task, random_task
from tests.envs.table_push.random_tables import TableFinding, examine, examine_many, summary


def test_shares_are_of_all_tables():
    findings = [
        TableFinding(False, False, None, False),
        TableFinding(True, True, 1, False),
        TableFinding(True, False, 5, False),
        TableFinding(True, False, None, True),
    ]
    assert summary(findings) == {
        "target present": 0.75,
        "target starts on the goal": 0.25,
        "feasible": 0.5,
        "trivial (one push)": 0.25,
        "feasible, not trivial": 0.25,
        "undecided": 0.25,
    }


def test_a_table_is_found_the_same_again():
    assert [examine(number) for number in range(12)] == [examine(number) for number in range(12)]


def test_a_search_that_is_cut_short_is_undecided():
    findings = [examine(number, max_pushes=1) for number in range(12)]
    assert any(finding.undecided for finding in findings)
    assert all(finding.target_present for finding in findings if finding.undecided)


@pytest.mark.slow
def test_most_random_tables_are_infeasible_or_trivial():
    """As the paper remarks; and whatever the number of processes, the findings are the same."""
    findings = examine_many(200, workers=2)
    shares = summary(findings)
    assert findings[:40] == examine_many(40)
    assert 0.25 < shares["target present"] < 0.42 and shares["undecided"] < 0.02
    assert shares["feasible, not trivial"] < 0.25 and shares["feasible"] > 0
    assert np.isclose(shares["feasible"], shares["trivial (one push)"] + shares["feasible, not trivial"])


masks = arrays(bool, st.tuples(st.integers(1, 7), st.integers(1, 7)))


@given(masks)
def test_rectangles_cover_every_cell_once_and_nothing_else(mask):
    covered = np.zeros(mask.shape, int)
    for row, column, rows, columns in merged_rectangles(mask):
        covered[row : row + rows, column : column + columns] += 1
    assert np.array_equal(covered, mask)


def test_one_box_for_a_flat_table_and_four_around_a_pit():
    flat = np.ones((6, 4), bool)
    assert merged_rectangles(flat) == [(0, 0, 6, 4)]
    flat[2, 1] = False
    assert len(merged_rectangles(flat)) == 4


SPACE = make_task_space("TablePush-v0")


@pytest.mark.parametrize(("name", "draw", "number"), [("graded", graded_task, 20), ("random", random_task, 35)])
def test_a_table_is_drawn_the_same_again(name, draw, number):
    suite, (task, plan) = SPACE.suite(name), draw(number)
    assert task == suite.tasks[number]
    recorded = suite.records["plan"][number]
    assert ([] if plan is None else plan.tolist()) == recorded[recorded >= 0].tolist()


@pytest.mark.slow
def test_generating_gives_the_published(tmp_path):
    assert generate(tmp_path, workers=2) == {name: SPACE.suites[name].checksum for name in ("graded", "random")}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["graded", "random"])
def test_every_table_is_solved_at_exactly_its_recorded_length(name):
    suite = SPACE.suite(name)
    lengths = np.array([-1 if plan is None else len(plan) for plan in map(SPACE.solve, suite)])
    assert np.array_equal(lengths, suite.records["length"])
