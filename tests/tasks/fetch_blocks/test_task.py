from dataclasses import replace

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.fetch_blocks import FetchBlocksStart, FetchBlocksTask

#: Block 1 stands on block 0, block 2 is in the gripper, block 3 stands alone.
START = FetchBlocksStart(
    np.array([[1.2, 0.5], [1.2, 0.5], [1.3, 0.75], [1.4, 1.0]]),
    np.array([0, 1, -1, 0], np.int8),
    np.array([1.3, 0.75, 0.5]),
)
TASK = FetchBlocksTask(START, 2, START.positions + np.array([[0, 0, 0], [0, 0, 0], [0.05, 0.1, 0.0], [0, 0, 0]]))
TEXT = """gripper 1.3 0.75 0.5
block 1.2 0.5 0
block 1.2 0.5 1
block held
block 1.4 1.0 0
first 2
goal 1.2 0.5 0.425
goal 1.2 0.5 0.475
goal 1.35 0.85 0.5
goal 1.4 1.0 0.425"""


def with_places(changes: dict[int, tuple[float, float]], levels=(0, 1, -1, 0)) -> FetchBlocksStart:
    places = START.places.copy()
    for block, place in changes.items():
        places[block] = place
    return replace(START, places=places, levels=np.array(levels, np.int8))


def test_positions_follow_from_places_and_levels():
    expected = [[1.2, 0.5, 0.425], [1.2, 0.5, 0.475], [1.3, 0.75, 0.5], [1.4, 1.0, 0.425]]
    np.testing.assert_allclose(START.positions, expected, atol=1e-15)
    assert START.num_blocks == 4 and START.held == 2
    assert with_places({}, (0, 1, 0, 0)).held is None


def test_text_is_readable():
    assert TASK.to_text() == TEXT
    TASK.validate()


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("first 2\n", "", "number of lines 'first INDEX' is 0, expected 1"),
        ("first 2", "first 4", "first is 4, expected the index of a block, 0 to 3"),
        ("first 2", "first 0.5", "first is 0.5"),
        ("gripper 1.3", "gripper x", "line of the gripper is 'gripper x 0.75 0.5', expected 'gripper' and 3 numbers"),
        ("block 1.4 1.0 0", "block 1.4 1.0", "expected 'block' and 3 numbers"),
        ("block 1.4 1.0 0", "block 1.4 1.0 7", "level of block 3 is 7.0, expected 0 to 5"),
        ("block 1.4 1.0 0", "block 1.4 1.0 0.5", "level of block 3 is 0.5"),
        ("goal 1.4 1.0 0.425", "", "number of goals is 3, expected 4, one for each block"),
        ("goal 1.4", "gaol 1.4", "expected 'goal' and 3 numbers"),
    ],
)
def test_bad_text_is_refused(old, new, part):
    assert old in TEXT
    with pytest.raises(InvalidTaskError) as caught:
        FetchBlocksTask.from_text(TEXT.replace(old, new))
    assert part in str(caught.value)


@pytest.mark.parametrize(
    ("start", "part"),
    [
        (
            with_places({3: (1.46, 1.0)}),
            "x of block 3 is 1.46, expected a number in [1.15, 1.45], what",
        ),
        (with_places({0: (1.2, 0.4), 1: (1.2, 0.4)}), "y of block 0 is 0.4, expected a number in [0.45, 1.05]"),
        (with_places({3: (np.nan, 1.0)}), "x of block 3 is nan"),
        (with_places({3: (1.25, 0.55)}), "a place 0.058 along x or 0.085 along y from block 3's, or the same place on"),
        (with_places({}, (0, 0, -1, 0)), "block 0 is (1.2, 0.5, 0), expected a place"),
        (with_places({}, (0, 2, -1, 0)), "levels[1] is 2, expected a level with a block beneath it, or 0"),
        (with_places({}, (1, 2, -1, 0)), "levels[0] is 1"),
        (with_places({}, (0, 1, -1, -2)), "levels[3] is -2, expected 0 to 3, or -1 (held)"),
        (with_places({}, (0, 1, -1, 4)), "levels[3] is 4"),
        (with_places({}, (0, 1, -1, -1)), "levels is [0, 1, -1, -1], expected at most one -1 (held)"),
        (with_places({2: (1.31, 0.75)}), "block 2, which is held, is (1.31, 0.75), expected the gripper's place"),
        (replace(START, gripper=np.array([1.5, 0.75, 0.5])), "x of gripper is 1.5"),
        (
            replace(START, gripper=np.array([1.3, 0.75, 0.44])),
            "z of gripper is 0.44, expected a number in [0.45, 0.7",
        ),
        (replace(START, gripper=np.array([1.3, 0.75, np.nan])), "z of gripper is nan"),
        (
            with_places({3: (1.31, 0.8)}, (0, 1, -1, 0)),
            "z of gripper is 0.5, expected a number in [0.48, 0.75], above the blocks near it",
        ),
        (replace(START, places=START.places[:1]), "number of blocks is 1, expected 2 to 6, a place (x, y) each"),
        (replace(START, places=np.zeros((7, 2))), "number of blocks is 7"),
        (replace(START, places=START.places.astype(np.float32)), "places's type is 'float32'"),
        (replace(START, levels=START.levels.astype(np.int64)), "levels's type is 'int64', expected an array of int8"),
        (replace(START, levels=START.levels[:3]), "levels's shape is (3,), expected (4,)"),
    ],
)
def test_starts_that_cannot_be_are_refused(start, part):
    if part.startswith("z of gripper is 0.5,"):
        start = replace(start, gripper=np.array([1.3, 0.75, 0.47]))
        part = part.replace("is 0.5,", "is 0.47,")
    with pytest.raises(InvalidTaskError) as caught:
        replace(TASK, start=start).validate()
    assert part in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"first": 4}, "first is 4, expected the index of a block, 0 to 3"),
        ({"first": -1}, "first is -1"),
        ({"first": True}, "first is True"),
        ({"goal": np.zeros((3, 3))}, "goal's shape is (3, 3), expected (4, 3)"),
        ({"goal": np.full((4, 3), np.inf)}, "expected finite numbers"),
        ({"goal": [[0.0] * 3] * 4}, "goal's type is 'list'"),
        ({"start": None}, "start is None, expected a FetchBlocksStart"),
    ],
)
def test_other_parts_that_cannot_be_are_refused(changes, part):
    with pytest.raises(InvalidTaskError) as caught:
        replace(TASK, **changes).validate()
    assert part in str(caught.value)
