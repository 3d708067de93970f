"""VoxelBuild's rules in plain Python: a dict of blocks, a line of sight tested against every cell, no package code."""

from math import cos, inf, radians, sin

#: By heading: north, east, south, west.
WAYS = [(0, -1), (1, 0), (0, 1), (-1, 0)]
PITCHES = [-90, -50, -25, 0, 25, 50, 90]
#: Quarters to the right of the heading, by move: forward, backward, left, right.
QUARTERS = [0, 2, 3, 1]


class ReferenceWorld:
    """One game. ``blocks`` maps (x, y, z) to the block type; ``stock`` counts what is left of each type."""

    def __init__(self, start, goal: dict, horizon: int = 100, distance_reward: bool = False, side: int = 11):
        x, y, self.heading = (int(part) for part in start)
        self.at, self.pitch, self.goal = (x, y, 0), 3, goal
        self.horizon, self.distance_reward, self.side, self.steps = horizon, distance_reward, side, 0
        self.blocks: dict[tuple[int, int, int], int] = {}
        self.stock = {1: 64, 2: 64, 3: 64}

    @classmethod
    def of(cls, task, **options) -> "ReferenceWorld":
        """The game of a task of the package."""
        return cls(task.start.tolist(), goal_blocks(task.goal), **options)

    def step(self, action: int) -> tuple[float, bool]:
        """Reward, and whether the goal is reached."""
        self.steps += 1
        if 1 <= action <= 8:
            self._move(QUARTERS[(action - 1) % 4], lift=int(action >= 5))
        elif 9 <= action <= 11:
            self.heading = (self.heading + {9: 3, 10: 1, 11: 2}[action]) % 4
        elif action in (12, 13):
            self.pitch = min(max(self.pitch + (1 if action == 12 else -1), 0), 6)
        elif 14 <= action <= 19:
            self._place(1 + (action - 14) % 3, lift=int(action >= 17))
        elif action == 20:
            self._break()
        if self.blocks == self.goal:
            return 1.0, True
        return (-float(self.distance()) if self.distance_reward and self.steps == self.horizon else 0.0), False

    def distance(self) -> int:
        """Number of cells that differ from the goal's."""
        return sum(self.blocks.get(cell) != self.goal.get(cell) for cell in {*self.blocks, *self.goal})

    def solid(self, cell) -> bool:
        return cell[2] < 0 or cell in self.blocks

    def _above(self, count: int) -> tuple[int, int, int]:
        return (self.at[0], self.at[1], self.at[2] + count)

    def _move(self, quarters: int, lift: int) -> None:
        dx, dy = WAYS[(self.heading + quarters) % 4]
        x, y, z = self.at[0] + dx, self.at[1] + dy, self.at[2] + lift
        if (lift and self.solid(self._above(2))) or self.solid((x, y, z)) or self.solid((x, y, z + 1)):
            return
        self.at = (x, y, z)
        self._fall()

    def _fall(self) -> None:
        while not self.solid(self._above(-1)):
            self.at = self._above(-1)

    def _place(self, material: int, lift: int) -> None:
        if self.stock[material] == 0 or (lift and self.solid(self._above(2))):
            return
        seen = self._seen(lift)
        if seen is None:
            return
        (x, y, z), (nx, ny, nz) = seen
        target = (x + nx, y + ny, z + nz)
        body = {self._above(lift), self._above(lift + 1)}
        if target in body or not (0 <= target[0] < self.side and 0 <= target[1] < self.side and 0 <= target[2] < 3):
            return
        self.blocks[target] = material
        self.stock[material] -= 1
        self.at = self._above(lift)
        self._fall()

    def _break(self) -> None:
        seen = self._seen(0)
        if seen is not None and seen[0] in self.blocks:
            self.stock[self.blocks.pop(seen[0])] += 1
            self._fall()

    def _seen(self, lift: int):
        """The solid cell that the line of sight enters first within 4.5, and the normal of the face; or ``None``."""
        angle = radians(PITCHES[self.pitch])
        dx, dy = WAYS[self.heading]
        run = 0.0 if abs(PITCHES[self.pitch]) == 90 else cos(angle)
        direction = (run * dx, run * dy, sin(angle))
        eye = (self.at[0], self.at[1], self.at[2] + lift + 1.62)
        cells = [(self.at[0] + k * dx, self.at[1] + k * dy, z) for k in range(6) for z in range(-1, 8)]
        hits = []
        for cell in cells:
            if self.solid(cell):
                entry = entry_into(cell, eye, direction)
                if entry is not None and entry[0] <= 4.5:
                    hits.append((entry[0], cell, entry[1]))
        return min(hits)[1:] if hits else None


def entry_into(cell, eye, direction):
    """Where a ray enters a cell (length, the face's normal), by the three pairs of planes around it; or ``None``."""
    enter, leave, normal = 0.0, inf, None
    for axis in range(3):
        low = cell[axis] - (0.5 if axis < 2 else 0.0)
        if direction[axis] == 0.0:
            if not low < eye[axis] < low + 1:
                return None
            continue
        one, other = sorted(((low - eye[axis]) / direction[axis], (low + 1 - eye[axis]) / direction[axis]))
        if one > enter:
            enter, normal = (
                one,
                tuple(-(direction[axis] > 0) + (direction[axis] < 0) if k == axis else 0 for k in range(3)),
            )
        leave = min(leave, other)
    return (enter, normal) if enter < leave and normal is not None else None


def goal_blocks(goal) -> dict[tuple[int, int, int], int]:
    """A goal (or an arena) of the package as a dict."""
    return {
        (x, y, z): material
        for y, plane in enumerate(goal.tolist())
        for x, pile in enumerate(plane)
        for z, material in enumerate(pile)
        if material
    }


def every_rectangle() -> list[tuple[int, int, int, int, int]]:
    """Every footprint and height whose outline has sides of at least 4 and at most 34 blocks: west, north, east, ..."""
    spans = [(low, high) for low in range(11) for high in range(low + 3, 11)]
    return [
        (west, north, east, south, height)
        for west, east in spans
        for north, south in spans
        for height in (1, 2)
        if 2 * (east - west + south - north) * height <= 34
    ]
