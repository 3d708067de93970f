"""Bridging: a slab put down as a ramp up a ledge, or across a gap, where no way leads on.

A beam holds a slab without turning it: it is put where it lies across the edge as it lies now. Let go of with its front
over a ledge, it tips, and leans on it.
"""

import math
from typing import NamedTuple

import numpy as np

from procgen_bench.envs.xland.scripted.actor import Actor
from procgen_bench.envs.xland.scripted.aims import reach_of
from procgen_bench.envs.xland.scripted.navigation import Navigator
from procgen_bench.envs.xland.scripted.places import SPOT, wish
from procgen_bench.envs.xland.scripted.senses import Senses
from procgen_bench.envs.xland.scripted.skills import CARRY, CARRY_PITCH, Intent, perform_take
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.tasks.xland.entities import SLAB
from procgen_bench.tasks.xland.predicates.bodies import SLAB_EDGES
from procgen_bench.tasks.xland.worlds.tiles import STEPS

#: Steepest lean that is walked up with ease: the sine of its angle.
_STEEPEST = 0.75
#: Part of a slab (metres) that lies on the ledge on which it leans, and at least at either end of a gap.
_OVERLAP, _LEAST_OVERLAP = 0.2, 0.08
#: Floors up to this difference in height (metres) are bridged flat, and steps from this height on are climbed.
_LEVEL, _STEP = 0.05, 0.35
#: Metres above the edge at which a slab is let go of, and behind the slab at which the player stands.
_CLEARANCE, _BEHIND = 0.12, 0.45
#: How straight a slab must lie to the edge and to the floor: cosine of its angle, and rise of its axis.
_STRAIGHT, _FLAT = 0.97, 0.15
#: How far from the eye a slab is taken (metres).
SLAB_REACH = (2.1, 2.7)
#: Pitch (radians) from which on a slab has been lifted, and the player walks.
_LIFTED = CARRY_PITCH - 0.1
#: Steps of putting a slab down after which a player makes a little move.
_FIDGET = 12
#: Steps in which a slab comes to lie, and for each stage those after which it has failed.
_SETTLING = 12
_LONGEST = {"take": 150, "put": 200, "wait": 30, "approach": 80, "cross": 50}


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
    if cells == 0 and _STEP < rise <= _STEEPEST * (length - _OVERLAP):
        run = math.sqrt((length - _OVERLAP) ** 2 - rise * rise)
        centre, height, tolerance = length / 2 - run, here + rise + thick / 2 + _CLEARANCE, 0.25
        begin, end = -run - 1.0, 1.0
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


def perform_put(bridge: Bridge, actor: Actor, steps: int) -> bool:
    """Hold the slab over its place, straight ahead, and whether it is there.

    Args:
        bridge: The bridge.
        actor: Who holds the slab.
        steps: For how many steps it has been doing so.
    """
    senses = actor.senses
    length, drop = senses.distance, senses.eye - bridge.z
    span = math.sqrt(max(length * length - drop * drop, 0.5))
    stand = bridge.x - span * bridge.east, bridge.y - span * bridge.north
    actor.grab()
    yaw = math.atan2(bridge.north, bridge.east)
    if senses.away(*stand) > 0.5:
        if senses.pitch < _LIFTED:
            actor.look(senses.yaw, CARRY_PITCH)
        else:
            if not actor.walk():
                actor.step_towards(*stand, True)
            actor.look(yaw, CARRY_PITCH)
        return False
    ahead = (bridge.x - senses.x) * bridge.east + (bridge.y - senses.y) * bridge.north
    if steps % _FIDGET == _FIDGET - 1:
        actor.nudge(ahead - span)
    elif abs(ahead - span) > 0.1:
        actor.step_towards(*stand, True)
    pitch = -math.copysign(math.acos(min(ahead / length, 1.0)), drop)
    actor.look(yaw, pitch)
    x, y, z = senses.places[bridge.slab]
    off = (x - bridge.x) * bridge.east + (y - bridge.y) * bridge.north
    aside = (x - bridge.x) * bridge.north - (y - bridge.y) * bridge.east
    return abs(off) < bridge.tolerance and abs(aside) < 0.3 and abs(z - bridge.z) < 0.15


def perform_crossing(bridge: Bridge, actor: Actor) -> bool:
    """Walk over the bridge from its beginning, and whether the player has come to its end."""
    senses = actor.senses
    along = (senses.x - bridge.end[0]) * bridge.east + (senses.y - bridge.end[1]) * bridge.north
    actor.step_towards(*bridge.end, False)
    actor.look(math.atan2(bridge.north, bridge.east), 0.0)
    return along > -0.3


class Builder:
    """Builds a bridge and walks over it: takes the slab, puts it down, waits until it lies, and crosses.

    Attributes:
        bridge: What it builds; ``None``: nothing.
        slabs: Objects that are long enough for it.
    """

    def __init__(self, simulation: XLandSimulation, actor: Actor):
        self._simulation, self._actor = simulation, actor
        world, senses = simulation.task.world, actor.senses
        width, depth, height = world.tile_size.tolist()
        self.slabs = [
            k
            for k, shape in enumerate(senses.shapes)
            if shape == SLAB and senses.sizes[k] > min(width, depth, height / _STEEPEST)
        ]
        self.bridge: Bridge | None = None
        self._stage, self._steps = "take", 0

    def look_for_bridge(self, wishes: np.ndarray, unmet: float) -> None:
        """Begin the closest bridge that leads to a better place.

        Args:
            wishes: WISH (n,), for the place where the player stands.
            unmet: Weight of the wishes that are not met at the best place without one.
        """
        navigator, senses = self._actor.navigator, self._actor.senses
        bridges = []
        for k in self.slabs:
            if senses.present[k] and not senses.taken[k]:
                rotation = self._simulation.states.object_rotations[0, k]
                bridges += find_bridges(navigator, senses, k, rotation)
        leads: dict[tuple[int, int], bool] = {}
        for bridge in bridges:
            end = navigator.cell(*bridge.end)
            if end not in leads:
                leads[end] = navigator.unmet_from(end, wishes) < unmet
            if leads[end]:
                self.bridge = bridge
                self._enter("take")
                return

    def think(self) -> None:
        """Say where to walk, or give up what takes too long."""
        navigator, bridge = self._actor.navigator, self.bridge
        if self._steps > _LONGEST[self._stage]:
            self.bridge = None
            return
        if self._stage == "take":
            wishes = reach_of(tuple(self._actor.senses.places[bridge.slab]), *SLAB_REACH, 1000.0)
        else:
            x, y = bridge.start if self._stage != "put" else self._stand()
            wishes = wish(SPOT, 10.0, x=x, y=y)
        row, column, _, _ = navigator.stand(wishes)
        navigator.set_goal((row, column) if row >= 0 else None)

    def perform(self) -> None:
        """Do a step of it."""
        actor, bridge = self._actor, self.bridge
        senses = actor.senses
        self._steps += 1
        if self._stage in ("take", "put") and (senses.held == bridge.slab) != (self._stage == "put"):
            self._enter("put" if self._stage == "take" else "take")
        if self._stage == "take":
            perform_take(Intent(CARRY, bridge.slab, reach=SLAB_REACH[1]), actor)
        elif self._stage == "put":
            if perform_put(bridge, actor, self._steps):
                actor.let_go()
                self._enter("wait")
        elif self._stage == "wait":
            if self._steps > _SETTLING:
                self._enter("approach")
        elif self._stage == "approach":
            if senses.away(*bridge.start) < 0.35 or not actor.walk():
                self._enter("cross")
            actor.look(math.atan2(bridge.north, bridge.east), 0.0)
        elif perform_crossing(bridge, actor):
            self.bridge = None

    def _enter(self, stage: str) -> None:
        self._stage, self._steps = stage, 0

    def _stand(self) -> tuple[float, float]:
        """Where the player stands to put the slab down (metres)."""
        senses, bridge = self._actor.senses, self.bridge
        span = math.sqrt(max(senses.distance**2 - (senses.eye - bridge.z) ** 2, 0.5))
        return bridge.x - span * bridge.east, bridge.y - span * bridge.north
