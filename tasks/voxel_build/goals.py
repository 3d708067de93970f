"""Compiled drawing of starts and goals, as the paper's environment draws them."""

from procgen_bench.core.compiled import njit
from procgen_bench.core.streams import draw_below
from procgen_bench.tasks.voxel_build.task import EMPTY, HEADINGS, LAYERS, MATERIALS, MAX_HEIGHT, is_goal

_HEADINGS, _MATERIALS = len(HEADINGS), len(MATERIALS)


@njit
def draw_start(stream, side, start):
    """Write the arena's centre and a uniform heading into ``start`` (3,); returns the stream's state after the draw."""
    start[0], start[1] = side // 2, side // 2
    stream, start[2] = draw_below(stream, _HEADINGS)
    return stream


@njit
def draw_goal(stream, goal):
    """Write the outline of a random rectangle into ``goal`` (side, side, 3).

    Two corners, the height (1 or 2) and the block type are uniform; what has a side below 4 (in the small arena 2), or
    more than 34 blocks, is drawn again. So all goals are equally likely: 4,806, or 600.

    Returns:
        The stream's state after the draws.
    """
    side = goal.shape[0]
    while True:
        stream, x_1 = draw_below(stream, side)
        stream, y_1 = draw_below(stream, side)
        stream, x_2 = draw_below(stream, side)
        stream, y_2 = draw_below(stream, side)
        stream, lower_height = draw_below(stream, MAX_HEIGHT)
        stream, lower_material = draw_below(stream, _MATERIALS)
        height, material = 1 + lower_height, 1 + lower_material
        if is_goal(abs(x_1 - x_2) + 1, abs(y_1 - y_2) + 1, height, side):
            break
    for y in range(side):
        for x in range(side):
            inside = min(x_1, x_2) <= x <= max(x_1, x_2) and min(y_1, y_2) <= y <= max(y_1, y_2)
            wall = inside and (x in (x_1, x_2) or y in (y_1, y_2))
            for z in range(LAYERS):
                goal[y, x, z] = material if wall and z < height else EMPTY
    return stream
