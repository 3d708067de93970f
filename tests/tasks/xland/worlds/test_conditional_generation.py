"""Worlds like a given one, and worlds for a game."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.entities import COLOURS, FLOORS, SHAPES
from procgen_bench.tasks.xland.worlds.generation import condition, generate_world, mutate
from procgen_bench.tasks.xland.worlds.measures import world_distance
from procgen_bench.tasks.xland.worlds.tiles import TileKind
from procgen_bench.tasks.xland.worlds.topology import playable_area
from procgen_bench.tasks.xland.worlds.wave_function_collapse import NoWorldError
from procgen_bench.tasks.xland.worlds.world import World
from tests.tasks.xland.worlds.makers import PLATEAU, assert_apart, assert_well_generated

ALL_OBJECTS = {(shape, colour) for shape in SHAPES for colour in COLOURS}


def some_worlds(count: int, seed: int, **options) -> list[World]:
    rng = np.random.default_rng(seed)
    return [generate_world(rng, *rng.integers(5, 12, size=2), **options) for _ in range(count)]


def needs(objects=(), floors=(), players=1) -> SimpleNamespace:
    return SimpleNamespace(objects=set(objects), floors=set(floors), num_players=players)


def test_no_mutation_leaves_the_world():
    rng = np.random.default_rng(0)
    for world in some_worlds(30, 1):
        assert mutate(world, rng, 0.0) == world


def test_mutations_are_good_worlds_with_as_many_things():
    rng = np.random.default_rng(1)
    for strength in (0.05, 0.3, 1.0):
        for world in some_worlds(20, 2, objects=None):
            mutated = mutate(world, rng, strength)
            assert_well_generated(mutated)
            assert mutated.shape == world.shape and mutated != world
            assert len(mutated.object_yaws) == len(world.object_yaws)
            assert len(mutated.player_yaws) == len(world.player_yaws)
            kinds = zip(mutated.object_shapes.tolist(), mutated.object_colours.tolist())
            assert len(set(kinds)) == len(mutated.object_yaws)


def test_changes_grow_with_the_strength():
    """In tiles, in latents, in things that move, and in categories drawn again."""
    rng, worlds = np.random.default_rng(2), some_worlds(40, 3, players=2)
    changes = []
    for strength in (0.05, 0.3, 0.9):
        mutated = [mutate(world, rng, strength) for world in worlds]
        pairs = list(zip(worlds, mutated))
        noise = np.concatenate([new.object_latents - old.object_latents for old, new in pairs])
        assert noise.std() == pytest.approx(strength, rel=0.1) and abs(noise.mean()) < 0.05
        changes.append(
            (
                np.mean([world_distance(*pair) for pair in pairs]),
                np.mean([(new.object_positions != old.object_positions).any(1).mean() for old, new in pairs]),
                np.mean([(new.object_yaws != old.object_yaws).mean() for old, new in pairs]),
                np.mean([(new.tile_size != old.tile_size).any() for old, new in pairs]),
                np.mean([(new.light != old.light).any() for old, new in pairs]),
                np.mean([(new.player_gadgets != old.player_gadgets).mean() for old, new in pairs]),
            )
        )
    low, middle, high = np.array(changes)
    assert (low < middle).all() and (middle < high).all()
    assert low[0] < 0.1 and high[0] > 0.5 and low[2] < 0.1 and high[2] > 0.8


def test_shapes_and_colours_change_to_absent_ones():
    rng, changed = np.random.default_rng(3), 0
    for world in some_worlds(20, 4, objects=4):
        mutated = mutate(world, rng, 0.8)
        changed += not np.array_equal(mutated.object_shapes, world.object_shapes)
    assert changed > 10


def test_floors_by_level_stay_so_unless_drawn_anew():
    rng = np.random.default_rng(4)
    for world in some_worlds(20, 5, floors="level"):
        mutated = mutate(world, rng, 0.3, floors="level")
        for level in np.unique(mutated.levels):
            assert len(set(mutated.floors[mutated.levels == level].tolist())) == 1


@pytest.mark.parametrize("strength", [-0.1, 1.1, float("nan")])
def test_bad_strength_is_refused(strength):
    with pytest.raises(InvalidTaskError, match=r"strength is .*, expected a number in \[0, 1\]"):
        mutate(some_worlds(1, 0)[0], np.random.default_rng(0), strength)


def assert_meets(world: World, wanted: SimpleNamespace) -> None:
    world.validate()
    playable = playable_area(world)
    columns, rows = world.object_positions.astype(int).T
    exposed = {
        (SHAPES[shape], COLOURS[colour])
        for shape, colour, row, column in zip(world.object_shapes, world.object_colours, rows, columns)
        if playable[row, column]
    }
    assert wanted.objects <= exposed
    assert wanted.floors <= {FLOORS[floor] for floor in world.floors[playable & (world.kinds <= TileKind.RAMP_WEST)]}
    columns, rows = world.player_positions.astype(int).T
    assert len(rows) >= wanted.num_players and playable[rows, columns].all()
    assert_apart(world)


def test_conditioned_worlds_have_what_is_needed():
    rng = np.random.default_rng(5)
    known = sorted(ALL_OBJECTS)
    for world in some_worlds(60, 6, objects=None, players=1, max_level=3):
        picked = rng.permutation(12)[: rng.integers(7)]
        wanted = needs(
            (known[index] for index in picked),
            rng.permutation(FLOORS)[: rng.integers(7)].tolist(),
            int(rng.integers(1, 4)),
        )
        conditioned = condition(world, wanted, rng)
        assert_meets(conditioned, wanted)
        for name in ("kinds", "levels", "tile_size", "light"):
            assert np.array_equal(getattr(conditioned, name), getattr(world, name))
        kept = len(world.object_yaws)
        assert np.array_equal(conditioned.object_positions[:kept], world.object_positions)
        assert condition(conditioned, wanted, rng) == conditioned


def test_all_floors_fit_on_one_level():
    world = generate_world(np.random.default_rng(6), 5, 5, max_level=0, objects=2)
    assert_meets(condition(world, needs(floors=FLOORS), np.random.default_rng(0)), needs(floors=FLOORS))


def test_floors_by_level_stay_by_level_where_there_are_enough():
    world = World.from_text(PLATEAU + "red player at 0.5 4.5")
    conditioned = condition(world, needs(floors=["white", "grey"]), np.random.default_rng(0))
    assert {frozenset(conditioned.floors[conditioned.levels == level].tolist()) for level in (0, 1)} == {
        frozenset([FLOORS.index("white")]),
        frozenset([FLOORS.index("grey")]),
    }


def test_things_out_of_reach_are_placed_anew():
    world = World.from_text(PLATEAU + "purple cube 0.5 m at 1.5 0.5\nred player at 2.5 0.5\nblue player at 2.5 2.5")
    wanted = needs([("cube", "purple")], players=2)
    conditioned = condition(world, wanted, np.random.default_rng(0))
    assert_meets(conditioned, wanted)
    assert conditioned.player_positions[1].tolist() == [2.5, 2.5]


def test_one_seed_conditions_in_one_way():
    """In whatever order the sets are."""
    world = some_worlds(1, 7, objects=1, players=1)[0]
    wanted = needs(ALL_OBJECTS, FLOORS, 3)
    backwards = SimpleNamespace(objects=sorted(ALL_OBJECTS, reverse=True), floors=FLOORS[::-1], num_players=3)
    one, other = (condition(world, each, np.random.default_rng(8)) for each in (wanted, backwards))
    assert one == other and one != condition(world, wanted, np.random.default_rng(9))


@pytest.mark.parametrize(
    ("wanted", "part"),
    [
        (needs([("cube", "pink")]), "needs.objects is ('cube', 'pink'), expected a shape of ['cube', 'sphere'"),
        (needs(floors=["pink"]), "needs.floors is 'pink', expected one of ['brown', 'olive'"),
        (needs(players=4), "needs.num_players is 4, expected an integer in [0, 3]"),
    ],
)
def test_unknown_needs_are_refused(wanted, part):
    with pytest.raises(InvalidTaskError) as caught:
        condition(some_worlds(1, 0)[0], wanted, np.random.default_rng(0))
    assert part in str(caught.value)


def test_no_room_is_said():
    ditch = World.from_text("\n".join(" ".join(f"{2 * (r + c) % 5}." for c in range(5)) for r in range(5)))
    assert playable_area(ditch).sum() <= 4
    with pytest.raises(NoWorldError, match="tiles has no room for all 15 objects and players"):
        condition(
            replace(ditch, tile_size=np.array([1.5, 1.5, 1.0])), needs(ALL_OBJECTS, players=3), np.random.default_rng(0)
        )
    with pytest.raises(InvalidTaskError, match=r"tiles of the playable area is .*, expected one for each of 6 floors"):
        condition(ditch, needs(floors=FLOORS, players=0), np.random.default_rng(0))
