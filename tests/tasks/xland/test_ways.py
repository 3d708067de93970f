"""Ways: their lengths in worlds that are written down, and drawn tasks that have those that are asked for."""

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.tasks.xland import SMALL, DrawOptions
from procgen_bench.tasks.xland.drawing import draw_task
from procgen_bench.tasks.xland.games.game import parse_game
from procgen_bench.tasks.xland.predicates.starts import met_at_the_start
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
