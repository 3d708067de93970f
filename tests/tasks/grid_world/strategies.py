"""Hypothesis strategies and generators of GridWorld tasks and parameters."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from procgen_bench.tasks.grid_world import GridWorldTask


def _floats(low: float, high: float):
    return st.floats(low, high, width=32)


#: Raw parameters anywhere in the space, its edges and ties between tiles included.
parameters = st.fixed_dictionaries(
    {
        "tiles": arrays(np.float32, (8, 8, 3), elements=_floats(-10, 10), fill=st.sampled_from([0.0, -10.0, 10.0])),
        "coordinates": arrays(
            np.float32, (5, 2), elements=st.one_of(_floats(0, 10), st.integers(0, 20).map(lambda half: half / 2))
        ),
    }
)


@st.composite
def tasks(draw) -> GridWorldTask:
    """Valid tasks, made directly and not by the space's decode."""
    tiles = draw(arrays(np.int8, (8, 8), elements=st.integers(0, 2)))
    spots = draw(st.lists(st.tuples(st.integers(1, 8), st.integers(1, 8)), min_size=5, max_size=5, unique=True))
    present = draw(st.lists(st.booleans(), min_size=5, max_size=5))
    objects = np.array([spot if here else (-1, -1) for spot, here in zip(spots, present)], np.int8)
    for x, y in objects[objects[:, 0] != -1]:
        tiles[y - 1, x - 1] = 0
    return GridWorldTask(tiles, objects)


def eventful_tasks(count: int, seed: int) -> list[GridWorldTask]:
    """Random tasks with open floors and objects close to the start, where random actions meet everything."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        tiles = rng.choice(3, (8, 8), p=[0.8, 0.13, 0.07]).astype(np.int8)
        side = int(rng.integers(3, 9))
        spots = rng.permutation(side * side)[:5]
        objects = np.stack([spots % side + 1, spots // side + 1], axis=1).astype(np.int8)
        objects[rng.random(5) < 0.15] = -1
        for x, y in objects[objects[:, 0] != -1]:
            tiles[y - 1, x - 1] = 0
        made.append(GridWorldTask(tiles, objects))
    return made
