"""Who is rewarded in each predicate state of a game, row by row."""

from typing import NamedTuple

import numpy as np

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.games.atoms import ATOMS, Atom
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.games.resolution import NONE, PLAYER_ATOMS, RESOLUTION

#: Most atoms of a game that is written out: 4,096 rows.
MAX_ATOMS = 12


class TruthTable(NamedTuple):
    """The predicate states of a game with n atoms over numbered players, and their rewards.

    Attributes:
        atoms: The n atoms, me and opponent resolved to players.
        states: bool (2^n, n), all assignments; the first atom changes slowest, from False to True.
        rewards: bool (2^n, players).
    """

    atoms: tuple[Atom, ...]
    states: np.ndarray
    rewards: np.ndarray


def truth_table(game: Game) -> TruthTable:
    """The truth table of ``game``.

    Raises:
        InvalidTaskError: The game has over twelve atoms.
    """
    places = RESOLUTION[game.num_players - 1]
    used = [places[player, goal.atoms].ravel() for player, goal in enumerate(game.goals)]
    resolved = np.setdiff1d(np.concatenate(used), [NONE])
    if len(resolved) > MAX_ATOMS:
        raise InvalidTaskError("number of atoms of the game", len(resolved), f"at most {MAX_ATOMS}, to be written out")
    rows = np.arange(1 << len(resolved))[:, np.newaxis]
    states = (rows >> np.arange(len(resolved))[::-1] & 1).astype(bool)
    truths = np.zeros((len(states), game.num_players, len(ATOMS)), bool)
    for column, place in enumerate(resolved):
        player, atom = np.nonzero((places[: game.num_players] == place).any(axis=-1))
        truths[:, player, atom] |= states[:, column, np.newaxis]
    return TruthTable(tuple(PLAYER_ATOMS[place] for place in resolved), states, game.rewards(truths))
