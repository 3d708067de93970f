"""The paper's distribution of starts (section D.1) and starts beside it, and goals for the block to act on."""

from typing import Literal, get_args

import numpy as np

from procgen_bench.core.checks import check_choice
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.tasks.fetch_blocks.stacking import settle
from procgen_bench.tasks.fetch_blocks.start import HELD, FetchBlocksStart
from procgen_bench.tasks.fetch_blocks.table import GOAL_HIGH, GRIPPER_LOW, apart, height, least_gripper_height
from procgen_bench.tasks.fetch_blocks.task import FetchBlocksTask
from procgen_bench.tasks.programs.zones import PLACE_CLEARANCE, REACH_HIGH, REACH_LOW, RESTING_HEIGHT

#: Probabilities that the first block starts in the gripper, or under it, and that another starts on top of one.
IN_GRIPPER, UNDER_GRIPPER, ON_TOP = 0.2, 0.4, 0.4
#: Greatest height of the gripper that is drawn; it starts higher where a stack is in its way.
_GRIPPER_DRAWN_HIGH = 0.55
#: Probability that the first block's goal is in the air.
_GOAL_IN_AIR = 0.5
#: Where the block to act on starts, and with which block in the gripper: itself, none, or another, which may be beside.
StartKind = Literal["held", "under", "anywhere", "other-held", "beside-held"]
START_KINDS: tuple[StartKind, ...] = get_args(StartKind)
#: How far beside a gripped block one starts, at most, along x or along y: half as far again as it has to.
_BESIDE = 1.5 * np.array(PLACE_CLEARANCE)


def draw_start(
    rng: np.random.Generator,
    num_blocks: int,
    first: int | None = None,
    randomness: float = 0.0,
    kind: StartKind | None = None,
    tower: int = 0,
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
        randomness: 0: these probabilities. 1: all blocks have random places on the table. Between (0 to 1), the
            probabilities are multiplied by what it lacks of 1.
        kind: How it starts, in place of chance: ``"held"``, ``"under"`` or ``"anywhere"``, or, which the paper does not
            draw, with another block in the gripper (``"other-held"``), which may be just beside (``"beside-held"``).
        tower: How many of the further blocks, of those that are not in the gripper, stand in one stack, all further
            ones on the table; 0: as chance has it.

    Raises:
        InvalidOptionError: There is no such kind, or there are not as many blocks for a tower.
    """
    check_choice("kind", kind, (None, *START_KINDS))
    shaped = 1.0 - randomness
    gripper = np.array([*_draw_place(rng), rng.uniform(GRIPPER_LOW, _GRIPPER_DRAWN_HIGH)])
    first = int(rng.integers(num_blocks)) if first is None else first
    places, levels = np.empty((num_blocks, 2)), np.zeros(num_blocks, np.int8)
    kind = kind or _kind_by_chance(rng.random(), shaped)
    if kind in ("other-held", "beside-held"):
        held, *rest = rng.permutation(np.delete(np.arange(num_blocks), first)).tolist()
        others = np.array(rest, np.int64)
        places[held], levels[held] = gripper[:2], HELD
        places[first] = _draw_free_place(rng, places[[held]], beside=kind == "beside-held")
        standing, gripper[2] = [held, first], GRIPPER_LOW
    else:
        places[first] = _draw_place(rng) if kind == "anywhere" else gripper[:2]
        levels[first] = HELD if kind == "held" else 0
        others, standing = rng.permutation(np.delete(np.arange(num_blocks), first)), [first]
    if not 0 <= tower <= len(others):
        raise InvalidOptionError(f"tower is {tower!r}, expected 0 to {len(others)}, the further blocks on the table")
    for count, block in enumerate(others.tolist()):
        before = others[:count]
        if count and (count < tower if tower else rng.random() < shaped * ON_TOP):
            beneath = before[rng.integers(count)]
            places[block], levels[block] = settle(places[beneath], places[before], levels[before])
        else:
            # A held block is in no other's way, but it is to be put down some time.
            places[block] = _draw_free_place(rng, places[[*standing, *before]])
    lying = levels != HELD
    gripper[2] = max(gripper[2], least_gripper_height(gripper, places[lying], levels[lying]))
    return FetchBlocksStart(places, levels, gripper)


def _kind_by_chance(chance: float, shaped: float) -> StartKind:
    """The paper's kind of start, by a uniform number in [0, 1)."""
    if chance < shaped * IN_GRIPPER:
        return "held"
    return "under" if chance < shaped * (IN_GRIPPER + UNDER_GRIPPER) else "anywhere"


def draw_goal(
    rng: np.random.Generator,
    start: FetchBlocksStart,
    first: int,
    on_highest: bool = False,
    let_go: bool = False,
) -> np.ndarray:
    """Desired places (float64 (N, 3)): a uniform one for block ``first``, for all others where they are.

    Half of them are where the block stands when it is put down there, on the table or on a stack; the others up
    to 0.7 high in the air above.

    Args:
        rng: Draws it.
        start: Where the blocks are.
        first: Index of the block to act on.
        on_highest: Whether it is desired on top of the highest stack of other blocks, in place of chance.
        let_go: Whether another block that is held is desired on the table beneath, where it falls.
    """
    goal = start.positions
    others = np.arange(start.num_blocks) != first
    if let_go:
        held = others & (start.levels == HELD)
        goal[held, 2] = RESTING_HEIGHT
        others &= ~held
    if on_highest:
        highest = np.flatnonzero(others)[start.levels[others].argmax()]
        goal[first] = *start.places[highest], height(int(start.levels[highest]) + 1)
        return goal
    place, level = settle(_draw_place(rng), start.places[others], start.levels[others])
    lowest = height(level)
    goal[first] = *place, rng.uniform(lowest, GOAL_HIGH) if rng.random() < _GOAL_IN_AIR else lowest
    return goal


def draw_task(rng: np.random.Generator, num_blocks: int, randomness: float = 0.0) -> FetchBlocksTask:
    """One of the blocks to act on, a start (:func:`draw_start`, which says what ``randomness``, 0 to 1, is) and a goal
    (:func:`draw_goal`)."""
    first = int(rng.integers(num_blocks))
    start = draw_start(rng, num_blocks, first, randomness)
    return FetchBlocksTask(start, first, draw_goal(rng, start, first))


def _draw_place(rng: np.random.Generator) -> np.ndarray:
    return rng.uniform(REACH_LOW, REACH_HIGH)


def _draw_free_place(rng: np.random.Generator, places: np.ndarray, beside: bool = False) -> np.ndarray:
    """A place with room among ``places`` (K, 2), or just ``beside`` the first of them."""
    while True:
        place = _draw_place(rng)
        is_near = not beside or (np.abs(place - places[0]) <= _BESIDE).all()
        if is_near and apart(place, places).all():
            return place
