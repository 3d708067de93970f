import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.ant_maze import AntMazeTask, goal_distance

TASK = AntMazeTask(np.array([0.1, -0.05]), np.array([1.0, 16.25]))
TEXT = "start 0.1 -0.05\ngoal 1.0 16.25"


def with_points(start=(0.0, 0.0), goal=(0.0, 16.0)) -> AntMazeTask:
    return AntMazeTask(np.array(start, np.float64), np.array(goal, np.float64))


def test_text_is_readable():
    assert TASK.to_text() == TEXT


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "number of lines is 0, expected 2"),
        (TEXT + "\nmore", "number of lines is 3, expected 2"),
        ("start 1\ngoal 1 2", "line of the start is 'start 1', expected 'start' and 2 numbers"),
        ("goal 1 2\nstart 1 2", "line of the start is 'goal 1 2'"),
        ("start 1 2\ngoal one 2", "line of the goal is 'goal one 2', expected 'goal' and 2 numbers"),
    ],
)
def test_bad_text_is_refused(text, part):
    with pytest.raises(InvalidTaskError) as caught:
        AntMazeTask.from_text(text)
    assert part in str(caught.value)


@pytest.mark.parametrize(
    ("task", "part"),
    [
        (with_points(start=(-3.1, 0)), "x of start is -3.1, expected a number in [-3.0, 19.0]"),
        (with_points(start=(0, np.nan)), "y of start is nan, expected a number in [-3.0, 19.0]"),
        (with_points(goal=(np.inf, 0)), "x of goal is inf, expected a number in [-3.5, 19.5]"),
        (with_points(goal=(0, 19.6)), "y of goal is 19.6, expected a number in [-3.5, 19.5]"),
        (
            with_points(start=(12.9, 8)),
            "start is (12.9, 8.0), expected a point 1.0 off the wall: x at least 13.0, or y at most 3.0 or at least 13",
        ),
        (with_points(goal=(0, 8)), "goal is (0.0, 8.0), expected a point 0.5 off the wall: x at least 12.5, or y at"),
        (with_points(goal=(0, 12.4)), "goal is (0.0, 12.4), expected a point 0.5 off the wall"),
    ],
)
def test_points_in_walls_and_outside_are_refused(task, part):
    with pytest.raises(InvalidTaskError) as caught:
        task.validate()
    assert part in str(caught.value) and "\n" not in str(caught.value)


def test_points_may_touch_the_gap():
    with_points(start=(13, 8), goal=(12.5, 8)).validate()
    with_points(start=(-3, 3), goal=(-3.5, 19.5)).validate()


def test_goal_distance_is_the_l2_norm_in_double_precision():
    one, other = np.random.default_rng(0).uniform(-4, 20, (2, 7, 5, 2)).astype(np.float32)
    expected = np.linalg.norm(one.astype(np.float64) - other, axis=-1)
    assert goal_distance(one, other).dtype == np.float64
    np.testing.assert_allclose(goal_distance(one, other), expected, rtol=1e-15)
