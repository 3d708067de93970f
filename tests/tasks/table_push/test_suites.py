import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.suite_file import checksum
from procgen_bench.tasks.table_push.suites import suite_arrays
from procgen_bench.tasks.table_push.table import NUM_DIRECTIONS, TARGET
from tests.tasks.table_push.strategies import SPACE

SUITE = SPACE.suite("targets")


def test_targets_are_valid_and_rise_in_difficulty():
    for task in SUITE:
        task.validate()
    assert SUITE.task_names == ("A", "B", "C", "out-of-space")
    lengths = SUITE.records["length"]
    assert 0 < lengths[0] < lengths[1] < lengths[2] <= 15 and 0 < lengths[3] <= 15


def test_plans_are_as_long_as_recorded():
    for plan, length in zip(SUITE.records["plan"], SUITE.records["length"]):
        assert (plan[:length] >= 0).all() and (plan[length:] == -1).all()


def test_only_the_last_target_is_out_of_the_space():
    for name in ("A", "B", "C"):
        assert SPACE.decode(SPACE.encode(SUITE[name])) == SUITE[name]
    with pytest.raises(InvalidTaskError, match="to have parameters"):
        SPACE.encode(SUITE["out-of-space"])


def test_only_c_and_out_of_space_push_other_cans():
    moved = {name: set((plan[plan >= 0] // 4).tolist()) for name, plan in zip(SUITE.task_names, SUITE.records["plan"])}
    assert moved["A"] == moved["B"] == {0} and moved["C"] == moved["out-of-space"] == {0, 1}


def test_graded_tables_are_of_all_lengths_alike():
    suite = SPACE.suite("graded")
    assert (np.diff(suite.records["length"]) >= 0).all()
    assert sorted(np.bincount(suite.records["length"]).tolist()) == [0] + 4 * [16] + 8 * [17]
    pushes_others = (suite.records["plan"] // NUM_DIRECTIONS > TARGET).any(axis=1)
    assert 0.5 < pushes_others.mean() < 0.8


def test_random_tables_are_mostly_infeasible():
    suite = SPACE.suite("random")
    solvable = suite.records["length"] > 0
    assert np.bincount(suite.records["length"][solvable]).tolist() == [0, 15, 18, 7, 3, 2, 1]
    assert all(map(SPACE.may_be_solvable, (task for task, is_solvable in zip(suite, solvable) if is_solvable)))
    assert 0.28 < np.mean([SPACE.may_be_solvable(task) for task in suite]) < 0.38


@pytest.mark.parametrize("name", ["graded", "random"])
def test_files_keep_tasks_and_plans_as_they_are(name):
    suite = SPACE.suite(name)
    assert all(SPACE.decode(SPACE.encode(task)) == task for task in suite.tasks[::20])
    plans = [plan[:length] if length > 0 else None for plan, length in zip(*map(suite.records.get, ("plan", "length")))]
    assert checksum(suite_arrays(suite.tasks, plans)) == SPACE.suites[name].checksum
