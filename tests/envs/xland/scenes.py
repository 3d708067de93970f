"""Tasks of a few tiles for tests, and what is done in them."""

import math

import numpy as np

from procgen_bench.envs.xland.actions import NOOP
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.tasks.xland import World, XLandTask, parse_game

#: 2 m tiles; a ramp to the north in the middle column, a ledge elsewhere, of 1.2 m.
RAMP = """\
1. 1. 1. 1. 1. 1. 1.
1. 1. 1. 1. 1. 1. 1.
0. 0. 0. 0^ 0. 0. 0.
0. 0. 0. 0. 0. 0. 0.
0. 0. 0. 0. 0. 0. 0.
0. 0. 0. 0. 0. 0. 0.
0. 0. 0. 0. 0. 0. 0.
"""
FLAT = "0. 0. 0. 0. 0. 0. 0.\n" * 7
#: A wall of one tile, 2.4 m high, in the middle of a flat world.
PILLAR = "0. 0. 0. 0. 0. 0. 0.\n" * 3 + "0. 0. 0. 2. 0. 0. 0.\n" + "0. 0. 0. 0. 0. 0. 0.\n" * 3
#: Ramps to the north, three beside each other.
SLOPE = """\
1. 1. 1. 1. 1. 1. 1.
1. 1. 1. 1. 1. 1. 1.
0. 0. 0^ 0^ 0^ 0. 0.
0. 0. 0. 0. 0. 0. 0.
0. 0. 0. 0. 0. 0. 0.
0. 0. 0. 0. 0. 0. 0.
0. 0. 0. 0. 0. 0. 0.
"""

#: Actions by name.
FORWARD, GRAB, USE = (2, 2, 3, 2, 0, 0), (1, 2, 3, 2, 1, 0), (1, 2, 3, 2, 0, 1)

_FOOT = """\
floors 0 brown 1 olive 2 olive
tiles 2.0 2.0 m, levels 1.2 m
light from 0.9 1.0 strength 0.9 hue 0.12
"""


def simulate(tiles: str, *things: str, game: str | None = None, sleep: bool = True) -> XLandSimulation:
    """A simulation of the tiles with things, one a line of a world's text."""
    world = World.from_text(tiles + _FOOT + "\n".join(things) + "\n")
    goals = game or "on(me,brown floor)\n" * len(world.player_yaws)
    return XLandSimulation(XLandTask(world, parse_game(goals)), sleep)


def act(simulation: XLandSimulation, steps: int, *actions: tuple[int, ...]) -> None:
    """Take a step of the same actions several times; players without one do nothing."""
    joint = np.array([*actions, *[NOOP] * (simulation.bodies.num_players - len(actions))])
    for _ in range(steps):
        simulation.step(joint)


def look_at(simulation: XLandSimulation, player: int, point: np.ndarray) -> None:
    """Turn a player towards a point (metres), at once."""
    x, y, z = np.asarray(point) - simulation.states.player_positions[0, player] - (0, 0, 1.5 - 1.65 / 2)
    simulation.players[player]["yaw"] = math.atan2(y, x)
    simulation.players[player]["pitch"] = math.atan2(z, math.hypot(x, y))


def player(colour: str, x: float, y: float, yaw: float = math.pi / 2, gadget: str = "freeze") -> str:
    """A line of a world's text; without a yaw, the player looks to the north."""
    return f"{colour} player at {x} {y} facing {yaw:.4f} with {gadget}"


def place_object(simulation: XLandSimulation, k: int, position, rotation=(1.0, 0.0, 0.0, 0.0)) -> None:
    """Put an object somewhere, at rest."""
    simulation.bodies.object_poses[k] = (*position, *rotation)
    simulation.bodies.object_motions[k] = 0.0
