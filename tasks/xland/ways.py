"""Ways: how far players are from what their goals name, and objects from where goals want them; worlds with such ways.

The rungs of a ladder from close starts to worlds as they are drawn: success falls off between 4 and 9 m of a player's
way, and grows with the share of worlds in which the object is near its target.
"""

from dataclasses import replace

import numpy as np

from procgen_bench.tasks.xland.close_starts import beside, named_objects
from procgen_bench.tasks.xland.entities import COLOURS, SHAPES
from procgen_bench.tasks.xland.games.atoms import ATOMS, FLOOR_NAMES, OBJECTS, Atom
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.games.goal import Goal
from procgen_bench.tasks.xland.predicates.starts import met_at_the_start
from procgen_bench.tasks.xland.task import XLandTask
from procgen_bench.tasks.xland.worlds.validity import is_valid
from procgen_bench.tasks.xland.worlds.world import World

#: The least and the greatest length of a way, metres.
Way = tuple[float, float]
#: Centres of two objects that are near each other are about so far apart, metres: 1 m between their surfaces.
TOGETHER = 1.5
#: Places tried for an object, and worlds until one is a valid task in which nobody's goal is met.
_PLACES, _TRIALS = 60, 8
#: Least distance of an object from the world's border, tiles.
_BORDER = 0.3


def player_way(world: World, goal: Goal, player: int = 0) -> float:
    """Metres, on the map, from a player's start to the nearest object that the goal names; NaN: it names none."""
    named = named_objects(world, goal)
    if not named:
        return float("nan")
    away = (world.object_positions[named] - world.player_positions[player]) * world.tile_size[:2]
    return float(np.linalg.norm(away, axis=1).min())


def object_way(world: World, goal: Goal) -> float:
    """Metres, on the map, that an object is to be moved for the literal of the goal that needs the least of it.

    NaN: none of them is about an object and another one or a floor.
    """
    ways = [
        float(ways_to_move(world, atom, sign, world.object_positions[[_place(world, atom.first)]])[0])
        for atom, sign in _literals(goal)
        if _moves_an_object(atom)
    ]
    return min(ways, default=float("nan"))


def ways_to_move(world: World, atom: Atom, sign: int, positions: np.ndarray) -> np.ndarray:
    """Metres, on the map, that the first object of a literal is to be moved from each of these positions.

    Args:
        world: Has what the atom names.
        atom: ``near`` of two objects, or ``on`` of an object and a floor.
        sign: 1, or -1 where it is to be false.
        positions: float64 (n, 2), tiles.

    Returns:
        float64 (n,); infinite where the world has no such floor, or nothing else.
    """
    tile = world.tile_size[:2]
    if atom.relation == "near":
        apart = np.linalg.norm((positions - world.object_positions[_place(world, atom.second)]) * tile, axis=1)
        return np.maximum(sign * (apart - TOGETHER), 0.0)
    is_there = world.floors == FLOOR_NAMES.index(atom.second)
    rows, columns = np.nonzero(is_there if sign > 0 else ~is_there)
    corner = np.stack([columns, rows], axis=1)
    outside = np.maximum(np.maximum(corner - positions[:, None], positions[:, None] - corner - 1), 0) * tile
    return np.linalg.norm(outside, axis=2).min(axis=1, initial=np.inf)


def with_ways(
    rng: np.random.Generator, world: World, game: Game, player: Way | None, objects: Way | None
) -> World | None:
    """The world with objects and players moved, so that player 1's ways are of these lengths, and the others' too where
    they can be.

    Args:
        rng: The random generator.
        world: A world that has all that the game names.
        game: Of as many players.
        player: Of players to the first object of their goal; ``None``: they stay.
        objects: Of that object to where the goal wants it, if it wants it with another one or on, or off, a floor;
            ``None``: it stays.

    Returns:
        A world with which the game is a valid task, and in which nobody's goal is met at the start; ``None`` where none
        was found, or player 1's goal names no object.
    """
    literals = [_first_about_an_object(goal) for goal in game.goals]
    if literals[0] is None:
        return None
    for _ in range(_TRIALS):
        moved, own = world, None
        for number in reversed(range(len(literals))):  # player 1 last, so that nobody undoes its ways
            literal = literals[number]
            own = None if literal is None else _with_way(rng, moved, number, *literal, player, objects)
            moved = own or moved
        if own is not None and is_valid(XLandTask(moved, game).validate) and not met_at_the_start(moved, game).any():
            return moved
    return None


def _with_way(
    rng: np.random.Generator, world: World, number: int, atom: Atom, sign: int, way: Way | None, objects: Way | None
) -> World | None:
    """The world with one player's way, and its object's; ``None`` where no place tried has it."""
    place = _place(world, atom.first if atom.first in OBJECTS else atom.second)
    positions, players, yaws = (
        array.copy() for array in (world.object_positions, world.player_positions, world.player_yaws)
    )
    if objects is not None and _moves_an_object(atom):
        rows, columns = world.shape
        tried = rng.uniform(_BORDER, np.array([columns, rows]) - _BORDER, (_PLACES, 2))
        lengths = ways_to_move(world, atom, sign, tried)
        fitting = np.flatnonzero((lengths >= objects[0]) & (lengths < objects[1]))
        if not len(fitting):
            return None
        positions[place] = tried[rng.choice(fitting)]
    if way is not None:
        players[number], yaw = beside(rng, positions[place], *way, world.tile_size)
        yaws[number] = yaws[number] if yaw is None else yaw
    return replace(world, object_positions=positions, player_positions=players, player_yaws=yaws)


def _literals(goal: Goal) -> list[tuple[Atom, int]]:
    """All of a goal's, option by option."""
    return [(ATOMS[atom], int(row[atom])) for row in goal.matrix for atom in np.flatnonzero(row).tolist()]


def _first_about_an_object(goal: Goal) -> tuple[Atom, int] | None:
    found = [(atom, sign) for atom, sign in _literals(goal) if atom.first in OBJECTS or atom.second in OBJECTS]
    return found[0] if found else None


def _moves_an_object(atom: Atom) -> bool:
    return atom.first in OBJECTS and (atom.relation == "on" or (atom.relation == "near" and atom.second in OBJECTS))


def _place(world: World, name: str) -> int:
    """Of an object in the world."""
    shapes, colours = world.object_shapes.tolist(), world.object_colours.tolist()
    return [f"{COLOURS[colour]} {SHAPES[shape]}" for shape, colour in zip(shapes, colours)].index(name)
