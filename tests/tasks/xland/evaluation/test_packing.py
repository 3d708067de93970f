"""What is packed comes back."""

import numpy as np

from procgen_bench.tasks.xland.evaluation.packing import (
    pack_games,
    pack_worlds,
    quantised,
    unpack_game,
    unpack_world,
)
from procgen_bench.tasks.xland.games.generation import generate_game
from procgen_bench.tasks.xland.worlds.generation import generate_world


def test_worlds_come_back_quantised():
    rng = np.random.default_rng(0)
    sizes = [(5, 15), (15, 5), (9, 9), (15, 15)]
    worlds = [generate_world(rng, *size, players=players) for size in sizes for players in (1, 2, 3)]
    arrays = pack_worlds(worlds)
    for place, world in enumerate(worlds):
        back = unpack_world(arrays, place)
        back.validate()
        assert back == quantised(world) == quantised(back)
        for name in ("kinds", "levels", "floors", "object_shapes", "player_gadgets"):
            assert np.array_equal(getattr(back, name), getattr(world, name))
        for name in ("tile_size", "light", "object_positions", "object_sizes", "player_yaws"):
            assert np.allclose(getattr(back, name), getattr(world, name), atol=0.00051)


def test_games_come_back():
    rng = np.random.default_rng(0)
    games = [generate_game(rng, 1 + i % 3, 1 + i // 2 % 3, 0.5, 0.75, 2 + i % 2) for i in range(24)]
    arrays = pack_games(games)
    assert [unpack_game(arrays, place) for place in range(24)] == games
