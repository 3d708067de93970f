import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.bit_grid import BitGridTask, BitGridTaskSpace

GOAL = np.eye(13, dtype=np.int8)
START = np.array([12, 0], np.int8)


def test_text_shows_bits_and_start():
    text = """
        ..#.
        .@..
        ##..
        ...."""
    task = BitGridTask.from_text(text)
    assert task.start.tolist() == [1, 1]
    assert task.goal.tolist() == [[0, 0, 1, 0], [0, 0, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0]]
    assert task.to_text().split() == text.split()
    on_a_bit = BitGridTask.from_text(text.replace("@", ".").replace("##", "#&"))
    assert on_a_bit.start.tolist() == [1, 2] and on_a_bit.goal[2].tolist() == [1, 1, 0, 0]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "text is '', expected as many symbols in every line as there are lines"),
        ("@..\n..#", "expected as many symbols in every line as there are lines"),
        ("@..\n..x\n...", "symbol in line 2 is 'x', expected one of .#@&"),
        ("...\n..#\n...", "number of starts is 0, expected 1"),
        ("@..\n..&\n...", "number of starts is 2, expected 1"),
    ],
)
def test_bad_text_is_refused(text, part):
    with pytest.raises(InvalidTaskError) as caught:
        BitGridTask.from_text(text)
    assert part in str(caught.value) and "\n" not in str(caught.value)


def goal_with(y: int, x: int, value: int) -> np.ndarray:
    goal = GOAL.copy()
    goal[y, x] = value
    return goal


@pytest.mark.parametrize(
    ("start", "goal", "part"),
    [
        (np.array([13, 0], np.int8), GOAL, "start is (13, 0), expected x and y, whole numbers in [0, 12]"),
        (np.array([0, -1], np.int8), GOAL, "start is (0, -1), expected x and y, whole numbers in [0, 12]"),
        (np.zeros(2), GOAL, "start's type is 'float64', expected an array of int8"),
        ((0, 0), GOAL, "start's type is 'tuple', expected an array of int8"),
        (np.zeros(3, np.int8), GOAL, "start's shape is (3,), expected (2,)"),
        (START, np.zeros((13, 13), np.int8), "number of goal bits that are on is 0, expected at least 1"),
        (START, goal_with(3, 4, 2), "goal[3, 4] is 2, expected 0 (off) or 1 (on)"),
        (START, goal_with(12, 0, -1), "goal[12, 0] is -1, expected 0 (off) or 1 (on)"),
        (START, GOAL.astype(bool), "goal's type is 'bool', expected an array of int8"),
        (START, GOAL[:12], "goal's shape is (12, 13), expected (13, 13)"),
        (START, GOAL[np.newaxis], "goal's shape is (1, 13, 13), expected (13, 13)"),
    ],
)
def test_invalid_task_is_refused(start, goal, part):
    with pytest.raises(InvalidTaskError) as caught:
        BitGridTaskSpace().resolve(BitGridTask(start, goal))
    assert part in str(caught.value) and "\n" not in str(caught.value)
