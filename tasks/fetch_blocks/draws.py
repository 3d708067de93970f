"""The paper's distribution of starts (section D.1), and goals for the block to act on."""

import numpy as np

from procgen_bench.tasks.fetch_blocks.stacking import settle
from procgen_bench.tasks.fetch_blocks.start import HELD, FetchBlocksStart
from procgen_bench.tasks.fetch_blocks.table import (
    GOAL_HIGH,
    GRIPPER_LOW,
    REACH_HIGH,
    REACH_LOW,
    apart,
    height,
    least_gripper_height,
)
from procgen_bench.tasks.fetch_blocks.task import FetchBlocksTask

#: Probabilities that the first block starts in the gripper, or under it, and that another starts on top of one.
IN_GRIPPER, UNDER_GRIPPER, ON_TOP = 0.2, 0.4, 0.4
#: Greatest height of the gripper that is drawn; it starts higher where a stack is in its way.
_GRIPPER_DRAWN_HIGH = 0.55
#: Probability that the first block's goal is in the air.
_GOAL_IN_AIR = 0.5


def draw_start(
    rng: np.random.Generator, num_blocks: int, first: int | None = None, randomness: float = 0.0
) -> FetchBlocksStart:
    """A start of the paper's distribution.

    The block to act on starts in the gripper with probability 0.2, under it with 0.4, and elsewhere with
    0.4. The others follow in a random order, each on top of a stack with probability 0.4, but never on the block to act
    on, which is to be moved. What is not put anywhere else has a uniform place on the table with room for it, and the
    gripper one above.

    Args:
        rng: Draws it.
        num_blocks: Number of blocks, N.
        first: Index of the block to act on; ``None``: any.
        randomness: 0: these probabilities. 1: all blocks have random places on the table. Between, the probabilities
            are multiplied by what it lacks of 1.
    """
    shaped = 1.0 - randomness
    gripper = np.array([*_draw_place(rng), rng.uniform(GRIPPER_LOW, _GRIPPER_DRAWN_HIGH)])
    first = int(rng.integers(num_blocks)) if first is None else first
    places, levels = np.empty((num_blocks, 2)), np.zeros(num_blocks, np.int8)
    chance = rng.random()
    places[first] = gripper[:2] if chance < shaped * (IN_GRIPPER + UNDER_GRIPPER) else _draw_place(rng)
    levels[first] = HELD if chance < shaped * IN_GRIPPER else 0
    others = rng.permutation(np.delete(np.arange(num_blocks), first))
    for count, block in enumerate(others.tolist()):
        before = others[:count]
        if count and rng.random() < shaped * ON_TOP:
            beneath = before[rng.integers(count)]
            places[block], levels[block] = settle(places[beneath], places[before], levels[before])
        else:
            # A held block is in no other's way, but it is to be put down some time.
            places[block] = _draw_free_place(rng, places[[first, *before]])
    lying = levels != HELD
    gripper[2] = max(gripper[2], least_gripper_height(gripper, places[lying], levels[lying]))
    return FetchBlocksStart(places, levels, gripper)


def draw_goal(rng: np.random.Generator, start: FetchBlocksStart, first: int) -> np.ndarray:
    """Desired places (float64 (N, 3)): a uniform one for block ``first``, for all others where they are.

    Half of them are where the block stands when it is put down there, on the table or on a stack; the others up
    to 0.7 high in the air above.
    """
    goal = start.positions
    others = np.arange(start.num_blocks) != first
    place, level = settle(_draw_place(rng), start.places[others], start.levels[others])
    lowest = height(level)
    goal[first] = *place, rng.uniform(lowest, GOAL_HIGH) if rng.random() < _GOAL_IN_AIR else lowest
    return goal


def draw_task(rng: np.random.Generator, num_blocks: int, randomness: float = 0.0) -> FetchBlocksTask:
    """One of the blocks to act on, a start (:func:`draw_start`) and a goal (:func:`draw_goal`)."""
    first = int(rng.integers(num_blocks))
    start = draw_start(rng, num_blocks, first, randomness)
    return FetchBlocksTask(start, first, draw_goal(rng, start, first))


def _draw_place(rng: np.random.Generator) -> np.ndarray:
    return rng.uniform(REACH_LOW, REACH_HIGH)


def _draw_free_place(rng: np.random.Generator, places: np.ndarray) -> np.ndarray:
    while True:
        place = _draw_place(rng)
        if apart(place, places).all():
            return place
