"""Games of the evaluation are new, and even over buckets and sizes.

What is packed comes back.

Tasks of the evaluation are valid with their numbers as they are kept.

Worlds of the evaluation grow harder along lineages, and are furnished with all that a game needs.
"""

from collections import Counter
from itertools import islice

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.evaluation import tasks, worlds
from procgen_bench.tasks.xland.evaluation.games import (
    BUCKETS,
    SIZES,
    bucket,
    check_evaluation_game,
    evaluation_games,
    game_like,
    size,
)
from procgen_bench.tasks.xland.evaluation.packing import pack_games, pack_worlds, quantised, unpack_game, unpack_world
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
from procgen_bench.tasks.xland.games.generation import generate_game
from procgen_bench.tasks.xland.games.recolouring import canonical
from procgen_bench.tasks.xland.hold_out import (
    is_held_out_game,
    is_held_out_world,
    no_fresh,
    short_hash,
    training_game,
    training_world,
)
from procgen_bench.tasks.xland.suites import load_suite
from procgen_bench.tasks.xland.worlds.generation import generate_world
from procgen_bench.tasks.xland.worlds.symmetry import canonical_world
from procgen_bench.tasks.xland.worlds.things import draw_light


@pytest.mark.slow
def test_buckets_and_sizes_are_even(monkeypatch):
    monkeypatch.setattr("procgen_bench.tasks.xland.evaluation.games.TRIES", 4)
    taken: set[int] = set()
    games = list(evaluation_games(np.random.default_rng(0), 60, taken))
    assert Counter(map(bucket, games)) == dict.fromkeys(BUCKETS, 4)
    assert taken == {short_hash(canonical(game)) for game in games} and len(taken) == 60
    sizes = {(game.num_players, max(len(goal.matrix) for goal in game.goals)) for game in games}
    assert sizes == {(2, 1), (2, 2), (2, 3)}, "sizes take turns, and the first of 18 are of two players"
    assert len(SIZES) == 18


@pytest.mark.slow
def test_taken_games_do_not_come(monkeypatch):
    monkeypatch.setattr("procgen_bench.tasks.xland.evaluation.games.TRIES", 4)
    first = list(evaluation_games(np.random.default_rng(0), 15, set()))
    again = list(evaluation_games(np.random.default_rng(0), 15, {short_hash(canonical(game)) for game in first}))
    assert {canonical(game) for game in first}.isdisjoint(map(canonical, again))


def test_another_game_is_of_the_bucket_and_size_and_in_no_suite(monkeypatch):
    rng, suite = np.random.default_rng(1), load_suite("test")
    for task in suite.tasks[::200]:
        game = game_like(rng, task.game, no_fresh())
        check_evaluation_game(game)
        assert (bucket(game), size(game)) == (bucket(task.game), size(task.game)) and size(game) in SIZES
        assert not is_held_out_game(game)
    known, new = suite.tasks[0].game, game_like(rng, suite.tasks[0].game, no_fresh())
    drawn = iter([suite.tasks[200].game, known, new])
    monkeypatch.setattr("procgen_bench.tasks.xland.evaluation.games.generate_game", lambda *_: next(drawn))
    assert game_like(rng, known, no_fresh()) == new


def test_a_bucket_without_games_is_an_error(monkeypatch):
    monkeypatch.setattr("procgen_bench.tasks.xland.evaluation.games.TRIES", 0)
    with pytest.raises(RuntimeError, match=r"the bucket \(0, 4\) of competitiveness and balance has 0 games, not 1"):
        list(evaluation_games(np.random.default_rng(0), 15, set()))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("see(me,black cube)", "number of players of a game of the evaluation is 1, expected 2 or 3"),
        (
            "see(me,black cube) & see(me,purple cube) | hold(me,black cube) & hold(me,purple cube)\n"
            "see(opponent,black cube) & see(opponent,purple cube) | on(me,blue floor)",
            "number of different atoms of the game is 7, expected at most 6",
        ),
        (
            "see(me,opponent) | on(me,blue floor) | ~on(opponent,blue floor) | see(opponent,me)\nsee(me,opponent)",
            "number of options of goal 1 is 4, expected at most 3",
        ),
        (
            "see(me,opponent)\nsee(me,opponent) & on(me,blue floor) & ~on(opponent,blue floor) & see(opponent,me)",
            "predicates in an option of goal 2 is 4, expected at most 3",
        ),
        ("see(me,opponent) | ~see(me,opponent)\nsee(me,opponent)", "is 'always or never rewarded'"),
    ],
)
def test_games_that_the_evaluation_forbids(text, message):
    with pytest.raises(InvalidTaskError, match=message):
        check_evaluation_game(parse_game(text))


def test_extreme_games_are_in_the_outer_buckets():
    assert bucket(parse_game("see(opponent,me)\n~see(me,opponent)")) == (4, 0)
    assert bucket(parse_game("see(me,opponent)\nsee(opponent,me)")) == (0, 4)
    assert bucket(parse_game("see(me,opponent) | ~see(me,opponent)\nsee(opponent,me)")) is None


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


def test_light_from_straight_above_which_rounding_makes_more_than_a_right_angle_is_drawn_again(monkeypatch):
    angles = [np.pi / 2, np.pi / 2]

    def draw(rng):
        light = draw_light(rng)
        return np.array([light[0], angles.pop() if angles else light[1], *light[2:]])

    monkeypatch.setattr(worlds, "draw_light", draw)
    known = load_suite("test").tasks[0]
    new = tasks.task_like(known, np.random.default_rng(0), no_fresh())
    new.validate()
    assert not angles and new.co_players == known.co_players
    angles += [np.pi / 2] * 30
    monkeypatch.setattr(tasks, "is_valid", lambda task: True)
    with pytest.raises(InvalidTaskError, match=r"light\[1\] is 1.571"):
        tasks.task_like(known, np.random.default_rng(0), no_fresh()).validate()


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
