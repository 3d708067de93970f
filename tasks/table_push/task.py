"""TablePushTask: a table of blocks, cans, a goal and static obstacles, checked, and readable as text."""

from dataclasses import dataclass, field

import numpy as np

from procgen_bench.core.checks import check_array
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.task import Task
from procgen_bench.tasks.table_push.table import (
    BLOCK_SIDE,
    CAN_RADIUS,
    FLAT,
    GOAL_RADIUS,
    MAX_GOAL_RANGE,
    NUM_OBJECTS,
    ROADBLOCK,
    block_box,
    distances_to_box,
)

#: Most blocks along a side of a table.
MAX_SIDE = 12
OBJECT_NAMES = ("target", "can 1", "can 2")

_DECIMALS = 6
_SYMBOLS = ".o#"
_CM = 100.0
_FIELDS = (*OBJECT_NAMES, "goal", "goal range", "obstacle")


@dataclass(frozen=True, eq=False)
class TablePushTask(Task):
    """One table. All numbers are whole micrometres (angles: millionths of a radian), see :func:`on_grid`.

    Attributes:
        blocks: int8 (rows, columns), along x and y: 0 flat, 1 pit, 2 roadblock; (6, 4) on the usual table.
        objects: float64 (3, 2), metres: where the cans stand, the target first; NaN for a can that is absent. They
            stand clear of each other, their middles on flat blocks.
        goal: float64 (2,), metres: the goal's middle, on the table.
        goal_range: Radius r2 (metres, 0.1 to 0.6) of the goal's range, in which progress is rewarded.
        obstacles: float64 (K, 5): static boxes as high as roadblocks: x, y, half length, half width (metres), angle.
    """

    blocks: np.ndarray
    objects: np.ndarray
    goal: np.ndarray
    goal_range: float
    obstacles: np.ndarray = field(default_factory=lambda: np.zeros((0, 5)))

    @property
    def present(self) -> np.ndarray:
        """bool (3,): which cans there are."""
        return ~np.isnan(self.objects[:, 0])

    @property
    def extent(self) -> np.ndarray:
        """Lengths of the table along x and y, metres: float64 (2,)."""
        return on_grid(np.array(self.blocks.shape) * BLOCK_SIDE)

    @property
    def walls(self) -> list[np.ndarray]:
        """Roadblocks and obstacles as boxes of :func:`~.table.distances_to_box`, float64 (5,) each."""
        return [*(block_box(*place) for place in np.argwhere(self.blocks == ROADBLOCK)), *self.obstacles]

    def validate(self) -> None:
        """Raise :class:`InvalidTaskError` unless the fields are as documented."""
        check_array("blocks", self.blocks, np.int8, (None, None))
        check_array("objects", self.objects, np.float64, (NUM_OBJECTS, 2))
        check_array("goal", self.goal, np.float64, (2,))
        check_array("obstacles", self.obstacles, np.float64, (None, 5))
        if not isinstance(self.goal_range, float):
            raise InvalidTaskError("goal_range's type", type(self.goal_range).__name__, "float")
        self._check_blocks()
        self._check_numbers()
        self._check_obstacles()
        self._check_objects()

    def to_text(self) -> str:
        """The blocks from above (``.`` flat, ``o`` pit, ``#`` roadblock; x to the right, y upwards), and the rest in
        centimetres and degrees, a line each."""
        lines = ["".join(_SYMBOLS[kind] for kind in line) for line in self.blocks.T[::-1]]
        for name, place, here in zip(OBJECT_NAMES, self.objects, self.present):
            lines.append(f"{name}: {_centimetres(place) if here else 'absent'}")
        lines.append(f"goal: {_centimetres(self.goal)}")
        lines.append(f"goal range: {_centimetres([self.goal_range])}")
        lines += [f"obstacle: {_centimetres(box[:4])} {box[4]:.{_DECIMALS}f}" for box in self.obstacles]
        return "\n".join(lines)

    @classmethod
    def from_text(cls, text: str) -> "TablePushTask":
        """The task that :meth:`to_text` shows.

        Raises:
            InvalidTaskError: A line that is none of it, one too many or missing, or not a valid task.
        """
        drawn: list[str] = []
        values: dict[str, list[list[float]]] = {name: [] for name in _FIELDS}
        for line in filter(None, map(str.strip, text.splitlines())):
            name, separator, words = line.partition(":")
            if not separator:
                drawn.append(line)
            elif name not in values:
                raise InvalidTaskError("name in text", name, f"one of {', '.join(_FIELDS)}")
            else:
                values[name].append(_numbers(name, words))
        for name in _FIELDS[:-1]:
            if len(values[name]) != 1:
                raise InvalidTaskError(f"number of lines of {name}", len(values[name]), "1")
        task = cls(
            blocks=_drawn_blocks(drawn),
            objects=on_grid([values[name][0] for name in OBJECT_NAMES]),
            goal=on_grid(values["goal"][0]),
            goal_range=float(on_grid(values["goal range"][0])[0]),
            obstacles=on_grid(values["obstacle"]).reshape(-1, 5),
        )
        task.validate()
        return task

    def _check_blocks(self) -> None:
        if not all(1 <= side <= MAX_SIDE for side in self.blocks.shape):
            raise InvalidTaskError("blocks' shape", self.blocks.shape, f"1 to {MAX_SIDE} blocks along x and y")
        for row, column in np.argwhere((self.blocks < FLAT) | (self.blocks > ROADBLOCK)):
            kind = int(self.blocks[row, column])
            raise InvalidTaskError(f"blocks[{row}, {column}]", kind, "0 (flat), 1 (pit) or 2 (roadblock)")

    def _check_numbers(self) -> None:
        numbers = {
            "objects": self.objects[self.present],
            "goal": self.goal,
            "goal_range": np.array([self.goal_range]),
            "obstacles": self.obstacles,
        }
        for name, array in numbers.items():
            for value in array[~(array == on_grid(array))]:
                raise InvalidTaskError(
                    f"a number of {name}", value, f"a finite number with at most {_DECIMALS} decimals (see on_grid)"
                )
        if not GOAL_RADIUS <= self.goal_range <= MAX_GOAL_RANGE:
            raise InvalidTaskError("goal_range", self.goal_range, f"{GOAL_RADIUS} to {MAX_GOAL_RANGE} metres")
        if not ((self.goal >= 0) & (self.goal <= self.extent)).all():
            raise InvalidTaskError(
                "goal", self.goal.tolist(), f"a place on the table, to {self.extent.round(2)} metres"
            )

    def _check_obstacles(self) -> None:
        for number, (x, y, half_length, half_width, _) in enumerate(self.obstacles):
            if not (0 <= x <= self.extent[0] and 0 <= y <= self.extent[1]):
                raise InvalidTaskError(f"place of obstacle {number}", (x, y), "a place on the table")
            if not (0 < half_length <= 1 and 0 < half_width <= 1):
                raise InvalidTaskError(
                    f"half sides of obstacle {number}", (half_length, half_width), "more than 0, at most 1 metre"
                )

    def _check_objects(self) -> None:
        walls = self.walls
        for number, (name, place) in enumerate(zip(OBJECT_NAMES, self.objects)):
            if np.isnan(place).all():
                continue
            shown = place.tolist()
            cell = place / BLOCK_SIDE
            on_table = ((cell >= 0) & (cell < self.blocks.shape)).all()  # also false for NaN
            if not on_table or self.blocks[tuple(cell.astype(int))] != FLAT:
                raise InvalidTaskError(f"position of {name}", shown, "a place on a flat block, or NaN for absent")
            if any(distances_to_box(place, box) < CAN_RADIUS for box in walls):
                raise InvalidTaskError(f"position of {name}", shown, "a place clear of roadblocks and obstacles")
            for other, elsewhere in zip(OBJECT_NAMES, self.objects[:number]):
                if np.hypot(*(place - elsewhere)) < 2 * CAN_RADIUS:
                    raise InvalidTaskError(f"position of {name}", shown, f"a place clear of {other}")


def on_grid(values) -> np.ndarray:
    """Numbers of any shape rounded to the micrometres (millionths of a radian) that tasks are made of: float64, of that
    shape."""
    return np.round(np.asarray(values, np.float64), _DECIMALS)


def _centimetres(numbers) -> str:
    return " ".join(f"{number * _CM:.{_DECIMALS - 2}f}".rstrip("0").rstrip(".") for number in numbers)


def _numbers(name: str, words: str) -> list[float]:
    """The numbers of a line of text, in metres; an obstacle's angle as it is."""
    if words.strip() == "absent" and name in OBJECT_NAMES:
        return [np.nan, np.nan]
    wanted = {"goal range": 1, "obstacle": 5}.get(name, 2)
    try:
        numbers = [float(word) for word in words.split()]
    except ValueError:
        numbers = []
    if len(numbers) != wanted:
        raise InvalidTaskError(f"line of {name}", words.strip(), f"{wanted} numbers")
    return [number / _CM for number in numbers[:4]] + numbers[4:]


def _drawn_blocks(lines: list[str]) -> np.ndarray:
    if not lines or len({len(line) for line in lines}) != 1:
        raise InvalidTaskError("drawn table", lines, f"lines of one length, made of {_SYMBOLS}")
    for line in lines:
        for symbol in line:
            if symbol not in _SYMBOLS:
                raise InvalidTaskError("symbol of the drawn table", symbol, f"one of {_SYMBOLS}")
    return np.array([[_SYMBOLS.index(symbol) for symbol in line] for line in lines[::-1]], np.int8).T
