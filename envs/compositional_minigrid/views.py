"""What agents see, compiled: the library's view of 7 x 7 cells, and what hides what in it.

A row of the view is seven bits, its leftmost cell the lowest. Sight spreads as in the library: from the agent outwards,
row by row, first to the right and then to the left, from cells that can be seen through to their neighbours beside and
ahead of them.
"""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.envs.compositional_minigrid.cells import COLOUR_BITS, FIRST_OPAQUE, OBSERVED
from procgen_bench.envs.compositional_minigrid.observations import VIEW_SIDE
from procgen_bench.tasks.compositional_minigrid.solver import STEPS
from procgen_bench.tasks.compositional_minigrid.task import MAP_SIDE

#: Wall cells around the map: how far a view reaches beyond the agent.
MARGIN = VIEW_SIDE - 1

_CELLS_SIDE = MAP_SIDE + 2 * MARGIN
_NUM_CELLS = VIEW_SIDE * VIEW_SIDE
_MIDDLE, _NEAREST = VIEW_SIDE // 2, VIEW_SIDE - 1
_OWN_CELL = VIEW_SIDE * _MIDDLE + _NEAREST
_ALL, _ALL_BUT_LAST, _ALL_BUT_FIRST = 0b1111111, 0b0111111, 0b1111110
_OPAQUE_CELL = FIRST_OPAQUE << COLOUR_BITS
#: Eight cells of three bytes are three words.
_CELLS_PER_GROUP, _WORDS_PER_GROUP = 8, 3
_NUM_GROUPS = _NUM_CELLS // _CELLS_PER_GROUP
_8, _16, _24, _32, _40, _48, _56 = (np.uint64(bits) for bits in range(8, 64, 8))


@njit
def draw_views(rows, cells, poses, hands, words):
    """Write the image of every row of ``rows`` into its first 147 bytes (and zeros into the five after them).

    Args:
        rows: bool (N,).
        cells: uint8 (N, 20, 20), the maps.
        poses: int64 (N, 3), the agents' x, y and direction.
        hands: uint8 (N,), what they carry, which they see where they stand.
        words: uint64 (N, 21), the observations' memory.
    """
    seen = np.empty(_NUM_CELLS, np.uint64)
    line = np.empty(VIEW_SIDE, np.int64)
    flat = cells.reshape(cells.shape[0], _CELLS_SIDE * _CELLS_SIDE)
    for row in range(rows.shape[0]):
        if not rows[row]:
            continue
        step_x, step_y = STEPS[poses[row, 2], 0], STEPS[poses[row, 2], 1]
        ahead, aside = _CELLS_SIDE * step_y + step_x, _CELLS_SIDE * step_x - step_y
        place = _CELLS_SIDE * (poses[row, 1] + MARGIN) + poses[row, 0] + MARGIN - _MIDDLE * aside
        visible = 1 << _MIDDLE
        for j in range(_NEAREST, -1, -1):
            opaque = 0
            for i in range(VIEW_SIDE):
                line[i] = flat[row, np.uint64(place + i * aside)]
                opaque |= (line[i] >= _OPAQUE_CELL) << i
            place += ahead
            clear = _ALL & ~opaque
            visible = _spread_right(visible, clear)
            sources = visible & clear & _ALL_BUT_LAST
            beyond = sources | sources << 1
            visible = _spread_left(visible, clear)
            sources = visible & clear & _ALL_BUT_FIRST
            beyond |= sources | sources >> 1
            for i in range(VIEW_SIDE):
                seen[VIEW_SIDE * i + j] = OBSERVED[line[i]] * np.uint64(visible >> i & 1)
            visible = beyond
        seen[_OWN_CELL] = OBSERVED[hands[row]]
        for group in range(_NUM_GROUPS):
            k, word = _CELLS_PER_GROUP * group, _WORDS_PER_GROUP * group
            words[row, word] = seen[k] | seen[k + 1] << _24 | seen[k + 2] << _48
            words[row, word + 1] = seen[k + 2] >> _16 | seen[k + 3] << _8 | seen[k + 4] << _32 | seen[k + 5] << _56
            words[row, word + 2] = seen[k + 5] >> _8 | seen[k + 6] << _16 | seen[k + 7] << _40
        words[row, _WORDS_PER_GROUP * _NUM_GROUPS] = seen[_NUM_CELLS - 1]


@njit(inline="always")
def _spread_right(visible, clear):
    """``visible`` and all cells to the right of them up to and with the first that is not ``clear``."""
    through = clear << 1 & _ALL
    visible |= through & visible << 1
    through &= through << 1
    visible |= through & visible << 2
    through &= through << 2
    return visible | through & visible << 4


@njit(inline="always")
def _spread_left(visible, clear):
    """``visible`` and all cells to the left of them up to and with the first that is not ``clear``."""
    through = clear >> 1
    visible |= through & visible >> 1
    through &= through >> 1
    visible |= through & visible >> 2
    through &= through >> 2
    return visible | through & visible >> 4
