"""States of a cell for Wave Function Collapse: a tile's kind and level; which may be neighbours, and their weights."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.worlds.tiles import (
    NUM_KINDS,
    NUM_LEVELS,
    OPPOSITE,
    RAMP_ENDS,
    SIDE_HEIGHTS,
    TileKind,
)

#: Kind and level of every state: int8 (46,), flat tiles first.
STATE_KINDS, STATE_LEVELS = np.array(
    [(kind, level) for kind in TileKind for level in range(NUM_LEVELS - (kind != TileKind.FLAT))], np.int8
).T.copy()
NUM_STATES = len(STATE_KINDS)
#: The state of a kind and a level: int64 (kinds, levels); -1 for a ramp or diagonal that would leave the top level.
STATES = np.full((NUM_KINDS, NUM_LEVELS), -1)
STATES[STATE_KINDS, STATE_LEVELS] = np.arange(NUM_STATES)


def _neighbour_masks() -> tuple[np.ndarray, np.ndarray]:
    """Masks uint64 (4, states) of the states that may lie at each side of a state, and of those that meet it there."""
    heights = STATE_LEVELS[:, None, None] + SIDE_HEIGHTS[STATE_KINDS]
    ends = RAMP_ENDS[STATE_KINDS]
    allowed, meeting = np.empty((4, NUM_STATES), np.uint64), np.empty((4, NUM_STATES), np.uint64)
    bits = np.uint64(1) << np.arange(NUM_STATES, dtype=np.uint64)
    for side, other in enumerate(OPPOSITE.tolist()):
        meets = (heights[:, None, side] == heights[None, :, other]).all(axis=-1)
        may_be_wall = ~(ends[:, None, side] | ends[None, :, other])
        meeting[side] = meets.astype(np.uint64) @ bits
        allowed[side] = (meets | may_be_wall).astype(np.uint64) @ bits
    return allowed, meeting


#: What :func:`_neighbour_masks` says.
ALLOWED, MEETING = _neighbour_masks()
#: Whether a state may have the world's border at each side: bool (4, states); the ends of ramps may not.
_AT_BORDER = ~RAMP_ENDS[STATE_KINDS].T


@dataclass(frozen=True)
class TileWeights:
    """How likely tiles are, relative to each other.

    Attributes:
        flat, ramp, diagonal: Weights of a flat tile, a ramp and a diagonal; at least 0, and flat above 0.
        levels: Weights of the levels 0 to 5, at least 0 and one of them above 0.
        coherence: How many times likelier a tile is for each neighbour that its floor meets; at least 1.
    """

    flat: float = 12.0
    ramp: float = 4.0
    diagonal: float = 0.5
    levels: tuple[float, ...] = (4.0, 4.0, 3.0, 2.0, 2.0, 1.0)
    coherence: float = 18.0

    def of_states(self, max_level: int = NUM_LEVELS - 1) -> np.ndarray:
        """Weight of every state, float64 (46,), without floors above ``max_level``.

        Raises:
            InvalidTaskError: A weight or ``max_level`` lies outside its range.
        """
        self._check()
        if not isinstance(max_level, int | np.integer) or not 0 <= max_level < NUM_LEVELS:
            raise InvalidTaskError("max_level", max_level, f"an integer in [0, {NUM_LEVELS - 1}]")
        weights = _of_states(self.flat, self.ramp, self.diagonal, tuple(self.levels), int(max_level)).copy()
        if not weights[: max_level + 1].any():
            raise InvalidTaskError("weights.levels", self.levels, f"a positive one among levels 0 to {max_level}")
        return weights

    def _check(self) -> None:
        for name in ("flat", "ramp", "diagonal"):
            if not 0 <= getattr(self, name) < 1e6:
                raise InvalidTaskError(f"weights.{name}", getattr(self, name), "a number in [0, 1e6)")
        if self.flat == 0:
            raise InvalidTaskError("weights.flat", self.flat, "above 0: what ramps lead to is flat")
        if len(self.levels) != NUM_LEVELS or not all(0 <= weight < 1e6 for weight in self.levels):
            raise InvalidTaskError("weights.levels", self.levels, f"{NUM_LEVELS} numbers in [0, 1e6)")
        if not 1 <= self.coherence < 1e6:
            raise InvalidTaskError("weights.coherence", self.coherence, "a number in [1, 1e6)")


#: Those of worlds that evolve. Under the coherence of new worlds a mutation of an open room mostly ends in one: a tile
#: that is raised rarely meets its neighbours.
EVOLVING = TileWeights(coherence=5.0)


@lru_cache(256)
def _of_states(flat: float, ramp: float, diagonal: float, levels: tuple[float, ...], max_level: int) -> np.ndarray:
    of_kinds = np.array([flat] + [ramp] * 4 + [diagonal] * 4)
    weights = of_kinds[STATE_KINDS] * np.array(levels, np.float64)[STATE_LEVELS]
    weights[STATE_LEVELS + (STATE_KINDS != TileKind.FLAT) > max_level] = 0.0
    return weights


def cell_weights(
    of_states: np.ndarray, rows: int, columns: int, open_sides: Collection[int] = frozenset()
) -> np.ndarray:
    """``of_states``, float64 (46,), as weights of all cells of a grid, float64 (rows, columns, 46), without ramps that
    end at the border.

    Something else follows than the border at ``open_sides`` (places in ``SIDES``).
    """
    weights = np.tile(of_states, (rows, columns, 1))
    for side, edge in enumerate((weights[-1], weights[:, -1], weights[0], weights[:, 0])):
        if side not in open_sides:
            edge *= _AT_BORDER[side]
    return weights
