"""Hypothesis strategies of CompositionalMiniGrid tasks and parameters, and rooms where random actions meet much."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from procgen_bench.tasks.compositional_minigrid import CompositionalMiniGridTask

#: What each subtask needs, written out (key, door, ball, box).
NEEDS = {0: {0}, 1: {0, 1}, 2: {2}, 3: {3}, 4: {2, 3}}

_coordinates = st.one_of(st.floats(0, 6, width=32), st.integers(0, 12).map(lambda half: half / 2))

#: Raw parameters anywhere in the space, its edges and taken tiles included.
parameters = st.fixed_dictionaries(
    {
        "subtasks": arrays(np.int8, 5, elements=st.integers(0, 1)),
        "coordinates": arrays(np.float32, (6, 2), elements=_coordinates),
        "direction": arrays(np.int8, 1, elements=st.integers(0, 3)),
        "colours": arrays(np.int8, 3, elements=st.integers(0, 5)),
    }
)


def present(subtasks) -> list[bool]:
    """Which of key, door, ball, box and goal a design brings."""
    needed = set().union(*(NEEDS[k] for k in range(5) if subtasks[k]))
    return [thing in needed for thing in range(4)] + [True]


def room(subtasks, tiles, direction: int, colours) -> CompositionalMiniGridTask:
    """A task from six tiles (0 to 35): of the agent, key, door, ball, box and goal."""
    here = present(subtasks)
    spots = [(1 + tile % 6, 1 + tile // 6) for tile in tiles]
    return CompositionalMiniGridTask(
        np.array(subtasks, np.int8),
        np.array([*spots[0], direction], np.int8),
        np.array([spot if needed else (-1, -1) for spot, needed in zip(spots[1:], here)], np.int8),
        np.array([colour if here[thing] else -1 for thing, colour in zip((0, 2, 3), colours)], np.int8),
    )


@st.composite
def tasks(draw) -> CompositionalMiniGridTask:
    """Valid tasks, made directly and not by the space's decode."""
    return room(
        draw(st.lists(st.integers(0, 1), min_size=5, max_size=5)),
        draw(st.lists(st.integers(0, 35), min_size=6, max_size=6, unique=True)),
        draw(st.integers(0, 3)),
        draw(st.lists(st.integers(0, 5), min_size=3, max_size=3)),
    )


def crowded_rooms(count: int, seed: int, share: float = 0.8) -> list[CompositionalMiniGridTask]:
    """Rooms with everything in one corner, where random actions meet everything; each subtask is asked by ``share``."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        side = int(rng.integers(3, 5))
        spots = rng.permutation(side * side)[:6]
        corner = rng.integers(0, 7 - side, size=2)
        tiles = (spots // side + corner[0]) * 6 + spots % side + corner[1]
        made.append(room(rng.random(5) < share, tiles.tolist(), int(rng.integers(4)), rng.integers(0, 6, size=3)))
    return made
