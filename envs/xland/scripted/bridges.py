"""Bridges: where a slab becomes a ramp up a ledge, or lies across a gap, where no way leads on.

A beam holds a slab without turning it: it is put where it lies across the edge as it lies now. Let go of with its front
over a ledge, it tips, and leans on it.
"""

import math
from typing import NamedTuple

import numpy as np

from procgen_bench.envs.xland.scripted.navigation import Navigator
from procgen_bench.envs.xland.scripted.senses import Senses
from procgen_bench.tasks.xland.predicates.bodies import SLAB_EDGES
from procgen_bench.tasks.xland.worlds.tiles import STEPS
from procgen_bench.tasks.xland.worlds.tools import leans, run

#: Part of a slab (metres) that lies at least at either end of a gap.
_LEAST_OVERLAP = 0.08
#: Floors up to this difference in height (metres) are bridged flat, and steps from this height on are climbed.
_LEVEL, _STEP = 0.05, 0.35
#: Metres above the edge at which a slab is let go of, and behind the slab at which the player stands.
_CLEARANCE, _BEHIND = 0.12, 0.45
#: How straight a slab must lie to the edge and to the floor: cosine of its angle, and rise of its axis.
_STRAIGHT, _FLAT = 0.97, 0.15


class Bridge(NamedTuple):
    """Where a slab is put, and the way over it.

    Attributes:
        slab: The object.
        x, y, z: Where its centre is let go of (metres).
        tolerance: How far from there along the way (metres).
        start, end: Points (metres) before and beyond.
        east, north: The direction of the way.
    """

    slab: int
    x: float
    y: float
    z: float
    tolerance: float
    start: tuple[float, float]
    end: tuple[float, float]
    east: float
    north: float


def find_bridges(navigator: Navigator, senses: Senses, slab: int, rotation: np.ndarray) -> list[Bridge]:
    """Bridges that a slab can make from where the player can come to where it cannot, the closest first.

    Args:
        navigator, senses: The player's, after a survey.
        slab: The object.
        rotation: float64 (4,), of the slab: unit quaternion (w, x, y, z).
    """
    w, x, y, z = rotation.tolist()
    axis = 1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)
    if abs(axis[2]) > _FLAT:
        return []
    length, thick = senses.sizes[slab] * SLAB_EDGES[0], senses.sizes[slab] * SLAB_EDGES[2]
    slab_x, slab_y, _ = senses.places[slab]
    found = []
    for north, east in STEPS.tolist():
        if abs(axis[0] * east + axis[1] * north) < _STRAIGHT:
            continue
        for row, column in np.argwhere(np.isfinite(navigator.distances) & navigator.terrain.level).tolist():
            bridge = _bridge(navigator, slab, length, thick, row, column, north, east)
            if bridge is not None:
                way = navigator.distances[row, column] + math.hypot(bridge.x - slab_x, bridge.y - slab_y)
                found.append((float(way), row, column, bridge))
    return [bridge for *_, bridge in sorted(found, key=lambda one: one[:3])]


def _bridge(
    navigator: Navigator, slab: int, length: float, thick: float, row: int, column: int, north: int, east: int
) -> Bridge | None:
    """The bridge from a cell in a direction."""
    heights, distances = navigator.terrain.heights, navigator.distances
    width = float(navigator.terrain.cell[0] if east else navigator.terrain.cell[1])
    here = float(heights[row, column])
    far, cells = (row + north, column + east), 0
    while _is_inside(far, heights) and heights[far] < here - _STEP:
        far, cells = (far[0] + north, far[1] + east), cells + 1
    if not _is_inside(far, heights) or np.isfinite(distances[far]):
        return None
    rise, gap = float(heights[far]) - here, cells * width
    x, y, _ = navigator.middle(row, column)
    x, y = x + east * width / 2, y + north * width / 2  # the edge
    if cells == 0 and rise > _STEP and leans(length, rise):
        before = run(length, rise)
        centre, height, tolerance = length / 2 - before, here + rise + thick / 2 + _CLEARANCE, 0.25
        begin, end = -before - 1.0, 1.0
    elif cells and abs(rise) < _LEVEL and gap <= length - 2 * _LEAST_OVERLAP:
        centre, height, tolerance = gap / 2, here + thick / 2 + _CLEARANCE, (length - gap) / 2 - 0.04
        begin, end = (gap - length) / 2 - 0.5, gap + 0.5
    else:
        return None
    stand = centre - length / 2 - _BEHIND
    behind = navigator.cell(x + stand * east, y + stand * north)
    if not np.isfinite(distances[behind]) or abs(float(heights[behind]) - here) > _LEVEL:
        return None
    return Bridge(
        slab,
        x + centre * east,
        y + centre * north,
        height,
        min(tolerance, 0.25),
        (x + begin * east, y + begin * north),
        (x + end * east, y + end * north),
        float(east),
        float(north),
    )


def _is_inside(cell: tuple[int, int], heights: np.ndarray) -> bool:
    return 0 <= cell[0] < heights.shape[0] and 0 <= cell[1] < heights.shape[1]
