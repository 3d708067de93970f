"""FetchBlocksStart: where blocks and gripper are when an episode begins, checked, and readable as text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np

from procgen_bench.core.checks import check_array
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.number_lines import number_line, read_numbers
from procgen_bench.core.task import Task
from procgen_bench.tasks.fetch_blocks.table import (
    GRIPPER_HIGH,
    LEAST_BLOCKS,
    MOST_BLOCKS,
    apart,
    height,
    least_gripper_height,
)
from procgen_bench.tasks.programs.zones import PLACE_CLEARANCE, REACH_HIGH, REACH_LOW

_APART = "a place {} along x or {} along y from".format(*PLACE_CLEARANCE)
#: Level of the block that starts in the gripper.
HELD = -1


@dataclass(frozen=True, eq=False)
class FetchBlocksStart(Task):
    """Blocks in stacks on the table, upright and at rest, and the gripper above them.

    Attributes:
        places: float64 (N, 2), x and y of the blocks' centres, metres. Blocks of a stack have the same, others are at
            least 0.058 apart along x or 0.085 along y, where the fingers are.
        levels: int8 (N,), how many blocks lie beneath each; ``HELD`` (-1) for the one, if any, that starts in the
            gripper, whose place is the gripper's.
        gripper: float64 (3,), the gripper's place, metres.
    """

    places: np.ndarray
    levels: np.ndarray
    gripper: np.ndarray

    @property
    def num_blocks(self) -> int:
        """Number of blocks, N."""
        return len(self.places)

    @property
    def held(self) -> int | None:
        """Index of the block that starts in the gripper, if one does."""
        held = np.flatnonzero(self.levels == HELD)
        return int(held[0]) if len(held) else None

    @property
    def positions(self) -> np.ndarray:
        """float64 (N, 3), the blocks' centres."""
        heights = np.where(self.levels == HELD, self.gripper[2], height(self.levels.astype(np.int64)))
        return np.column_stack([self.places, heights])

    def validate(self) -> None:
        """Raise :class:`InvalidTaskError` unless the fields are as documented."""
        self._check_types()
        _check_range("gripper", self.gripper, (*REACH_LOW, self.gripper[2]), (*REACH_HIGH, self.gripper[2]))
        for block, place in enumerate(self.places):
            _check_range(f"block {block}", place, REACH_LOW, REACH_HIGH)
        if self.held is not None and not np.array_equal(self.places[self.held], self.gripper[:2]):
            place = tuple(self.places[self.held].tolist())
            raise InvalidTaskError(f"block {self.held}, which is held,", place, "the gripper's place")
        lying = np.flatnonzero(self.levels != HELD)
        _check_stacks(self.places[lying], self.levels[lying], lying)
        lowest = least_gripper_height(self.gripper, self.places[lying], self.levels[lying])
        if not lowest <= self.gripper[2] <= GRIPPER_HIGH:
            expected = f"a number in [{lowest:.4g}, {GRIPPER_HIGH}], above the blocks near it"
            raise InvalidTaskError("z of gripper", float(self.gripper[2]), expected)

    def _check_types(self) -> None:
        count = len(self.places) if isinstance(self.places, np.ndarray) and self.places.ndim == 2 else 0
        if not LEAST_BLOCKS <= count <= MOST_BLOCKS:
            raise InvalidTaskError("number of blocks", count, f"{LEAST_BLOCKS} to {MOST_BLOCKS}, a place (x, y) each")
        for name, dtype, shape in (
            ("places", np.float64, (count, 2)),
            ("levels", np.int8, (count,)),
            ("gripper", np.float64, (3,)),
        ):
            check_array(name, getattr(self, name), dtype, shape)
        for block, level in enumerate(self.levels.tolist()):
            if not HELD <= level < count:
                raise InvalidTaskError(f"levels[{block}]", level, f"0 to {count - 1}, or {HELD} (held)")
        if (self.levels == HELD).sum() > 1:
            raise InvalidTaskError("levels", self.levels.tolist(), f"at most one {HELD} (held)")

    def to_text(self) -> str:
        """A line ``gripper X Y Z``, then one for each block: ``block X Y LEVEL`` or ``block held``."""
        lines = [number_line("gripper", self.gripper)]
        for place, level in zip(self.places.tolist(), self.levels.tolist()):
            lines.append("block held" if level == HELD else f"{number_line('block', place)} {level}")
        return "\n".join(lines)

    @classmethod
    def from_text(cls, text: str) -> "FetchBlocksStart":
        """The start that :meth:`to_text` shows.

        Raises:
            InvalidTaskError: A line that cannot be read.
        """
        head, *lines = text.strip().splitlines() or [""]
        gripper = read_numbers("gripper", head, 3)
        places, levels = np.empty((len(lines), 2)), np.empty(len(lines), np.int8)
        for block, line in enumerate(lines):
            if line.split() == ["block", "held"]:
                places[block], levels[block] = gripper[:2], HELD
                continue
            *places[block], level = read_numbers("block", line, 3)
            if level not in range(MOST_BLOCKS):
                raise InvalidTaskError(f"level of block {block}", float(level), f"0 to {MOST_BLOCKS - 1}")
            levels[block] = int(level)
        return cls(places, levels, gripper)


def starts_to_arrays(starts: Sequence[FetchBlocksStart]) -> dict[str, np.ndarray]:
    """The fields of n starts with equally many blocks, N, by name: ``places`` float64 (n, N, 2), ``levels`` int8 (n, N)
    and ``gripper`` float64 (n, 3)."""
    return {
        field.name: np.stack([getattr(start, field.name) for start in starts]) for field in fields(FetchBlocksStart)
    }


def starts_from_arrays(arrays: Mapping[str, np.ndarray]) -> Iterator[FetchBlocksStart]:
    """The starts of arrays that :func:`starts_to_arrays` gave, of their shapes and dtypes; other arrays do not
    matter."""
    return map(FetchBlocksStart, *(arrays[field.name] for field in fields(FetchBlocksStart)))


def _check_stacks(places: np.ndarray, levels: np.ndarray, blocks: np.ndarray) -> None:
    """Lying blocks are apart, or in one stack on different levels, none of which is missing."""
    in_stack = (places[:, np.newaxis] == places).all(axis=-1)
    free = np.where(in_stack, levels[:, np.newaxis] != levels, apart(places[:, np.newaxis], places))
    np.fill_diagonal(free, True)
    for one, other in np.argwhere(~free)[:1].tolist():
        expected = f"{_APART} block {blocks[other]}'s, or the same place on another level"
        raise InvalidTaskError(f"block {blocks[one]}", (*places[one].tolist(), int(levels[one])), expected)
    has_beneath = (in_stack & (levels[:, np.newaxis] - 1 == levels)).any(axis=1) | (levels == 0)
    for one in np.flatnonzero(~has_beneath)[:1].tolist():
        raise InvalidTaskError(f"levels[{blocks[one]}]", int(levels[one]), "a level with a block beneath it, or 0")


def _check_range(name: str, point: np.ndarray, low: Iterable[float], high: Iterable[float]) -> None:
    for axis, value, least, greatest in zip("xyz", point.tolist(), low, high):
        if not least <= value <= greatest:
            expected = f"a number in [{least}, {greatest}], what the arm reaches of the table"
            raise InvalidTaskError(f"{axis} of {name}", value, expected)
