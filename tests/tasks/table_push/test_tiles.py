import numpy as np
import pytest

from procgen_bench.tasks.table_push import TablePushTask
from procgen_bench.tasks.table_push.tiles import tile_plan
from tests.tasks.table_push.strategies import SPACE

TASK = """
    {0}
    {1}
    target: {2}
    can 1: {3}
    can 2: absent
    goal: {4}
    goal range: 10
"""


@pytest.mark.parametrize(
    ("upper", "lower", "target", "other", "goal", "plan"),
    [
        ("......", "......", "7.5 7.5", "absent", "52.5 7.5", [0, 0, 0]),
        ("......", "..#...", "7.5 7.5", "absent", "52.5 7.5", [0, 2, 0, 0, 3]),
        ("......", "..#...", "9.5 7.5", "absent", "58 14", [0, 2, 0, 0]),
        ("......", "......", "7.5 7.5", "absent", "7.5 7.5", [0, 1]),
        ("oooooo", "......", "7.5 7.5", "37.5 7.5", "52.5 7.5", [4, 4, 0, 0, 0]),
        ("oo.ooo", "...ooo", "7.5 7.5", "22.5 7.5", "37.5 7.5", [4, 6, 0, 0]),
        ("oooooo", "...ooo", "7.5 7.5", "22.5 7.5", "37.5 7.5", None),
        ("......", "......", "absent", "22.5 7.5", "37.5 7.5", None),
    ],
)
def test_plans_by_hand(upper, lower, target, other, goal, plan):
    found = tile_plan(TablePushTask.from_text(TASK.format(upper, lower, target, other, goal)))
    assert found is None if plan is None else len(found) == len(plan) and sorted(found) == sorted(plan)


@pytest.mark.parametrize("name", ["A", "B", "C"])
def test_targets_take_as_many_pushes_on_tiles_as_in_physics(name):
    assert len(tile_plan(SPACE.suite("targets")[name])) == (SPACE.suite("targets").records["length"]["ABC".index(name)])


def test_uniform_tables_are_guessed_right_but_for_a_few():
    suite = SPACE.suite("random")
    guessed = np.array([-1 if plan is None else len(plan) for plan in map(tile_plan, suite)])
    assert (guessed != suite.records["length"]).mean() < 0.01
