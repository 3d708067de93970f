"""Building a bridge: a slab is taken, put down, and walked over."""

import math

import numpy as np

from procgen_bench.envs.xland.scripted.actor import Actor
from procgen_bench.envs.xland.scripted.bridges import Bridge, find_bridges
from procgen_bench.envs.xland.scripted.places import SPOT, wish
from procgen_bench.envs.xland.scripted.skills import CARRY, CARRY_PITCH, Intent, perform_take
from procgen_bench.envs.xland.scripted.wishes import reach_of
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.tasks.xland.entities import SLAB
from procgen_bench.tasks.xland.worlds.tools import STEEPEST

#: How far from the eye a slab is taken (metres).
_SLAB_REACH = (2.1, 2.7)
#: Pitch (radians) from which on a slab has been lifted, and the player walks.
_LIFTED = CARRY_PITCH - 0.1
#: Steps of putting a slab down after which a player makes a little move.
_FIDGET = 12
#: Steps in which a slab comes to lie, and for each stage those after which it has failed.
_SETTLING = 12
_LONGEST = {"take": 150, "put": 200, "wait": 30, "approach": 80, "cross": 50}


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
            if shape == SLAB and senses.sizes[k] > min(width, depth, height / STEEPEST)
        ]
        self.bridge: Bridge | None = None
        self._stage, self._steps = "take", 0

    def look_for_bridge(self, wishes: np.ndarray, unmet: float) -> None:
        """Begin the closest bridge that leads to a better place.

        Args:
            wishes: (n,) of dtype ``WISH``, for the place where the player stands.
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
        assert bridge is not None  # one is being built
        if self._steps > _LONGEST[self._stage]:
            self.bridge = None
            return
        if self._stage == "take":
            wishes = reach_of(tuple(self._actor.senses.places[bridge.slab]), *_SLAB_REACH, 1000.0)
        else:
            x, y = bridge.start if self._stage != "put" else self._stand()
            wishes = wish(SPOT, 10.0, x=x, y=y)
        row, column, _, _ = navigator.stand(wishes)
        navigator.set_goal((row, column) if row >= 0 else None)

    def perform(self) -> None:
        """Do a step of it."""
        actor, bridge = self._actor, self.bridge
        assert bridge is not None  # one is being built
        senses = actor.senses
        self._steps += 1
        if self._stage in ("take", "put") and (senses.held == bridge.slab) != (self._stage == "put"):
            self._enter("put" if self._stage == "take" else "take")
        if self._stage == "take":
            perform_take(Intent(CARRY, bridge.slab, reach=_SLAB_REACH[1]), actor)
        elif self._stage == "put":
            if _put(bridge, actor, self._steps):
                actor.let_go()
                self._enter("wait")
        elif self._stage == "wait":
            if self._steps > _SETTLING:
                self._enter("approach")
        elif self._stage == "approach":
            if senses.away(*bridge.start) < 0.35 or not actor.walk():
                self._enter("cross")
            actor.look(math.atan2(bridge.north, bridge.east), 0.0)
        elif _cross(bridge, actor):
            self.bridge = None

    def _enter(self, stage: str) -> None:
        self._stage, self._steps = stage, 0

    def _stand(self) -> tuple[float, float]:
        """Where the player stands to put the slab down (metres)."""
        senses, bridge = self._actor.senses, self.bridge
        assert bridge is not None  # one is being built
        span = math.sqrt(max(senses.distance**2 - (senses.eye - bridge.z) ** 2, 0.5))
        return bridge.x - span * bridge.east, bridge.y - span * bridge.north


def _put(bridge: Bridge, actor: Actor, steps: int) -> bool:
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


def _cross(bridge: Bridge, actor: Actor) -> bool:
    """Walk over the bridge from its beginning, and whether the player has come to its end."""
    senses = actor.senses
    along = (senses.x - bridge.end[0]) * bridge.east + (senses.y - bridge.end[1]) * bridge.north
    actor.step_towards(*bridge.end, False)
    actor.look(math.atan2(bridge.north, bridge.east), 0.0)
    return along > -0.3
