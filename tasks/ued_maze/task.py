"""UEDMazeTask: walls, a goal and where the agent starts, checked, and readable as text."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from procgen_bench.core.checks import check_array
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.task import Task

#: Side of the maze without the border, and its number of tiles.
SIDE, NUM_TILES = 13, 169
#: Steps of an episode.
HORIZON = 250
EMPTY, WALL = 0, 1
#: Walls that are drawn for a level, as in NCC's and JaxUED's experiments; those on one tile are one.
NUM_WALLS = 60
#: By the number of a direction, which is also Minigrid's.
DIRECTIONS = ("right", "down", "left", "up")

AGENT_SYMBOLS = ">v<^"
_TILE_SYMBOLS, _GOAL_SYMBOL = ".#", "G"


@dataclass(frozen=True, eq=False)
class UEDMazeTask(Task):
    """One maze.

    Attributes:
        walls: int8 (13, 13), indexed [y, x]: 0 empty, 1 wall.
        goal: int8 (2,), x and y (0 to 12) of the goal, an empty tile.
        agent: int8 (3,), where the agent starts: x and y (0 to 12) of an empty tile that is not the goal's, and the
            direction that it faces: 0 right, 1 down, 2 left, 3 up.
    """

    walls: np.ndarray
    goal: np.ndarray
    agent: np.ndarray

    def validate(self) -> None:
        """Raise :class:`InvalidTaskError` unless the fields are as documented."""
        check_array("walls", self.walls, np.int8, (SIDE, SIDE))
        check_array("goal", self.goal, np.int8, (2,))
        check_array("agent", self.agent, np.int8, (3,))
        if self.walls.view(np.uint8).max() > WALL:  # read so, what is below 0 is above 1
            y, x = np.argwhere((self.walls < EMPTY) | (self.walls > WALL))[0]
            raise InvalidTaskError(f"walls[{y}, {x}]", int(self.walls[y, x]), "0 (empty) or 1 (wall)")
        goal, (*start, direction) = self.goal.tolist(), self.agent.tolist()
        for name, (x, y) in (("goal", goal), ("agent", start)):
            if not (0 <= x < SIDE and 0 <= y < SIDE):
                raise InvalidTaskError(f"place of {name}", (x, y), f"x and y in [0, {SIDE - 1}]")
            if self.walls[y, x]:
                raise InvalidTaskError(f"tile under {name}", int(self.walls[y, x]), "0 (empty)")
        if start == goal:
            raise InvalidTaskError("place of agent", tuple(start), "a tile that is not the goal's")
        if direction not in range(len(DIRECTIONS)):
            raise InvalidTaskError("agent's direction", direction, "0 (right), 1 (down), 2 (left) or 3 (up)")

    def to_text(self) -> str:
        """A line of symbols for every row: ``.`` empty, ``#`` wall, ``G`` goal, and ``>``, ``v``, ``<`` or ``^`` for
        the agent, by its direction."""
        grid = [[_TILE_SYMBOLS[tile] for tile in row] for row in self.walls]
        (goal_x, goal_y), (x, y, direction) = self.goal.tolist(), self.agent.tolist()
        grid[goal_y][goal_x] = _GOAL_SYMBOL
        grid[y][x] = AGENT_SYMBOLS[direction]
        return "\n".join("".join(row) for row in grid)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """The task that :meth:`to_text` shows, which is also how JaxUED writes levels.

        Raises:
            InvalidTaskError: Not 13 lines of 13 known symbols, or not exactly one goal and one agent.
        """
        lines = text.split()
        if [len(line) for line in lines] != [SIDE] * SIDE:
            raise InvalidTaskError("text", text, f"{SIDE} lines of {SIDE} symbols")
        walls = np.zeros((SIDE, SIDE), np.int8)
        goals: list[tuple[int, int]] = []
        agents: list[tuple[int, int, int]] = []
        for y, line in enumerate(lines):
            for x, symbol in enumerate(line):
                if symbol in _TILE_SYMBOLS:
                    walls[y, x] = _TILE_SYMBOLS.index(symbol)
                elif symbol == _GOAL_SYMBOL:
                    goals.append((x, y))
                elif symbol in AGENT_SYMBOLS:
                    agents.append((x, y, AGENT_SYMBOLS.index(symbol)))
                else:
                    known = _TILE_SYMBOLS + _GOAL_SYMBOL + AGENT_SYMBOLS
                    raise InvalidTaskError(f"symbol in line {y + 1}", symbol, f"one of {known}")
        for name, found in (("goals", goals), ("agents", agents)):
            if len(found) != 1:
                raise InvalidTaskError(f"number of {name}", len(found), "1")
        return cls(walls, np.array(goals[0], np.int8), np.array(agents[0], np.int8))
