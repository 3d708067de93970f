"""Recolourings of objects: alike games (A.2.4), and what all recolourings of a game have in common (A.3).

A recolouring permutes the three colours of the cubes, those of the spheres and those of the pyramids: 216 in all.
Floors and players keep theirs. A recolouring is its place in ``RECOLOURINGS``; place 0 changes nothing.
"""

import hashlib
from functools import lru_cache
from itertools import permutations, product

import numpy as np

from procgen_bench.tasks.xland.entities import COLOURS, GOAL_SHAPES
from procgen_bench.tasks.xland.games.atoms import ATOMS, OBJECTS, Atom
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.games.goal import Goal
from procgen_bench.tasks.xland.games.resolution import PLAYER_ATOMS

#: For every recolouring what each object becomes, by name.
RECOLOURINGS = tuple(
    {
        f"{colour} {shape}": f"{new_colours[place]} {shape}"
        for shape, new_colours in zip(GOAL_SHAPES, of_shapes)
        for place, colour in enumerate(COLOURS)
    }
    for of_shapes in product(permutations(COLOURS), repeat=len(GOAL_SHAPES))
)
#: How often :func:`alike_game` tries.
MAX_TRIES = 100


def _recoloured_places(atoms: tuple[Atom, ...]) -> np.ndarray:
    """Places in ``atoms`` of every atom's recolourings: int16 (216, atoms)."""
    entities = list(OBJECTS) + sorted({name for atom in atoms for name in atom[1:]} - set(OBJECTS))
    place = {name: number for number, name in enumerate(entities)}
    relations = {name: number for number, name in enumerate(dict.fromkeys(atom.relation for atom in atoms))}
    atom_at = np.full((len(relations), len(entities), len(entities)), -1, np.int16)
    kinds, firsts, seconds = np.array([(relations[kind], place[a], place[b]) for kind, a, b in atoms]).T
    # Forward last: where a relation has a direction, both of its atoms are there.
    atom_at[kinds, seconds, firsts] = np.arange(len(atoms))
    atom_at[kinds, firsts, seconds] = np.arange(len(atoms))
    becomes = np.array([[place[new.get(name, name)] for name in entities] for new in RECOLOURINGS])
    return atom_at[kinds, becomes[:, firsts], becomes[:, seconds]]


#: What each of ``ATOMS`` becomes: int16 (216, 212), places in ``ATOMS``.
RECOLOURED_ATOMS = _recoloured_places(ATOMS)
#: What each of ``PLAYER_ATOMS`` becomes: int16 (216, 258).
RECOLOURED_PLAYER_ATOMS = _recoloured_places(PLAYER_ATOMS)


def recolour_goal(goal: Goal, recolouring: int) -> Goal:
    """``goal`` with other colours, the same in all its atoms."""
    matrix = np.zeros_like(goal.matrix)
    matrix[:, RECOLOURED_ATOMS[recolouring]] = goal.matrix
    return Goal(matrix)


def recolour_game(game: Game, recolouring: int) -> Game:
    """``game`` with other colours, the same in all its goals: its properties stay."""
    return Game(tuple(recolour_goal(goal, recolouring) for goal in game.goals))


def alike_game(game: Game, rng: np.random.Generator) -> Game | None:
    """A random recolouring of ``game`` that is another game.

    None where 100 tries gave none, as for hide and seek, which names no object.
    """
    for _ in range(MAX_TRIES):
        alike = recolour_game(game, int(rng.integers(len(RECOLOURINGS))))
        if alike != game:
            return alike
    return None


@lru_cache(1024)  # a drawn game is looked up several times
def canonical(game: Game) -> str:
    """SHA-256 (hexadecimal) that a game shares with its recolourings and no other game.

    The order of options, and of the atoms in them, does not matter; that of players does.
    """
    changes, least = RECOLOURED_ATOMS, []
    for goal in game.goals:
        used = goal.atoms
        # Recolourings that do the same to the atoms of this goal make one goal; the least one decides, then the next.
        different, which = np.unique(changes[:, used], axis=0, return_inverse=True)
        options = [[(place, sign) for place, sign in enumerate(row) if sign] for row in goal.matrix[:, used].tolist()]
        forms = [
            sorted(sorted((change[place], sign) for place, sign in option) for option in options)
            for change in different.tolist()
        ]
        least.append(min(forms))
        is_least = np.array([form == least[-1] for form in forms])
        changes = changes[is_least[which.ravel()]]
    return hashlib.sha256(repr(least).encode()).hexdigest()
