"""What is true in scenes made by hand."""

import math

from procgen_bench.tasks.xland.games.atoms import ATOM_INDEX, parse_atom
from procgen_bench.tasks.xland.predicates.evaluation import evaluate_atoms
from procgen_bench.tasks.xland.predicates.states import States

EAST, NORTH, WEST, SOUTH = 0.0, math.pi / 2, math.pi, -math.pi / 2
#: The middle of a player's height, and its eye, above the floor.
MIDDLE, EYE = 0.825, 1.5
FAR_PLAYER = ((9.5, 9.5, MIDDLE), NORTH, 0.0)


def holds(name: str, states: States, player: int = 0) -> bool:
    return bool(evaluate_atoms(states)[0, player, ATOM_INDEX[parse_atom(name)]])


def quarter_turn(axis: int, turns: int = 1) -> list[float]:
    """A quaternion about an axis."""
    quaternion = [math.cos(turns * math.pi / 4), 0.0, 0.0, 0.0]
    quaternion[1 + axis] = math.sin(turns * math.pi / 4)
    return quaternion
