"""Variations are the same task to who looks from another side and calls colours by other names."""

from collections import Counter

import numpy as np
import pytest

from procgen_bench.tasks.xland.entities import COLOURS, SHAPES
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.games.recolouring import RECOLOURINGS
from procgen_bench.tasks.xland.space import XLandTaskSpace
from procgen_bench.tasks.xland.suites import load_suite
from procgen_bench.tasks.xland.variations import any_variation

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
