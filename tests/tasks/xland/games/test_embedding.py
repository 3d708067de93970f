"""Kernel PCA equals the principal components of the reward vectors, written out."""

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.games.embedding import embed_games, game_distances, game_kernel
from procgen_bench.tasks.xland.games.game import Game, parse_game
from procgen_bench.tasks.xland.games.properties import game_distance
from tests.tasks.xland.games import reference_game as reference
from tests.tasks.xland.games.strategies import random_games, random_goal


def games_over_six_atoms(players: int, count: int) -> list[Game]:
    rng = np.random.default_rng(players)
    predicates = rng.choice(212, 6, replace=False)
    return [Game(tuple(random_goal(rng, predicates, 2) for _ in range(players))) for _ in range(count)]


def reward_vectors(games: list[Game]) -> np.ndarray:
    """For every game 1 or -1 for every player and state over the facts of all games, scaled to length 1."""
    texts = [reference.read(str(game)) for game in games]
    players = len(texts[0])
    goals = [reference.resolved(goal, player, players) for text in texts for player, goal in enumerate(text)]
    tables, states = reference.truth_tables(goals)
    bits = np.array([[table >> state & 1 for state in range(states)] for table in tables])
    return (2 * bits - 1).reshape(len(games), -1) / np.sqrt(players * states)


@pytest.mark.parametrize("players", [2, 3])
def test_kernel_is_the_inner_product_of_reward_vectors(players):
    games = games_over_six_atoms(players, 12)
    vectors = reward_vectors(games)
    np.testing.assert_allclose(game_kernel(games), vectors @ vectors.T, atol=1e-12)


def test_embedding_is_the_principal_components_of_reward_vectors():
    games = games_over_six_atoms(2, 25)
    vectors = reward_vectors(games)
    centred = vectors - vectors.mean(axis=0)
    left, singular, _ = np.linalg.svd(centred, full_matrices=False)
    embedding = embed_games(games, 3)
    expected = left[:, :3] * singular[:3]
    np.testing.assert_allclose(abs(embedding.points), abs(expected), atol=1e-9)
    np.testing.assert_allclose(embedding.explained, singular[:3] ** 2 / (singular**2).sum(), atol=1e-12)
    assert (embedding.points[abs(embedding.points).argmax(axis=0), range(3)] > 0).all()


def test_all_components_keep_all_distances():
    games = games_over_six_atoms(2, 10)
    points = embed_games(games, 9).points
    squared = ((points[:, np.newaxis] - points) ** 2).sum(axis=-1)
    np.testing.assert_allclose(squared, 4 * game_distances(games), atol=1e-9)


def test_distances_of_many_are_those_of_pairs():
    games = random_games(np.random.default_rng(0), 12, 2)
    expected = [[game_distance(first, second) for second in games] for first in games]
    np.testing.assert_allclose(game_distances(games), expected, atol=1e-15)
    assert game_distances([]).shape == (0, 0)


def test_equal_games_are_one_point():
    embedding = embed_games([parse_game("see(me,opponent)\nsee(me,opponent)")] * 3)
    assert (embedding.points == 0).all() and (embedding.explained == 0).all()


def test_arguments_are_checked():
    two, three = (parse_game("\n".join(["see(me,black cube)"] * players)) for players in (2, 3))
    with pytest.raises(InvalidTaskError, match="players in game 1 is 3, expected 2"):
        game_distances([two, three])
    for dimensions in (0, 2):
        with pytest.raises(InvalidTaskError, match=f"dimensions is {dimensions}, expected 1 to 1"):
            embed_games([two, two], dimensions)
