import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.table_push import TablePushTaskSpace

SUITE = TablePushTaskSpace().suite("targets")


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
    space = TablePushTaskSpace()
    for name in ("A", "B", "C"):
        assert space.decode(space.encode(SUITE[name])) == SUITE[name]
    with pytest.raises(InvalidTaskError, match="to have parameters"):
        space.encode(SUITE["out-of-space"])


def test_only_c_and_out_of_space_push_other_cans():
    moved = {name: set((plan[plan >= 0] // 4).tolist()) for name, plan in zip(SUITE.task_names, SUITE.records["plan"])}
    assert moved["A"] == moved["B"] == {0} and moved["C"] == moved["out-of-space"] == {0, 1}
