"""Ways: their lengths in worlds that are written down, and drawn tasks that have those that are asked for.

Variations are the same task to who looks from another side and calls colours by other names.

Games and worlds to train on, fresh ones and those of the suites are three sets.
"""

from collections import Counter
from itertools import permutations, product

import numpy as np
import pytest

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.registrations import make_task_space
from procgen_bench.tasks.xland import SMALL, DrawOptions
from procgen_bench.tasks.xland.drawing import draw_small_task, draw_task
from procgen_bench.tasks.xland.entities import COLOURS, SHAPES
from procgen_bench.tasks.xland.games.atoms import FLOOR_NAMES, OBJECTS
from procgen_bench.tasks.xland.games.game import Game, parse_game
from procgen_bench.tasks.xland.games.recolouring import RECOLOURINGS, canonical
from procgen_bench.tasks.xland.games.templates import SKILLS, _goal, skill_game
from procgen_bench.tasks.xland.hold_out import FRESH_SHARE, held_out, no_fresh, no_training
from procgen_bench.tasks.xland.predicates.starts import met_at_the_start
from procgen_bench.tasks.xland.space import XLandTaskSpace
from procgen_bench.tasks.xland.suites import load_suite
from procgen_bench.tasks.xland.variations import any_variation
from procgen_bench.tasks.xland.ways import object_way, player_way, with_ways
from procgen_bench.tasks.xland.worlds.world import World

#: 5 x 5 tiles: a white column on the left, all else is brown.
WORLD = World.from_text(
    "0. 0. 0. 0. 0.\n" * 5
    + "floors by tile\n"
    + "w n n n n\n" * 5
    + "black cube 0.8 m at 3.5 2.5\npurple sphere 0.8 m at 3.5 0.5\nblue player at 0.5 2.5\nred player at 4.5 4.5\n"
)
TILE = WORLD.tile_size[0]


@pytest.mark.parametrize(
    ("goal", "player", "moved"),
    [
        ("near(me,black cube)", 3, None),
        ("on(black cube,white floor)", 3, 2.5),
        ("~on(black cube,brown floor)", 3, 2.5),
        ("on(black cube,brown floor)", 3, 0),
        ("~on(black cube,white floor)", 3, 0),
        ("near(black cube,purple sphere)", 3, 2),
        ("~near(black cube,purple sphere)", 3, 0),
        ("on(purple sphere,white floor) | on(black cube,white floor)", 3, 2.5),
        ("see(me,opponent)", None, None),
    ],
)
def test_ways_of_a_world_that_is_written_down(goal, player, moved):
    """In tiles; two objects are together 1.5 m before their centres meet."""
    own = parse_game(f"{goal}\nsee(me,opponent)").goals[0]
    together = 1.5 if goal.startswith("near(black") else 0.0
    expected = [np.nan if way is None else way * TILE for way in (player, moved)]
    found = [player_way(WORLD, own), object_way(WORLD, own) + together]
    assert found == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(("player", "objects"), [((1, 2), (0.4, 2)), ((4, 6), (2, 4)), (None, (4, 7)), ((6, 9), None)])
def test_drawn_tasks_have_the_ways_that_are_asked_for(player, objects):
    options = DrawOptions(**SMALL, skill="carry|gather|clear", player_way=player, object_way=objects)
    rng, relations = np.random.default_rng(0), set()
    for _ in range(16):
        task = draw_task(rng, 2, options)
        task.validate()
        goal, world = task.game.goals[0], task.world
        relations.add(str(goal).partition("(")[0])
        assert not met_at_the_start(world, task.game).any()
        if player is not None:
            assert player_way(world, goal) <= player[1] + 1e-9
            assert player_way(world, goal) >= player[0] - 1e-9 or str(goal).startswith("near"), "to either of two"
        if objects is not None:
            assert objects[0] <= object_way(world, goal) < objects[1]
    assert relations >= {"~on", "near"}
    again = [draw_task(np.random.default_rng(7), 2, options) for _ in range(2)]
    assert again[0] == again[1]


def test_ways_that_a_world_has_no_room_for_are_none():
    game = parse_game("on(black cube,white floor)\nsee(me,opponent)")
    rng = np.random.default_rng(0)
    assert with_ways(rng, WORLD, game, None, (90.0, 99.0)) is None
    assert with_ways(rng, WORLD, game, (90.0, 99.0), None) is None
    assert with_ways(rng, WORLD, parse_game("see(me,opponent)\nsee(me,opponent)"), (1.0, 2.0), None) is None


@pytest.mark.parametrize("value", [3, (2, 1), (-1, 2), (1, 2, 3), ("a", "b"), (0, 1e9)])
def test_ways_that_are_none_are_refused(value):
    for name in ("player_way", "object_way"):
        with pytest.raises(InvalidOptionError, match=f"{name} is .*, expected two numbers of metres"):
            DrawOptions(**{name: value})


def test_several_skills_are_drawn_from_and_unknown_ones_refused():
    with pytest.raises(InvalidOptionError, match="skill is 'fly'"):
        DrawOptions(skill="carry|fly")
    with pytest.raises(InvalidOptionError, match="skill is ''"):
        DrawOptions(skill="carry|")


SPACE = XLandTaskSpace()
AUTHORED = load_suite("hand_authored")


@pytest.mark.parametrize("name", AUTHORED.task_names)
def test_variations_are_valid_and_of_the_same_game_and_world_but_for_names(name):
    task, rng = AUTHORED[name], np.random.default_rng(0)
    for _ in range(10):
        varied = any_variation(task, rng)
        varied.validate()
        assert SPACE.decode(SPACE.encode(varied)) == varied
        assert varied.co_players == task.co_players
        assert SPACE.hold_out_marks(varied) == SPACE.hold_out_marks(task)


def test_objects_change_colour_in_the_world_as_in_the_game():
    task, rng = AUTHORED["xrps_counter_black"], np.random.default_rng(1)
    spheres = set()
    for _ in range(50):
        varied = any_variation(task, rng)
        # What stood first is what player 2 always holds.
        held = COLOURS[varied.world.object_colours[0]]
        assert str(varied.game).splitlines()[1] == f"hold(me,{held} sphere)"
        spheres.add(tuple(varied.world.object_colours.tolist()))
    assert len(spheres) == 6


def test_slabs_keep_their_colours():
    world = AUTHORED["tool_use_gap_1"].world
    slabs = world.object_shapes == SHAPES.index("slab")
    rng = np.random.default_rng(2)
    for _ in range(20):
        varied = any_variation(AUTHORED["tool_use_gap_1"], rng).world
        assert slabs.any() and np.array_equal(varied.object_colours[slabs], world.object_colours[slabs])


def test_every_colour_and_side_is_as_likely():
    task, rng = AUTHORED["tool_use_gap_1"], np.random.default_rng(3)  # no two forms of it are alike
    seen: Counter[tuple[Game, bytes, bytes]] = Counter()
    for _ in range(2_400):
        varied = any_variation(task, rng)
        seen[varied.game, varied.world.levels.tobytes(), varied.world.object_positions.tobytes()] += 1
    assert len(RECOLOURINGS) == 216 and len(seen) == 3 * 8
    assert min(seen.values()) > 60 and max(seen.values()) < 145


RNG = np.random.default_rng
TEMPLATES = DrawOptions(**(SMALL | {"templates": 0.7, "pooled_games": 40}))


def test_every_game_is_in_one_of_three_sets():
    rng = RNG(0)
    games = [skill_game(rng, 2, str(rng.choice(list(SKILLS)))) for _ in range(2_000)]
    places = np.array([[taken().has_game(game) for taken in (held_out, no_training, no_fresh)] for game in games])
    in_suites, not_to_train_on, not_fresh = places.T
    assert (not_to_train_on[in_suites] & not_fresh[in_suites]).all()
    others = ~in_suites
    assert (not_to_train_on[others] != not_fresh[others]).all()
    assert abs(not_to_train_on[others].mean() - FRESH_SHARE) < 0.06


@pytest.mark.parametrize("draw", [draw_small_task, lambda rng: draw_task(rng, 2, TEMPLATES)])
def test_fresh_tasks_share_neither_game_nor_world_with_training(draw):
    rng, small, space = RNG(1), get_benchmark("xland/small"), make_task_space("XLandSmall-v0")
    for task in (draw(rng) for _ in range(12)):
        assert space.may_be_trained_on(task) and not small.holds_out(task)
    for task in (small.draw(rng) for _ in range(4)):
        assert not (no_fresh().has_game(task.game) or no_fresh().has_world(task.world))
        assert small.holds_out(task) and not space.may_be_trained_on(task)


def test_games_of_one_literal_are_as_few_as_the_page_says_and_some_of_each_skill_may_be_trained_on():
    found = 0
    for literal in SKILLS.values():
        literals = {literal(*things, floor) for things in permutations(OBJECTS, 2) for floor in FLOOR_NAMES}
        pairs = [Game((_goal([[one]]), _goal([[other]]))) for one, other in product(literals, repeat=2)]
        games = {canonical(game): game for game in pairs}
        found += len(games)
        assert not all(map(no_training().has_game, games.values()))
    assert f"are few, {found:,} up to colours" in make_task_space("XLandSmall-v0").met_in_training
