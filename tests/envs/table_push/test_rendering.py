import numpy as np
import pytest

from procgen_bench.envs.table_push.moments import TOOL_WAITS, standing
from procgen_bench.envs.table_push.rendering import CAN_COLOURS, FLAT_COLOUR, HEIGHT, PIT_COLOUR, WIDTH, draw_map
from procgen_bench.tasks.table_push import TablePushTaskSpace
from tests.envs.table_push.tables import open_table, table

SCALE = min(WIDTH / 0.99, HEIGHT / 0.69)


def pixel(frame: np.ndarray, x: float, y: float) -> np.ndarray:
    """The colour at a place on the usual table (metres)."""
    return frame[int(HEIGHT / 2 - (y - 0.3) * SCALE), int(WIDTH / 2 + (x - 0.45) * SCALE)].astype(int)


def close(one, other, tolerance: int = 25) -> bool:
    return np.abs(np.array(one) - other).max() <= tolerance


def test_things_are_drawn_where_they_are():
    task = table("......\n..#...\n....o.\n......", (0.225, 0.225), (0.525, 0.075), goal=(0.075, 0.525), goal_range=0.1)
    frame = draw_map(task, standing(task.objects))
    assert frame.shape == (HEIGHT, WIDTH, 3) and frame.dtype == np.uint8
    assert close(pixel(frame, 0.82, 0.3), FLAT_COLOUR)
    assert close(pixel(frame, 0.675, 0.225), PIT_COLOUR)
    wall = pixel(frame, 0.375, 0.375)
    assert not close(wall, FLAT_COLOUR) and not close(wall, PIT_COLOUR)
    goal = pixel(frame, 0.075, 0.525)
    assert goal[1] > goal[0] + 30 and goal[2] > goal[0] + 30
    for (x, y), colour in zip(task.objects[:2], CAN_COLOURS):
        assert close(pixel(frame, x + 0.0265, y), colour)


def test_only_what_stands_is_drawn():
    task = open_table((0.225, 0.225), (0.525, 0.075), (0.825, 0.525))
    whole, none = draw_map(task, standing(task.objects)), draw_map(task, standing(np.full((3, 2), np.nan)))
    changed = np.argwhere((whole != none).any(axis=-1))
    assert 2_000 < len(changed) < 9_000
    assert close(pixel(none, 0.225, 0.225), FLAT_COLOUR)


@pytest.mark.parametrize("name", ["A", "out-of-space"])
def test_every_table_fits_the_frame(name):
    task = TablePushTaskSpace().suite("targets")[name]
    frame = draw_map(task, standing(task.objects))
    assert frame.shape == (HEIGHT, WIDTH, 3)
    border = np.concatenate([frame[0], frame[-1], frame[:, 0], frame[:, -1]])
    assert not (np.abs(border.astype(int) - FLAT_COLOUR).max(axis=-1) < 12).any()


def test_drawing_again_is_the_same_picture():
    task = open_table((0.3, 0.3))
    first = draw_map(task, standing(task.objects))
    draw_map(task, standing(task.objects + 0.1))
    assert np.array_equal(draw_map(task, standing(task.objects)), first)


def test_the_tool_is_drawn_where_it_is():
    task = open_table((0.3, 0.3))
    without, with_tool = (draw_map(task, standing(task.objects, posture)) for posture in (None, TOOL_WAITS))
    rows, columns = (without != with_tool).any(axis=-1).nonzero()
    x, y = 0.45 + (columns - WIDTH / 2) / SCALE, 0.3 - (rows - HEIGHT / 2) / SCALE
    assert len(rows) > 200 and abs(x - 0.45).max() < 0.08 and abs(y - 0.05).max() < 0.08
