"""Raw parameters of starts, between a teacher and both task spaces of the arm."""

import numpy as np
from gymnasium import spaces

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.task_space import Parameters
from procgen_bench.tasks.fetch_blocks.stacking import stack
from procgen_bench.tasks.fetch_blocks.start import HELD, FetchBlocksStart
from procgen_bench.tasks.fetch_blocks.table import GRIPPER_HIGH, GRIPPER_LOW, MOST_BLOCKS, least_gripper_height
from procgen_bench.tasks.programs.zones import REACH_HIGH, REACH_LOW

#: Height of a block that is put down last of all.
_LAST = 1.0


def start_spaces(num_blocks: int) -> dict[str, spaces.Space]:
    """The leaves of a start's parameters, float64, by name; what they mean is written at the task spaces."""
    return {
        "first": spaces.Box(-1.0, 1.0, (num_blocks,), np.float64),
        "gripper": box((*REACH_LOW, GRIPPER_LOW), (*REACH_HIGH, GRIPPER_HIGH)),
        "heights": spaces.Box(0.0, 1.0, (num_blocks,), np.float64),
        "held": spaces.Box(-1.0, 1.0, (1,), np.float64),
        "places": box(REACH_LOW, REACH_HIGH, (num_blocks, 1)),
    }


def decode_start(params: Parameters) -> tuple[FetchBlocksStart, int]:
    """The start of parameters, of the shapes and dtypes of :func:`start_spaces`, and the block that ``first`` names."""
    num_blocks = len(params["places"])
    first, held = int(params["first"].argmax()), bool(params["held"][0] > 0)
    lying = np.array([block for block in range(num_blocks) if not (held and block == first)])
    order = lying[np.argsort(params["heights"][lying], kind="stable")]
    places, levels = stack(params["places"], order)
    gripper = params["gripper"].copy()
    if held:
        places[first], levels[first] = gripper[:2], HELD
    lowest = least_gripper_height(gripper, places[lying], levels[lying])
    gripper[2] = max(gripper[2], lowest)
    return FetchBlocksStart(places, levels, gripper), first


def encode_start(start: FetchBlocksStart, first: int) -> Parameters:
    """The places as they are; heights tell the levels apart. Shapes and dtypes are those of :func:`start_spaces`.

    Raises:
        InvalidTaskError: Another block than ``first`` is held.
    """
    if start.held not in (None, first):
        raise InvalidTaskError("held block", start.held, f"{first}, the first, to have parameters")
    return {
        "first": np.where(np.arange(start.num_blocks) == first, 1.0, -1.0),
        "gripper": start.gripper.copy(),
        "heights": np.maximum(start.levels, 0) / MOST_BLOCKS,
        "held": np.array([-1.0 if start.held is None else 1.0]),
        "places": start.places.copy(),
    }


def change_block(params: Parameters, fresh: Parameters, block: int) -> None:
    """Put ``block`` down last of all, where ``fresh`` parameters have it; both are as :func:`start_spaces`, ``params``
    changes in place."""
    params["places"][block], params["heights"][block] = fresh["places"][block], _LAST


def box(low, high, rows: tuple[int, ...] = (1,)) -> spaces.Box:
    """What lies between two points, or rows of it."""
    return spaces.Box(np.tile(np.float64(low), rows), np.tile(np.float64(high), rows), dtype=np.float64)
