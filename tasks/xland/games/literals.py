"""Games as literals: small arrays of one size, in which suites keep games and teachers hand them over.

A literal is an atom's place in ``ATOMS`` plus 1, negative where the atom is negated; 0 is none.
"""

import numpy as np

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.games.atoms import ATOMS
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.games.goal import Goal


def write_literals(game: Game, literals: np.ndarray) -> None:
    """Write the literals of a game.

    Args:
        game: The game.
        literals: int16 (players, options, places), zeros; written by player, option and place.

    Raises:
        InvalidTaskError: A goal has more options, or an option more predicates, than there is room for.
    """
    _, options, places = literals.shape
    for of_goal, goal in zip(literals, game.goals):
        check_count("options of a goal", len(goal.matrix), options)
        for of_option, row in zip(of_goal, goal.matrix):
            atoms = np.flatnonzero(row)
            check_count("predicates in an option", len(atoms), places)
            of_option[: len(atoms)] = (atoms + 1) * row[atoms]


def read_literals(literals: np.ndarray) -> Game:
    """The game of literals, int16 (players, options, places); players without any have no goal.

    Raises:
        InvalidTaskError: They are no game.
    """
    goals = []
    for number, of_goal in enumerate(literals, start=1):
        options = of_goal[of_goal.any(axis=1)]
        matrix = np.zeros((len(options), len(ATOMS)), np.int8)
        for row, option in zip(matrix, options):
            used = option[option != 0]
            atoms = abs(used) - 1
            if len(set(atoms.tolist())) < len(atoms):
                raise InvalidTaskError(f"literals of player {number}", option.tolist(), "every atom once in an option")
            row[atoms] = np.sign(used)
        if len(options):
            goals.append(Goal(matrix))
    return Game(tuple(goals))


def check_count(name: str, count: int, most: int) -> None:
    """Raise :class:`InvalidTaskError` where there are more of something than an array has room for."""
    if count > most:
        raise InvalidTaskError(f"number of {name}", count, f"at most {most}")
