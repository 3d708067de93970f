"""Draws of the sizes that are asked for, in which all players have to earn their rewards; others are refused."""

from dataclasses import replace

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.tasks.xland import SMALL, DrawOptions, XLandTaskSpace, close_starts, pool
from procgen_bench.tasks.xland.close_starts import REACHES
from procgen_bench.tasks.xland.drawing import draw_task
from procgen_bench.tasks.xland.games.game import parse_game
from procgen_bench.tasks.xland.games.recolouring import canonical
from procgen_bench.tasks.xland.hold_out import Taken, held_out, is_held_out_game
from procgen_bench.tasks.xland.predicates.starts import met_at_the_start
from procgen_bench.tasks.xland.task import XLandTask
from procgen_bench.tasks.xland.worlds.world import World

TINY = DrawOptions(sides=(5, 7), max_level=1, objects=(2, 3), options=1, predicates=(1, 2))
WORLD = "0. 0. 0. 0. 0.\n" * 5 + "black cube 0.8 m at 4.5 4.5\nblue player at 0.5 0.5\n"


@pytest.mark.parametrize("players", [1, 2])
def test_draws_are_as_asked_for(players):
    rng = np.random.default_rng(0)
    tasks = [draw_task(rng, players, TINY) for _ in range(12)]
    for task in tasks:
        task.validate()
        assert task.game.num_players == players and task.world.levels.max() <= 1
        assert all(5 <= side <= 7 for side in task.world.shape) and len(task.world.object_shapes) in (2, 3)
        assert all(len(goal.matrix) == 1 and abs(goal.matrix).sum() <= 2 for goal in task.game.goals)
    assert {len(task.world.object_shapes) for task in tasks} == {2, 3}
    assert draw_task(np.random.default_rng(0), players, TINY) == tasks[0]


@pytest.mark.parametrize("players", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_all_players_have_to_earn_their_rewards_unless_that_is_turned_off(players):
    space, met = XLandTaskSpace(**vars(TINY)), {}
    for earned in (None, False):
        rng = np.random.default_rng(1)
        tasks = [space.sample_task(rng, players, earned) for _ in range(12)]
        met[earned] = np.sum([met_at_the_start(task.world, task.game) for task in tasks], axis=0)
    assert (met[None] == 0).all() and (met[False] > 0).all()


def test_the_small_family_can_be_drawn():
    space, rng = XLandTaskSpace(**SMALL), np.random.default_rng(0)
    for players in (1, 2, 3):
        task = space.sample_task(rng, players)
        assert max(task.world.shape) <= 9 and 4 <= len(task.world.object_shapes) <= 6
        assert all(len(goal.matrix) <= 2 for goal in task.game.goals)


def test_pooled_games_are_recolourings_of_as_many_games_none_of_which_a_suite_has():
    options = DrawOptions(**(SMALL | {"pooled_games": 3}))
    rng = np.random.default_rng(0)
    games = [draw_task(rng, 2, options).game for _ in range(24)]
    forms, pooled = (
        {canonical(game) for game in games},
        [pool.pooled_game(n, 2, options.options, options.predicates) for n in range(3)],
    )
    assert forms <= {canonical(game) for game in pooled}, "some may name more objects than a world has"
    assert len(forms) < len({str(game) for game in games})
    assert not any(is_held_out_game(game) for game in games)


def test_games_that_are_kept_are_those_that_a_search_finds():
    for number in (0, 7, pool.NUM_KEPT - 1):
        assert pool.pooled_game(number, 2, **pool.SMALL_SIZES) == pool._found(number, 2, **pool.SMALL_SIZES)
    forms = {canonical(pool.pooled_game(number, 2, **pool.SMALL_SIZES)) for number in range(200)}
    assert len(forms) > 150
    assert pool.pooled_game(0, 3, **pool.SMALL_SIZES).num_players == 3, "of other sizes none are kept"


def test_games_of_templates_are_easy_ones_that_no_suite_has():
    rng = np.random.default_rng(0)
    for stages in (1, 2, 4):
        options = DrawOptions(**(SMALL | {"templates": 1.0, "template_stages": stages}))
        tasks = [draw_task(rng, 2, options) for _ in range(12)]
        sizes = {abs(goal.matrix).sum() for task in tasks for goal in task.game.goals}
        assert sizes == {1} if stages < 3 else max(sizes) > 1
        for task in tasks:
            task.validate()
            assert not is_held_out_game(task.game)
            assert not met_at_the_start(task.world, task.game).any()
            if stages == 1:
                assert all("me" in str(goal) and "~" not in str(goal) for goal in task.game.goals)


def test_a_template_that_a_suite_has_is_not_drawn(monkeypatch):
    monkeypatch.setattr("procgen_bench.tasks.xland.drawing.no_training", lambda: Taken(_Everything(), ()))
    with pytest.raises(InvalidOptionError, match="or are in a suite"):
        draw_task(np.random.default_rng(0), 2, DrawOptions(**(SMALL | {"templates": 1.0})))


class _Everything:
    """Has all games."""

    def __contains__(self, form: object) -> bool:
        return True


@pytest.mark.parametrize(
    ("goal", "is_met"),
    [
        ("on(black cube,brown floor) & on(me,brown floor)", True),
        ("near(me,black cube)", False),
        ("hold(me,black cube)", False),
        ("~hold(me,black cube)", True),
    ],
)
def test_what_holds_at_the_start(goal, is_met):
    task = XLandTask(World.from_text(WORLD), parse_game(goal))
    assert met_at_the_start(task.world, task.game).tolist() == [is_met]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sides": 4}, r"sides is 4, expected an integer in \[5, 15\], or a pair"),
        ({"sides": (9, 5)}, r"sides is \(9, 5\)"),
        ({"objects": 13}, r"objects is 13, expected an integer in \[1, 12\]"),
        ({"options": (1, 4)}, "options is"),
        ({"predicates": 1.5}, "predicates is 1.5"),
        ({"max_level": 6}, "max_level is 6"),
        ({"earned": 1}, "earned is 1"),
        ({"tools": True}, "tools is True"),
        ({"mutation": 1.5}, "mutation is 1.5, expected a number in"),
        ({"templates": 1.5}, r"templates is 1.5, expected a number in \[0, 1\]"),
        ({"template_stages": 5}, "template_stages is 5"),
        ({"pooled_games": -1}, r"pooled_games is -1, expected an integer in \[0, 16384\]"),
    ],
)
def test_other_options_are_refused(options, message):
    with pytest.raises(InvalidOptionError, match=message):
        DrawOptions(**options)


def test_games_that_name_more_objects_than_the_world_is_to_have_are_refused(monkeypatch):
    monkeypatch.setattr("procgen_bench.tasks.xland.drawing.MAX_GAMES", 3)
    with pytest.raises(InvalidOptionError, match="objects is 1, expected more: 3 games of 3 options of up to 3"):
        draw_task(np.random.default_rng(0), 1, DrawOptions(objects=1, options=3, predicates=3))


def test_worlds_all_of_which_suites_have_are_refused():
    flat = DrawOptions(**(SMALL | {"sides": 5, "max_level": 0}))
    with pytest.raises(InvalidOptionError, match="all of 100 worlds drawn with these options are in suites"):
        draw_task(np.random.default_rng(0), 2, flat)


def test_games_most_of_which_suites_have_are_drawn_all_the_same():
    """The 22nd of the small pool is drawn after 118 that suites have."""
    assert not held_out().has_game(pool.pooled_game(21, 2, (1, 2), (1, 2)))


def test_close_starts_are_close_to_what_goals_name_and_meet_no_goal():
    options = DrawOptions(**(SMALL | {"templates": 1.0, "template_stages": 1}))
    far, close = (_distances(replace(options, close_starts=chance)) for chance in (0.0, 1.0))
    assert np.mean(close < REACHES[1]) > 0.8 > 0.4 > np.mean(far < REACHES[1])
    assert close.min() >= 1.0 and not np.allclose(close, close[0])


def _distances(options: DrawOptions) -> np.ndarray:
    """From every player of forty tasks to the one object that its goal names, where it names one, in metres."""
    rng, found, space = np.random.default_rng(0), [], XLandTaskSpace(**vars(options))
    for _ in range(40):
        task = draw_task(rng, 2, options)
        assert space.decode(space.encode(task)) == task
        assert not met_at_the_start(task.world, task.game).any()
        for player, goal in enumerate(task.game.goals):
            for place in close_starts.named_objects(task.world, goal):
                way = task.world.object_positions[place] - task.world.player_positions[player]
                found.append(float(np.hypot(*(way * task.world.tile_size[:2]))))
    return np.array(found)


def test_a_start_is_close_to_an_object_that_is_named_beside_an_opponent():
    world = World.from_text(WORLD.replace("4.5 4.5", "2.5 2.5") + "red player at 1.5 0.5\n")
    game = parse_game("near(black cube,opponent)\nnear(black cube,opponent)")
    moved = close_starts.brought_close(np.random.default_rng(0), world, game)
    (place,) = close_starts.named_objects(world, game.goals[0])
    ways = (world.object_positions[place] - moved.player_positions) * world.tile_size[:2]
    assert moved is not world and (np.hypot(*ways.T) < REACHES[1]).all() and not met_at_the_start(moved, game).any()


def test_no_close_start_puts_out_of_reach_what_the_game_names():
    """From below nobody comes back up to the purple sphere."""
    ground = "0. 0. 0. 0. 0.\n"
    ledge = WORLD.replace(ground * 5, ground * 3 + "1. 1. 1. 1. 1.\n" * 2)
    world = World.from_text(ledge + "purple sphere 0.8 m at 4.5 0.5\n")
    game = parse_game("near(black cube,purple sphere)")
    moved = [close_starts.brought_close(np.random.default_rng(seed), world, game) for seed in range(20)]
    assert sum(one is not world for one in moved) > 10
    for one in moved:
        XLandTask(one, game).validate()


def test_no_place_for_a_close_start_leaves_the_world_as_it_is():
    world = World.from_text(WORLD)
    met = parse_game("near(black cube,me) | ~near(black cube,me)")
    assert close_starts.brought_close(np.random.default_rng(0), world, met) is world
