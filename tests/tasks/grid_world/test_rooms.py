"""Which grid worlds need a key, and how much of a target's walls they have."""

import numpy as np
import pytest

from procgen_bench.tasks.grid_world import GridWorldTask, GridWorldTaskSpace
from procgen_bench.tasks.grid_world.rooms import kept_walls, needs_key

ROOM = """
........
........
........
....####
....#...
....A...
....#...
a...#..G
"""


OUTSIDE = ROOM.replace("G", ".").replace("....####", "G...####")


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        (ROOM, True),
        (ROOM.replace("#...", "....", 1), False),  # a wall is missing
        (ROOM.replace("A", "."), False),
        (ROOM.replace("A", "B"), False),  # no key of this door, so no way at all
        (ROOM.replace("A", "~"), False),
        (ROOM.replace("a", "."), False),
        (ROOM.replace("G", "."), False),
        (OUTSIDE, False),
    ],
)
def test_a_task_needs_a_key_if_the_goal_is_behind_its_door(text, needed):
    assert needs_key(GridWorldTask.from_text(text)) is needed


def test_targets_need_keys():
    assert all(map(needs_key, GridWorldTaskSpace().suite("targets").tasks))


def test_kept_walls_are_a_share_of_the_targets_whatever_else_is_a_wall():
    target = GridWorldTask.from_text(ROOM)
    nothing = GridWorldTask(np.zeros((8, 8), np.int8), target.objects)
    assert kept_walls([target], target) == 1 and kept_walls([nothing, target, nothing, nothing], target) == 0.25
    more = GridWorldTask.from_text(ROOM.replace("........", "########", 1).replace("....####", "......##"))
    assert kept_walls([more], target) == pytest.approx(5 / 7)
    lava = GridWorldTask.from_text(ROOM.replace("#", "~"))
    assert kept_walls([lava], target) == 0
    assert np.isnan(kept_walls([target], nothing))
