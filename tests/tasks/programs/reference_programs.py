"""The programs' conditions written down a second time, for one state, as the specification says them."""

from itertools import permutations

import numpy as np

from procgen_bench.tasks.programs.states import block_positions
from procgen_bench.tasks.programs.zones import BLOCK_COLOURS, COLOURS, PLACE_CLEARANCE, ZONE_PLACES, ZONES

UP = np.array([0.0, 0.0, 0.05])
BLOCKS = range(4)


def precondition(name: str, state: np.ndarray) -> bool:
    places = block_positions(state)
    match name.split("_"):
        case ["Stack", upper, lower] if upper.isdigit():
            return _movable(places, int(upper)) and _clear(places, int(lower))
        case ["Move", "To", "Zone", block, colour]:
            return _movable(places, int(block)) and _free_place(places, int(block), colour) is not None
        case _:
            return True


def goal(name: str, state: np.ndarray) -> np.ndarray:
    places = block_positions(state).copy()
    match name.split("_"):
        case ["Stack", upper, lower]:
            places[int(upper)] = places[int(lower)] + UP
        case ["Move", "To", "Zone", block, colour]:
            place = _free_place(places, int(block), colour)
            places[int(block)] = *(ZONE_PLACES[COLOURS.index(colour), 0] if place is None else place), 0.425
    return places.ravel()


def postcondition(name: str, state: np.ndarray) -> bool:
    """Of a non-atomic program."""
    places = block_positions(state)
    match name.split("_"):
        case ["Move", "All", "To", "Zone", colour]:
            return all(_in_zone(places, block) for block in BLOCKS if _colour(block) == colour)
        case ["Clean", "Table"]:
            return all(_in_zone(places, block) for block in BLOCKS)
        case ["Stack", "All", "To", "Zone", colour]:
            return _pair_stacked(places, colour)
        case ["Clean", "And", "Stack"]:
            return all(_pair_stacked(places, colour) for colour in COLOURS)
        case ["Stack", "All", "Blocks"]:
            return any(_tower(places, order) for order in permutations(BLOCKS))
    raise AssertionError(name)


def _colour(block):
    return COLOURS[BLOCK_COLOURS[block]]


def _on(places, upper, lower):
    too_high = places[upper, 2] - places[lower, 2] >= 0.075
    return not too_high and np.linalg.norm(places[upper] - places[lower] - UP) <= 0.05


def _clear(places, block):
    return not any(_on(places, other, block) for other in BLOCKS if other != block)


def _supported(places, block):
    return places[block, 2] <= 0.475 or any(_on(places, block, other) for other in BLOCKS if other != block)


def _movable(places, block):
    return _clear(places, block) and all(_supported(places, other) for other in BLOCKS if other != block)


def _free_place(places, block, colour):
    others = np.delete(places, block, axis=0)[:, :2]
    for place in ZONE_PLACES[COLOURS.index(colour)]:
        if (np.abs(others - place) >= PLACE_CLEARANCE).any(axis=1).all():
            return place
    return None


def _in_zone(places, block):
    zone = ZONES[BLOCK_COLOURS[block]]
    is_over = (np.abs(places[block, :2] - zone.centre) <= zone.half_side).all()
    return bool(is_over) and _supported(places, block)


def _pair_stacked(places, colour):
    pairs = permutations([block for block in BLOCKS if _colour(block) == colour])
    return any(_in_zone(places, below) and _on(places, above, below) for below, above in pairs)


def _tower(places, order):
    return _supported(places, order[0]) and all(_on(places, *pair) for pair in zip(order[1:], order))
