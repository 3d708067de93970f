"""The programs' conditions written down a second time, in plain Python, for one state, as the specification says them.

``places`` are the blocks' centres: a list of (x, y, z). Blocks 0, 1 and 4 are orange, 2, 3 and 5 blue.
"""

from itertools import permutations
from math import dist

from procgen_bench.tasks.programs.zones import COLOURS, PLACE_CLEARANCE, ZONE_PLACES, ZONES

_COLOURS = ["ORANGE", "ORANGE", "BLUE", "BLUE", "ORANGE", "BLUE"]
_PLACES = {colour: places.tolist() for colour, places in zip(COLOURS, ZONE_PLACES)}
_ZONES = {zone.colour: zone for zone in ZONES}


def places_of(state) -> list[list[float]]:
    """The blocks' centres of a state."""
    numbers = state.tolist()
    return [numbers[start : start + 3] for start in range(0, len(numbers) - 10, 15)]


def precondition(name: str, places) -> bool:
    match name.split("_"):
        case ["Stack", upper, lower] if upper.isdigit():
            return _movable(places, int(upper)) and _clear(places, int(lower))
        case ["Move", "To", "Zone", block, colour]:
            return _movable(places, int(block)) and _free_place(places, int(block), colour) is not None
    return True


def goal(name: str, places) -> list[float]:
    """Zeros of a program that has none."""
    wanted = [list(place) for place in places]
    match name.split("_"):
        case ["Stack", upper, lower] if upper.isdigit():
            x, y, z = places[int(lower)]
            wanted[int(upper)] = [x, y, z + 0.05]
        case ["Move", "To", "Zone", block, colour]:
            wanted[int(block)] = [*(_free_place(places, int(block), colour) or _PLACES[colour][0]), 0.425]
        case _:
            wanted = [[0.0, 0.0, 0.0]] * len(places)
    return [number for place in wanted for number in place]


def postcondition(name: str, places, goal) -> bool:
    blocks = range(len(places))
    match name.split("_"):
        case ["Move", "All", "To", "Zone", colour]:
            return all(_in_zone(places, block) for block in blocks if _COLOURS[block] == colour)
        case ["Clean", "Table"]:
            return all(_in_zone(places, block) for block in blocks)
        case ["Stack", "All", "To", "Zone", colour]:
            return _stacked_at_home(places, colour)
        case ["Clean", "And", "Stack"]:
            return all(_stacked_at_home(places, colour) for colour in COLOURS)
        case ["Stack", "All", "Blocks"]:
            return any(_supported(places, order[0]) and _tower(places, order) for order in permutations(blocks))
    return all(dist(place, goal[3 * block : 3 * block + 3]) <= 0.05 for block, place in enumerate(places))


def _on(places, upper, lower):
    x, y, z = places[lower]
    return places[upper][2] - z < 0.075 and dist(places[upper], (x, y, z + 0.05)) <= 0.05


def _others(places, block):
    return (other for other in range(len(places)) if other != block)


def _clear(places, block):
    return not any(_on(places, other, block) for other in _others(places, block))


def _supported(places, block):
    return places[block][2] <= 0.475 or any(_on(places, block, other) for other in _others(places, block))


def _movable(places, block):
    return _clear(places, block) and all(_supported(places, other) for other in _others(places, block))


def _free_place(places, block, colour):
    for x, y in _PLACES[colour]:
        if all(
            abs(places[other][0] - x) >= PLACE_CLEARANCE[0] or abs(places[other][1] - y) >= PLACE_CLEARANCE[1]
            for other in _others(places, block)
        ):
            return x, y
    return None


def _in_zone(places, block):
    zone = _ZONES[_COLOURS[block]]
    away = max(abs(places[block][0] - zone.centre[0]), abs(places[block][1] - zone.centre[1]))
    return away <= zone.half_side and _supported(places, block)


def _stacked_at_home(places, colour):
    blocks = [block for block in range(len(places)) if _COLOURS[block] == colour]
    orders = permutations(blocks)
    return not blocks or any(_in_zone(places, order[0]) and _tower(places, order) for order in orders)


def _tower(places, order):
    return all(_on(places, upper, lower) for upper, lower in zip(order[1:], order))
