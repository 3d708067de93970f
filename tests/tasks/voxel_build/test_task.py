import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.voxel_build import VoxelBuildTask, VoxelBuildTaskSpace
from procgen_bench.tasks.voxel_build.task import Rectangle

START = np.array([10, 0, 3], np.int8)
RECTANGLE = Rectangle(west=2, north=0, east=5, south=3, height=2, material=2)
GOAL = RECTANGLE.cuboid()
TEXT = (
    """
    10 0 west
    ..PPPP.....
    ..P..P.....
    ..P..P.....
    ..PPPP.....
"""
    + "    ...........\n" * 7
)


def test_a_rectangle_and_its_cuboid_are_one():
    assert GOAL.shape == (11, 11, 3) and GOAL.dtype == np.uint8
    assert {tuple(cell) for cell in np.argwhere(GOAL).tolist()} == {
        (y, x, z) for x in range(2, 6) for y in range(4) for z in (0, 1) if x in (2, 5) or y in (0, 3)
    }
    assert Rectangle.around(GOAL) == RECTANGLE and RECTANGLE.num_blocks == 24


def test_text_shows_start_and_goal():
    task = VoxelBuildTask(START, GOAL)
    task.validate()
    assert task.to_text().split() == TEXT.split()
    assert VoxelBuildTask.from_text(TEXT) == task


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "text is '', expected a line 'X Y HEADING' and 11 lines of 11 symbols or 5 lines"),
        (TEXT.replace("PPPP", "PPP"), "expected a line 'X Y HEADING' and 11 lines of 11 symbols"),
        (TEXT.replace("west", "up"), "start's heading is 'up', expected one of ['north', 'east', 'south', 'west']"),
        (TEXT.replace("10", "-1"), "start's x is '-1', expected a whole number in [0, 10]"),
        (TEXT.replace("10", "11"), "start is (11, 0, 3), expected x, y and heading"),
        (TEXT.replace("PPPP", "PxPP"), "symbol at (3, 0) is 'x', expected one of .spd, or its capital"),
        (TEXT.replace("PPPP", "PSPP"), "goal[0, 3, 0] is 1, expected 2: blocks of one type"),
        (TEXT.replace("P..P", "PPPP"), "goal[1, 3, 0] is 2, expected 0: blocks of one type, the outline"),
        (TEXT.replace("    ..P..P.....\n", "    ...........\n"), "goal[1, 2, 0] is 0, expected 2"),
        (TEXT.replace("P..P", "....").replace("PPPP", "PPP."), "goal's shorter side is 3, expected at least 4"),
        (TEXT.replace("P", "."), "number of goal blocks is 0, expected 1 to 34"),
    ],
)
def test_bad_text_is_refused(text, part):
    with pytest.raises(InvalidTaskError) as caught:
        VoxelBuildTask.from_text(text)
    assert part in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("start", "goal", "part"),
    [
        (np.array([11, 0, 0], np.int8), GOAL, "start is (11, 0, 0), expected x, y and heading, whole numbers in"),
        (np.array([0, 0, 4], np.int8), GOAL, "start is (0, 0, 4), expected x, y and heading, whole numbers in"),
        (np.zeros(3), GOAL, "start's type is 'float64', expected an array of int8"),
        ((0, 0, 0), GOAL, "start's type is 'tuple', expected an array of int8"),
        (np.zeros(2, np.int8), GOAL, "start's shape is (2,), expected (3,)"),
        (START, GOAL.astype(np.int8), "goal's type is 'int8', expected an array of uint8"),
        (START, GOAL[:10], "goal's shape is (10, 11, 3), expected (11, 11, 3)"),
        (START, GOAL * 2, "goal[0, 2, 0] is 4, expected 0 (empty) to 3"),
        (START, np.roll(GOAL, 1, axis=2), "goal[0, 2, 0] is 0, expected 2: blocks of one type, the outline"),
    ],
)
def test_invalid_task_is_refused(start, goal, part):
    with pytest.raises(InvalidTaskError) as caught:
        VoxelBuildTaskSpace().resolve(VoxelBuildTask(start, goal))
    assert part in str(caught.value) and "\n" not in str(caught.value)
