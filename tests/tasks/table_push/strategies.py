"""Hypothesis strategies of TablePush's parameters and tasks."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.table_push import TablePushTask, TablePushTaskSpace

SPACE = TablePushTaskSpace()


def _floats(low: float, high: float):
    return st.floats(low, high, width=32)


_HIGH = SPACE.space["goal"].high.tolist()
_OFFSET = float(SPACE.space["offsets"].high[0, 0])
_RANGE = [float(bound[0]) for bound in (SPACE.space["goal_range"].low, SPACE.space["goal_range"].high)]

#: Raw parameters anywhere in the space, its edges and ties included.
parameters = st.fixed_dictionaries(
    {
        "blocks": arrays(np.float32, (6, 4, 3), elements=_floats(-10, 10), fill=st.sampled_from([0.0, -10.0, 10.0])),
        "tiles": arrays(np.float32, (3, 24), elements=_floats(-10, 10), fill=st.sampled_from([0.0, -10.0])),
        "offsets": arrays(np.float32, (3, 2), elements=_floats(-_OFFSET, _OFFSET)),
        "goal_range": arrays(np.float32, (1,), elements=_floats(*_RANGE)),
        "goal": st.tuples(*(_floats(0, high) for high in _HIGH)).map(lambda place: np.array(place, np.float32)),
    }
)


def _micrometres(low: int, high: int):
    return st.integers(low, high).map(lambda number: round(number / 1e6, 6))


@st.composite
def tasks(draw) -> TablePushTask:
    """Valid tasks of any shape with cans and obstacles anywhere, made directly."""
    rows, columns = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    x, y = _micrometres(0, 150_000 * rows), _micrometres(0, 150_000 * columns)
    size, angle = _micrometres(1, 300_000), _micrometres(-3_141_592, 3_141_592)
    boxes = draw(st.lists(st.tuples(x, y, size, size, angle), max_size=2))
    task = TablePushTask(
        blocks=draw(arrays(np.int8, (rows, columns), elements=st.integers(0, 2))),
        objects=np.full((3, 2), np.nan),
        goal=np.array([draw(x), draw(y)]),
        goal_range=draw(_micrometres(100_000, 600_000)),
        obstacles=np.array(boxes, np.float64).reshape(-1, 5),
    )
    for can in range(3):
        objects = task.objects.copy()
        objects[can] = draw(x), draw(y)
        moved = TablePushTask(task.blocks, objects, task.goal, task.goal_range, task.obstacles)
        try:
            moved.validate()
        except InvalidTaskError:
            continue
        task = moved
    return task
