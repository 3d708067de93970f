"""Games as points in a plane, by kernel PCA over their distances (A.2.6)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.games.properties import check_size, distance_of_goals, game_terms


class Embedding(NamedTuple):
    """Coordinates of games.

    Attributes:
        points: float64 (games, dimensions), along the components of greatest variance, around zero.
        explained: float64 (dimensions,), the part of all variance along each.
    """

    points: np.ndarray
    explained: np.ndarray


def game_distances(games: Sequence[Game]) -> np.ndarray:
    """Distances of all pairs, float64 (games, games); see :func:`~...properties.game_distance`.

    Raises:
        InvalidTaskError: The games are not of one number of players.
    """
    for number, game in enumerate(games):
        if game.num_players != games[0].num_players:
            expected = f"{games[0].num_players}, as in the first"
            raise InvalidTaskError(f"number of players in game {number}", game.num_players, expected)
    terms = [game_terms(game) for game in games]
    distances = np.zeros((len(games), len(games)))
    for of_player in zip(*terms):
        atoms, products = zip(*of_player)
        check_size(2 * max(map(len, atoms)))
        distances += _goal_distances(*_joined(atoms), *_joined(products))
    return distances / games[0].num_players if games else distances


def game_kernel(games: Sequence[Game]) -> np.ndarray:
    """Inner products of the games' reward vectors, float64 (games, games), in [-1, 1].

    The vector of a game has an entry of 1 or -1 for every player and predicate state, rewarded or not, and is scaled to
    length 1. Half the squared length of the difference of two is twice the distance of the games, so the kernel is
    1 - 2 * distance, without a look at the vectors.

    Raises:
        InvalidTaskError: The games are not of one number of players.
    """
    return 1 - 2 * game_distances(games)


def embed_games(games: Sequence[Game], dimensions: int = 2) -> Embedding:
    """The principal components of the games' reward vectors.

    Each component points where its entry of greatest size is positive.

    Args:
        games: At least two, of one number of players.
        dimensions: Number of components, 1 to one below the number of games.

    Raises:
        InvalidTaskError: Numbers outside these ranges.
    """
    if not 1 <= dimensions < len(games):
        raise InvalidTaskError("number of dimensions", dimensions, f"1 to {len(games) - 1}, one below that of games")
    kernel = game_kernel(games)
    means = kernel.mean(axis=0)
    centred = kernel - means - means[:, np.newaxis] + means.mean()
    variances, directions = np.linalg.eigh(centred)
    variances, directions = np.maximum(variances[: -dimensions - 1 : -1], 0), directions[:, : -dimensions - 1 : -1]
    largest = directions[abs(directions).argmax(axis=0), range(dimensions)]
    points = directions * np.sign(largest) * np.sqrt(variances)
    total = centred.trace()
    return Embedding(points, variances / total if total > 0 else np.zeros(dimensions))


def _joined(arrays: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """All rows in one array, and where each array begins in it, its end included."""
    return np.concatenate(arrays), np.cumsum([0, *map(len, arrays)])


@njit
def _goal_distances(atoms, atoms_begin, products, products_begin):
    """Distances of all pairs of goals."""
    count = len(atoms_begin) - 1
    distances = np.zeros((count, count))
    for i in range(count):
        for j in range(i):
            distances[i, j] = distances[j, i] = distance_of_goals(
                atoms[atoms_begin[i] : atoms_begin[i + 1]],
                products[products_begin[i] : products_begin[i + 1]],
                atoms[atoms_begin[j] : atoms_begin[j + 1]],
                products[products_begin[j] : products_begin[j + 1]],
            )
    return distances
