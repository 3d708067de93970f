"""CompositionalMiniGridTask: a design and the places of all things, checked, and readable as text."""

from dataclasses import dataclass

import numpy as np

from procgen_bench.core.checks import check_array
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.task import Task
from procgen_bench.tasks.compositional_minigrid.subtasks import (
    BALL,
    BOX,
    KEY,
    NUM_SUBTASKS,
    NUM_THINGS,
    REACH_GOAL,
    SUBTASKS,
    THINGS,
    things_in_room,
)

#: Side of the room without and with its walls.
ROOM_SIDE, MAP_SIDE = 6, 8
#: Steps of an episode: four for every tile of the map, as in the library's empty rooms.
HORIZON = 4 * MAP_SIDE**2
#: Coordinates and colours of what is not in the room.
ABSENT = -1

#: The library's, in its order.
COLOURS = ("red", "green", "blue", "purple", "yellow", "grey")
#: The things whose colours a task chooses. A door has its key's colour, a goal is green.
COLOURED = (KEY, BALL, BOX)
DIRECTIONS = ("right", "down", "left", "up")

THING_SYMBOLS = "KDOBG"
AGENT_SYMBOLS = ">v<^"
_FLOOR_SYMBOL, _WALL_SYMBOL = ".", "#"
_BORDER = _WALL_SYMBOL * MAP_SIDE


@dataclass(frozen=True, eq=False)
class CompositionalMiniGridTask(Task):
    """One room.

    Attributes:
        subtasks: int8 (5,), 1 for those that the design asks: pick up key, open door, pick up ball, open box, drop
            ball in box. Reaching the goal is always asked.
        agent: int8 (3,), where the agent starts: x and y (1 to 6), and the direction that it faces: 0 right, 1 down,
            2 left, 3 up.
        places: int8 (5, 2), the x and y of the key, door, ball, box and goal; (-1, -1) for what no subtask of the
            design needs.
        colours: int8 (3,), of the key (and the door), the ball and the box: places in ``COLOURS``; -1 for what is not
            in the room.
    """

    subtasks: np.ndarray
    agent: np.ndarray
    places: np.ndarray
    colours: np.ndarray

    def validate(self) -> None:
        """Raise :class:`InvalidTaskError` unless the fields are as documented."""
        check_array("subtasks", self.subtasks, np.int8, (NUM_SUBTASKS,))
        check_array("agent", self.agent, np.int8, (3,))
        check_array("places", self.places, np.int8, (NUM_THINGS, 2))
        check_array("colours", self.colours, np.int8, (len(COLOURED),))
        for name, asked in zip(SUBTASKS, self.subtasks.tolist()):
            if asked not in (0, 1):
                raise InvalidTaskError(f"subtask {name!r}", asked, "0 (not asked) or 1 (asked)")
        *place, direction = self.agent.tolist()
        if direction not in range(len(DIRECTIONS)):
            raise InvalidTaskError("agent's direction", direction, "0 (right), 1 (down), 2 (left) or 3 (up)")
        taken = {_checked_place("agent", place): "agent"}
        present = things_in_room(self.subtasks)
        for name, needed, place in zip(THINGS, present, self.places.tolist()):
            if not needed:
                if place != [ABSENT, ABSENT]:
                    raise InvalidTaskError(f"place of {name}", tuple(place), "(-1, -1): no subtask needs it")
                continue
            spot = _checked_place(name, place)
            if spot in taken:
                raise InvalidTaskError(f"place of {name}", spot, f"a tile not taken by the {taken[spot]}")
            taken[spot] = name
        for thing, colour in zip(COLOURED, self.colours.tolist()):
            if present[thing] and colour not in range(len(COLOURS)):
                raise InvalidTaskError(f"colour of {THINGS[thing]}", colour, f"0 to {len(COLOURS) - 1}")
            if not present[thing] and colour != ABSENT:
                raise InvalidTaskError(f"colour of {THINGS[thing]}", colour, "-1: no subtask needs it")

    def asked(self) -> list[str]:
        """Names of the subtasks that are asked, reaching the goal last."""
        return [name for name, asked in zip(SUBTASKS, self.subtasks) if asked] + [REACH_GOAL]

    def to_text(self) -> str:
        """The subtasks, the colours, and the map, a line each and eight for the map.

        ``#`` is a wall, ``.`` floor, ``K`` the key, ``D`` the door, ``O`` the ball, ``B`` the box, ``G`` the goal; the
        agent is ``>``, ``v``, ``<`` or ``^``, as it faces.
        """
        grid = [[_FLOOR_SYMBOL] * ROOM_SIDE for _ in range(ROOM_SIDE)]
        for symbol, (x, y) in zip(THING_SYMBOLS, self.places):
            if x != ABSENT:
                grid[y - 1][x - 1] = symbol
        x, y, direction = self.agent
        grid[y - 1][x - 1] = AGENT_SYMBOLS[direction]
        colours = [
            f"{THINGS[thing]}: {COLOURS[colour]}" for thing, colour in zip(COLOURED, self.colours) if colour != ABSENT
        ]
        inside = [_WALL_SYMBOL + "".join(line) + _WALL_SYMBOL for line in grid]
        return "\n".join([f"subtasks: {', '.join(self.asked())}", *colours, _BORDER, *inside, _BORDER])

    @classmethod
    def from_text(cls, text: str) -> "CompositionalMiniGridTask":
        """The task that :meth:`to_text` shows, validated.

        Raises:
            InvalidTaskError: An unknown line, subtask, colour or symbol, a map of another shape, an agent or a thing
                that is missing or appears twice, or a task that is not valid.
        """
        lines = [line.strip() for line in text.strip().splitlines()]
        header, rows = lines[:-MAP_SIDE], lines[-MAP_SIDE:]
        agent, places = _parsed_map(rows)
        subtasks, colours = _parsed_header(header)
        task = cls(subtasks, agent, places, colours)
        task.validate()
        return task


def _parsed_header(lines: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Subtasks and colours of the lines above the map."""
    fields: dict[str, str] = {}
    known = ["subtasks", *(THINGS[thing] for thing in COLOURED)]
    for line in lines:
        name, _, value = (part.strip() for part in line.partition(":"))
        if name not in known or name in fields:
            raise InvalidTaskError("line", line, f"each of {known} at most once, then {MAP_SIDE} lines of the map")
        fields[name] = value
    if "subtasks" not in fields:
        raise InvalidTaskError("line", "subtasks (missing)", f"'subtasks: ..., {REACH_GOAL}' before the map")
    names = [name.strip() for name in fields["subtasks"].split(",")]
    for name in names:
        if name not in (*SUBTASKS, REACH_GOAL) or names.count(name) > 1:
            raise InvalidTaskError("subtask", name, f"each of {[*SUBTASKS, REACH_GOAL]} at most once")
    if names[-1] != REACH_GOAL:
        raise InvalidTaskError("last subtask", names[-1], repr(REACH_GOAL))
    colours = np.full(len(COLOURED), ABSENT, np.int8)
    for place, thing in enumerate(COLOURED):
        colour = fields.get(THINGS[thing])
        if colour is not None:
            if colour not in COLOURS:
                raise InvalidTaskError(f"colour of {THINGS[thing]}", colour, f"one of {list(COLOURS)}")
            colours[place] = COLOURS.index(colour)
    return np.array([name in names for name in SUBTASKS], np.int8), colours


def _parsed_map(rows: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Agent and places of the map's lines."""
    walled = (
        rows and rows[0] == rows[-1] == _BORDER and all(row[0] + row[-1] == 2 * _WALL_SYMBOL for row in rows if row)
    )
    if not walled or [len(row) for row in rows] != [MAP_SIDE] * MAP_SIDE:
        raise InvalidTaskError("map", rows, f"{MAP_SIDE} lines of {MAP_SIDE} symbols, walls around")
    found: dict[str, tuple[int, int]] = {}
    for y, row in enumerate(rows[1:-1], start=1):
        for x, symbol in enumerate(row[1:-1], start=1):
            if symbol == _FLOOR_SYMBOL:
                continue
            if symbol not in THING_SYMBOLS + AGENT_SYMBOLS:
                expected = f"one of {_FLOOR_SYMBOL + THING_SYMBOLS + AGENT_SYMBOLS}"
                raise InvalidTaskError(f"symbol in line {y + 1} of the map", symbol, expected)
            if symbol in found:
                raise InvalidTaskError(f"second symbol in line {y + 1} of the map", symbol, "each at most once")
            found[symbol] = x, y
    agents = [symbol for symbol in found if symbol in AGENT_SYMBOLS]
    if len(agents) != 1:
        raise InvalidTaskError("agents on the map", "".join(agents), f"exactly one of {AGENT_SYMBOLS}")
    agent = np.array([*found[agents[0]], AGENT_SYMBOLS.index(agents[0])], np.int8)
    return agent, np.array([found.get(symbol, (ABSENT, ABSENT)) for symbol in THING_SYMBOLS], np.int8)


def _checked_place(name: str, place: list[int]) -> tuple[int, int]:
    if not all(1 <= coordinate <= ROOM_SIDE for coordinate in place):
        raise InvalidTaskError(f"place of {name}", tuple(place), f"x and y in [1, {ROOM_SIDE}]")
    x, y = place
    return x, y
