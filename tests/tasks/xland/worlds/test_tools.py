"""Tools: long slabs are drawn in a share of worlds, and which tiles they open."""

from dataclasses import replace

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland import DrawOptions, XLandTaskSpace, hand_authored_task
from procgen_bench.tasks.xland.entities import SLAB
from procgen_bench.tasks.xland.worlds.generation import generate_world, mutate
from procgen_bench.tasks.xland.worlds.things import OBJECT_SIZES, TOOL_SIZES
from procgen_bench.tasks.xland.worlds.tools import opened_by
from procgen_bench.tasks.xland.worlds.topology import playable_area
from procgen_bench.tasks.xland.worlds.world import World

#: A plateau in the north that no ramp leads to, another two levels high, and an island of one tile before a wall.
PLATEAUS = """\
1. 1. 0. 2. 2.
0. 0. 0. 2. 2.
0. 0. 0. 0. 0.
0. 0. 0. 0. 0.
0. 0. 0. 0. 0.
floors 0 brown 1 olive 2 grey
tiles 2.0 2.0 m, levels 1.2 m
black {slab} m at 1.5 1.5 facing 0.0
blue player at 2.5 2.5
"""


def opened_tiles(world: World) -> np.ndarray:
    return opened_by(world, world.kinds, world.levels, world.tile_size)


def opened(slab: str, levels: float = 1.2) -> list[tuple[int, int]]:
    text = PLATEAUS.format(slab=slab).replace("levels 1.2", f"levels {levels}")
    return list(map(tuple, np.argwhere(opened_tiles(World.from_text(text))).tolist()))


def test_a_long_slab_opens_a_plateau_one_level_up():
    assert opened("slab 2.6") == [(4, 0), (4, 1)]


@pytest.mark.parametrize(("slab", "levels"), [("slab 1.0", 1.2), ("cube 1.0", 1.2), ("slab 2.2", 1.6)])
def test_what_is_too_short_or_no_slab_opens_nothing(slab, levels):
    assert opened(slab, levels) == []


def test_the_hand_authored_climb_needs_its_slabs():
    world = hand_authored_task("tool_use_climb_1").task.world
    assert (opened_tiles(world) == ~playable_area(world)).all() and opened_tiles(world).any()
    shorter = replace(world, object_sizes=np.where(world.object_shapes == SLAB, 1.0, world.object_sizes))
    assert not opened_tiles(shorter).any()


@pytest.mark.slow
def test_tools_are_drawn_in_the_share_that_is_asked_for_and_open_tiles():
    rng, tools, opens = np.random.default_rng(0), 0, 0
    for _ in range(80):
        world = XLandTaskSpace().sample_task(rng).world
        world.validate()
        long = world.object_sizes > OBJECT_SIZES[1]
        assert (world.object_shapes[long] == SLAB).all() and long.sum() <= 1
        tools, opens = tools + long.any(), opens + opened_tiles(world).any()
    assert 8 <= opens <= tools <= 32  # a quarter of 80


@pytest.mark.parametrize(("chance", "number"), [(0.0, 0), (1.0, 6)])
def test_none_and_all(chance, number):
    rng = np.random.default_rng(1)
    worlds = [generate_world(rng, tools=chance) for _ in range(6)]
    assert sum((world.object_sizes >= TOOL_SIZES[0]).any() for world in worlds) == number


def test_mutations_stay_valid_and_give_only_slabs_the_length_of_tools():
    rng = np.random.default_rng(2)
    world = generate_world(rng, tools=1.0)
    for _ in range(12):
        world = mutate(world, rng, 0.3, tools=0.5)
        world.validate()
        assert (world.object_shapes[world.object_sizes > OBJECT_SIZES[1]] == SLAB).all()


@pytest.mark.parametrize("tools", [-0.1, 1.5])
def test_other_chances_are_refused(tools):
    with pytest.raises(InvalidTaskError, match="tools is"):
        generate_world(np.random.default_rng(0), tools=tools)
    with pytest.raises(ValueError, match=f"tools is {tools}, expected a number in"):
        DrawOptions(tools=tools)
