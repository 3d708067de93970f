"""Why the scripted player finds no way to a task's reward, in words."""

import numpy as np

from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.tasks.xland.entities import COLOURS, FLOORS, SHAPES
from procgen_bench.tasks.xland.games.atoms import ATOMS, FLOOR_NAMES, ME, OBJECTS, Atom
from procgen_bench.tasks.xland.reach import reachable_tiles
from procgen_bench.tasks.xland.task import XLandTask

#: Relations of which player 1 has a part only where it comes to the other thing.
_TOUCHING = ("near", "on", "hold")


def why_unsolved(task: XLandTask) -> str:
    """What is wrong with a task that cannot be played, or what keeps player 1 from its goal, as a sentence's end.

    Args:
        task: A task, valid or not.
    """
    try:
        task.world.validate()
        missing = _missing(task)
        if missing is not None:
            return missing
        task.validate()
    except ProcgenBenchError as error:
        return str(error)
    reachable = reachable_tiles(task.world, slice(1))
    reasons = [_hindrance(task, option, reachable) for option in task.game.goals[0].matrix]
    if all(reasons):
        return " and ".join(dict.fromkeys(filter(None, reasons)))
    return "the scripted player is not rewarded, but another one might be"


def _missing(task: XLandTask) -> str | None:
    """What the goals name, and nobody can come to or is not there at all; the world is valid."""
    world, reachable = task.world, reachable_tiles(task.world)
    for shape, colour in sorted(task.game.objects):
        tiles = _tiles_of(task, shape, colour)
        if not tiles:
            return f"a goal names the {colour} {shape}, and there is none"
        if not any(reachable[tile] for tile in tiles):
            return f"no player can come to the {colour} {shape} on tile {list(tiles[0])}"
    floors = [floor for floor in sorted(task.game.floors) if not (world.floors == FLOORS.index(floor)).any()]
    return f"a goal names the {floors[0]} floor, and there is none" if floors else None


def _hindrance(task: XLandTask, option: np.ndarray, reachable: np.ndarray) -> str | None:
    """To what player 1 would have to come for an option, and cannot; ``None``: nothing is known."""
    for place in np.flatnonzero(option == 1).tolist():
        atom = ATOMS[place]
        if atom.relation in _TOUCHING and ME in atom[1:] and not _can_touch(task, atom, reachable):
            return f"player 1 cannot come to the {atom.first if atom.second == ME else atom.second}"
    return None


def _can_touch(task: XLandTask, atom: Atom, reachable: np.ndarray) -> bool:
    """Whether player 1 can come to what the atom names beside it."""
    world, other = task.world, atom.first if atom.second == ME else atom.second
    if other in FLOOR_NAMES:
        return bool((reachable & (world.floors == FLOORS.index(other.removesuffix(" floor")))).any())
    if other not in OBJECTS:
        return True
    colour, shape = other.split()
    return any(reachable[tile] for tile in _tiles_of(task, shape, colour))


def _tiles_of(task: XLandTask, shape: str, colour: str) -> list[tuple[int, int]]:
    """The tiles (row, column) on which objects of a shape and colour stand."""
    world = task.world
    is_it = (world.object_colours == COLOURS.index(colour)) & (world.object_shapes == SHAPES.index(shape))
    return [(int(y), int(x)) for x, y in world.object_positions[is_it].tolist()]
