"""Worlds of the evaluation grow harder along lineages, and are furnished with all that a game needs."""

from itertools import islice

import numpy as np
import pytest

from procgen_bench.tasks.xland.evaluation.worlds import (
    LINEAGE,
    WALL,
    any_evaluation_tiles,
    doorway,
    evaluation_tiles,
    evolved_worlds,
    furnish,
    island,
    mean_way,
)
from procgen_bench.tasks.xland.games.game import parse_game
from procgen_bench.tasks.xland.hold_out import is_held_out_game, is_held_out_world, training_game, training_world
from procgen_bench.tasks.xland.suites import load_suite
from procgen_bench.tasks.xland.worlds.symmetry import canonical_world


def test_ways_grow_longer_along_a_lineage():
    lengths = [mean_way(world) for world in evolved_worlds(np.random.default_rng(0), 11, 11)]
    assert len(lengths) >= 4 and lengths == sorted(set(lengths)) and lengths[-1] > 1.1 * lengths[0]


def test_templates():
    assert island(9, 12).sum() == 3 * 4 and island(9, 12)[6, 4] == 1
    wall = doorway(np.random.default_rng(0), 10, 9)
    assert (wall[4] == WALL).sum() == 9 and wall.sum() == 9 * WALL


def test_worlds_differ_in_size_and_tiles():
    worlds = list(islice(evaluation_tiles(np.random.default_rng(0)), 48))
    assert len({world.shape for world in worlds}) > 10 and len({canonical_world(world) for world in worlds}) >= 46


def test_single_worlds_are_of_each_kind_as_often_as_those_in_turn(monkeypatch):
    """Lineages differ in length; were a round drawn first and one of its worlds then, short ones would weigh more."""

    def round_of(rng):
        return iter(["evolved"] * (1 if rng.random() < 0.5 else LINEAGE) + ["other"] * LINEAGE)

    monkeypatch.setattr("procgen_bench.tasks.xland.evaluation.worlds._tiles_of_a_round", round_of)
    rng, count = np.random.default_rng(0), 30_000
    shares = []
    for tiles in (evaluation_tiles, any_evaluation_tiles):
        shares.append(sum(kind == "evolved" for kind in islice(tiles(rng), count)) / count)
    # 4.5 of 12.5 worlds; the mean of 1 of 9 and 8 of 16 would be 0.306.
    assert shares == pytest.approx([0.36, 0.36], abs=0.01)


def test_furnished_worlds_have_what_the_game_needs():
    rng = np.random.default_rng(1)
    game = parse_game("on(me,white floor) & on(opponent,olive floor)\nhold(me,black cube)\nsee(me,opponent)")
    for world in islice(evaluation_tiles(rng), 30):
        furnished = furnish(rng, world, game)
        furnished.validate()
        assert len(furnished.object_shapes) == 12 and len(furnished.player_colours) == 3
        assert {1, 5} <= set(furnished.floors.ravel().tolist())
        assert canonical_world(furnished) == canonical_world(world)


def test_training_draws_again_what_is_held_out(monkeypatch):
    held = load_suite("test").tasks[0]
    for kind, made, is_held_out, train in (
        ("game", held.game, is_held_out_game, training_game),
        ("world", held.world, is_held_out_world, training_world),
    ):
        assert is_held_out(made)
        name = f"procgen_bench.tasks.xland.hold_out.generate_{kind}"
        new = parse_game("see(me,black cube) & hold(me,black cube) & ~near(me,black cube)")
        if kind == "world":
            new = training_world(np.random.default_rng(0), 15, 15)
        drawn = iter([made, made, new])
        with monkeypatch.context() as patch:
            patch.setattr(name, lambda rng, drawn=drawn: next(drawn))
            assert train(np.random.default_rng(0)) == new
        assert next(drawn, None) is None


@pytest.mark.slow
def test_hold_out_rejects_a_hundred_thousand_games_and_ten_thousand_worlds(capsys):
    """How often training meets what is held out; printed for the record."""
    from procgen_bench.tasks.xland.games.generation import sample_game
    from procgen_bench.tasks.xland.worlds.generation import generate_world

    rng = np.random.default_rng(0)
    games = sum(is_held_out_game(sample_game(rng, 1 + i % 3, 1 + i // 3 % 3, 2)) for i in range(100_000))
    worlds = sum(is_held_out_world(generate_world(rng, 9, 9)) for _ in range(10_000))
    with capsys.disabled():
        print(f"\nheld out: {games} of 100,000 games, {worlds} of 10,000 worlds")
    assert games > 0 and worlds < 10
