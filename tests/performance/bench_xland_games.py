"""XLand's games beside a brute-force reference over all predicate states, in one run and on one thread.

A step is a game, or a search for one. No time is asserted.
"""

import numpy as np

from procgen_bench.tasks.xland.games.generation import generate_game, sample_game
from procgen_bench.tasks.xland.games.properties import game_properties
from procgen_bench.tasks.xland.games.recolouring import canonical
from tests.performance.stepping import in_processor_seconds, time_steps
from tests.tasks.xland.games import reference_game as reference
from tests.tasks.xland.games.strategies import random_games

GAMES, PEER_GAMES, SEARCHES = 500, 50, 10


@in_processor_seconds
def test_properties(benchmark):
    """Games of the reference's size."""
    games = random_games(np.random.default_rng(0), GAMES, 2)
    time_steps(benchmark, "properties, two players", "ours", GAMES, lambda: list(map(game_properties, games)))


@in_processor_seconds
def test_properties_by_brute_force(benchmark):
    games = random_games(np.random.default_rng(0), PEER_GAMES, 2)
    texts = list(map(str, games))
    for game, text in zip(games, texts):
        assert game_properties(game)[:4] == tuple(map(float, reference.properties(text)[:4]))  # faithful
    time_steps(
        benchmark, "properties by brute force", "peer", PEER_GAMES, lambda: list(map(reference.properties, texts))
    )


@in_processor_seconds
def test_properties_of_three(benchmark):
    games = [sample_game(np.random.default_rng(seed), 2, 2, 3) for seed in range(20)]
    time_steps(benchmark, "properties, three players", "ours", 20, lambda: list(map(game_properties, games)))


@in_processor_seconds
def test_search(benchmark):
    """Games of three options of three predicates near the middle of the plane."""
    rng = np.random.default_rng(0)

    def search() -> None:
        for _ in range(SEARCHES):
            generate_game(rng, 3, 3, 0.6, 0.7)

    time_steps(benchmark, "games by search", "ours", SEARCHES, search)


@in_processor_seconds
def test_canonical_forms(benchmark):
    games = random_games(np.random.default_rng(0), GAMES, 2)
    time_steps(benchmark, "canonical forms", "ours", GAMES, lambda: list(map(canonical, games)))
