"""What a scripted player knows in a step: plain numbers, read off the simulation once."""

import math

from procgen_bench.envs.xland.beam import EYE_ABOVE_CENTRE
from procgen_bench.envs.xland.gadgets import IMMUNITY_STEPS
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.tasks.xland.entities import PLAYER_HEIGHT, PLAYER_RADIUS, SLAB, SPHERE, TAG
from procgen_bench.tasks.xland.predicates.bodies import BASE_DEPTH, SLAB_EDGES

#: Height of an object's centre above the floor on which it stands, in sizes, by shape.
REST_HEIGHTS = (0.5, 0.5, BASE_DEPTH, SLAB_EDGES[2] / 2)


class Senses:
    """One player's view of all. Body k is object k, body K + p is player p, as in the simulation.

    Attributes:
        seat, body: The player's number among the players, and among the bodies.
        num_objects: K.
        shapes: The objects' shapes.
        radii, halves: Of all bodies, metres: how far their surfaces are from their centres, to the side and upwards.
        rests: Height (metres) of the objects' centres above the floors on which they stand.
        places: Centres (x, y, z) of all bodies, metres.
        present: Which bodies are there.
        x, y, z: The player's centre, metres.
        eye: Height of its eye, metres.
        yaw, pitch: Radians.
        velocity: East and north, metres per second.
        held: The object that it holds, -1 without.
        distance: Metres from the eye at which it holds it.
        taken: Which objects another player holds.
        cooldown: Steps until its gadget can be used.
        untaggable: Steps until each body can be tagged, that is until it is back and no longer immune; 0s where it
            does not tag.
        step: Steps of the episode.
    """

    def __init__(self, simulation: XLandSimulation, seat: int):
        world = simulation.task.world
        self.seat, self.num_objects = seat, len(world.object_shapes)
        self.num_players = len(world.player_yaws)
        self.body = self.num_objects + seat
        self.shapes = world.object_shapes.tolist()
        self.sizes = world.object_sizes.tolist()
        self.rests = [REST_HEIGHTS[shape] * size for shape, size in zip(self.shapes, self.sizes)]
        flat = [size / 2 for size in self.sizes]
        thick = [
            size * SLAB_EDGES[2] / 2 if shape == SLAB else size / 2 for shape, size in zip(self.shapes, self.sizes)
        ]
        self.radii = flat + [PLAYER_RADIUS] * self.num_players
        self.halves = thick + [PLAYER_HEIGHT / 2] * self.num_players
        self._tags = int(world.player_gadgets[seat]) == TAG
        self.rolls = [shape == SPHERE for shape in self.shapes]
        self.others = [self.num_objects + p for p in range(self.num_players) if p != seat]
        self.refresh(simulation)

    def refresh(self, simulation: XLandSimulation) -> None:
        """Read the simulation as it is now."""
        states = simulation.states
        self.places = states.object_positions[0].tolist() + states.player_positions[0].tolist()
        gone, immune = simulation.effects.gone.tolist(), simulation.effects.immune.tolist()
        self.present = [steps == 0 for steps in gone]
        self.untaggable = [0] * len(gone)
        if self._tags:
            self.untaggable = [steps + IMMUNITY_STEPS if steps else safe for steps, safe in zip(gone, immune)]
        self.x, self.y, self.z = self.places[self.body]
        self.eye = self.z + EYE_ABOVE_CENTRE
        self.yaw, self.pitch = states.player_yaws[0].tolist()[self.seat], states.player_pitches[0].tolist()[self.seat]
        player = simulation.players[self.seat]
        east, north, _ = player["velocity"].tolist()
        self.velocity = east, north
        self.cooldown, self.distance = int(player["cooldown"]), float(player["distance"])
        holds = simulation.players["held"].tolist()
        self.held = holds[self.seat]
        self.taken = [False] * self.num_objects
        for seat, k in enumerate(holds):
            if k >= 0 and seat != self.seat:
                self.taken[k] = True
        self.step = simulation.steps

    def away(self, x: float, y: float) -> float:
        """Metres to a point, over the ground."""
        return math.hypot(x - self.x, y - self.y)
