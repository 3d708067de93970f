"""Normalised scores: a policy's mean return on a game, divided by what the game's best mixture is sure of (4.1)."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from procgen_bench.core.errors import UnknownNameError
from procgen_bench.leaderboards.xland.errors import InvalidReturnsError
from procgen_bench.leaderboards.xland.returns import ReturnTable


@dataclass(frozen=True, eq=False)
class NormalisedScores:
    """Normalised scores of policies on games.

    A score of 1 is as much as the best mixture of the known policies is sure of. A policy that is not among them, or
    meets weak co-players, can get more than that, which counts for no more: scores are cut at 1, and kept uncut beside.
    Games whose best mixture is worth 0 have no scores: there is nothing to divide by. They still count in the
    participation.

    Attributes:
        games: Identities of the games that count, G of them.
        uncut: float64 (P, G), at least 0, of the P policies of the table.
        uncounted: Identities of the games that do not count.
    """

    games: tuple[str, ...]
    uncut: np.ndarray
    uncounted: tuple[str, ...]

    @property
    def scores(self) -> np.ndarray:
        """float64 (P, G) in [0, 1]: cut at 1."""
        return np.minimum(self.uncut, 1.0)


def normalised_scores(table: ReturnTable, values: Mapping[str, float]) -> NormalisedScores:
    """The normalised scores of all policies of a table.

    Args:
        table: The policies' returns.
        values: What every game's best mixture is worth (:func:`~.mixtures.best_values`).

    Raises:
        UnknownNameError: A game of the table has no value.
        InvalidReturnsError: A value is negative or not finite, or every game's is 0.
    """
    for game in table.games:
        if game not in values:
            raise UnknownNameError("game", game, list(values))
        if not (np.isfinite(values[game]) and values[game] >= 0):
            raise InvalidReturnsError(f"value of game {game!r}", values[game], "a finite number, at least 0")
    counted = tuple(game for game in table.games if values[game] > 0)
    if not counted:
        raise InvalidReturnsError("games whose best mixture is worth more than 0", 0, "at least 1")
    means = np.stack([table.returns[:, table.tasks_by_game[game]].mean(axis=1) for game in counted], axis=1)
    return NormalisedScores(
        games=counted,
        uncut=means / np.array([values[game] for game in counted]),
        uncounted=tuple(game for game in table.games if values[game] == 0),
    )
