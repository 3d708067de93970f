"""CompositionalMiniGrid drawn from its state, much as the library draws it: frames of tile sprites, and text."""

from functools import cache

import numpy as np

from procgen_bench.envs.compositional_minigrid import cells as c
from procgen_bench.envs.compositional_minigrid.observations import VIEW_SIDE
from procgen_bench.envs.compositional_minigrid.simulation import CompiledSimulation
from procgen_bench.envs.compositional_minigrid.views import MARGIN
from procgen_bench.envs.sprites import X, Y, assembled, disc, paint, plain, pointed, rectangle
from procgen_bench.tasks.compositional_minigrid.solver import STEPS
from procgen_bench.tasks.compositional_minigrid.subtasks import NUM_SUBTASKS, REACH_GOAL, SUBTASKS
from procgen_bench.tasks.compositional_minigrid.task import AGENT_SYMBOLS, COLOURS, MAP_SIDE

#: Of red, green, blue, purple, yellow and grey things.
THING_COLOURS = ((255, 0, 0), (0, 200, 0), (60, 90, 255), (152, 70, 220), (255, 235, 0), (150, 150, 150))
FLOOR_COLOUR, GRID_LINE_COLOUR, WALL_COLOUR, GOAL_COLOUR = (0, 0, 0), (70, 70, 70), (100, 100, 100), (0, 160, 0)
AGENT_COLOUR, BAR_COLOUR, DONE_COLOUR = (255, 70, 50), (38, 40, 46), (90, 220, 120)
#: How much lighter what the agent sees is.
HIGHLIGHT = 0.3

_MAP = slice(MARGIN, MARGIN + MAP_SIDE)
_NOBODY = -1
#: By kind.
_SYMBOLS = " .GKOBU8/DD#"
_CARRIED_NAMES = {c.KEY: "key", c.BALL: "ball"}
_COLOUR_MASK = (1 << c.COLOUR_BITS) - 1
#: By subtask, the kind that stands for it below the map, and whose colour it has (a place in a task's ``colours``).
_ICONS = ((c.KEY, 0), (c.LOCKED_DOOR, 0), (c.BALL, 1), (c.OPEN_BOX, 2), (c.FULL_BOX, 2))


def draw_frame(simulation: CompiledSimulation, row: int) -> np.ndarray:
    """The map of ``row`` from above, and a line of tiles below it: uint8 (288, 256, 3), tiles of 32 x 32 pixels.

    What the agent sees is lighter. The line shows what the agent carries, the subtasks that are asked, and the goal;
    what is done is underlined.
    """
    seen = _seen_cells(simulation, row)
    x, y, direction = simulation.poses[row].tolist()
    tiles = [
        [_map_tile(number, direction if (i, j) == (x, y) else _NOBODY, (i, j) in seen) for i, number in enumerate(line)]
        for j, line in enumerate(simulation.cells[row, _MAP, _MAP].tolist())
    ]
    return assembled(np.array([*tiles, _line_below(simulation, row)]))


def draw_text(simulation: CompiledSimulation, row: int) -> str:
    """The map of ``row`` as eight lines, what the agent carries, and a line for each subtask, ticked when done.

    Symbols are those of ``CompositionalMiniGridTask.to_text``; ``/`` is an open door, ``U`` an open box, ``8`` one that
    holds the ball.
    """
    kinds = simulation.cells[row, _MAP, _MAP] >> c.COLOUR_BITS
    grid = [[_SYMBOLS[kind] for kind in line] for line in kinds.tolist()]
    x, y, direction = simulation.poses[row].tolist()
    grid[y][x] = AGENT_SYMBOLS[direction]
    hand = int(simulation.hands[row])
    carried = "nothing"
    if hand != c.EMPTY_CELL:
        carried = f"{COLOURS[hand & _COLOUR_MASK]} {_CARRIED_NAMES[hand >> c.COLOUR_BITS]}"
    asked, done = simulation.observations["asked"][row], simulation.observations["finished"][row]
    ticked = [(name, done[k]) for k, name in enumerate(SUBTASKS) if asked[k]]
    ticked.append((REACH_GOAL, simulation.successes[row]))
    lines = [*("".join(line) for line in grid), f"carrying: {carried}"]
    return "\n".join(lines + [f"[{'x' if is_done else ' '}] {name}" for name, is_done in ticked])


def _seen_cells(simulation: CompiledSimulation, row: int) -> set[tuple[int, int]]:
    """x and y on the map of the cells that the agent sees."""
    x, y, direction = simulation.poses[row].tolist()
    ahead_x, ahead_y = STEPS[direction].tolist()
    seen = set()
    for i, j in np.argwhere(simulation.observations["image"][row, :, :, 0] != c.UNSEEN).tolist():
        ahead, aside = VIEW_SIDE - 1 - j, i - VIEW_SIDE // 2
        seen.add((x + ahead * ahead_x - aside * ahead_y, y + ahead * ahead_y + aside * ahead_x))
    return seen


def _line_below(simulation: CompiledSimulation, row: int) -> list[np.ndarray]:
    """Eight tiles: what is carried, the subtasks, the goal, and an empty one."""
    hand = int(simulation.hands[row])
    asked, done = simulation.observations["asked"][row], simulation.observations["finished"][row]
    colours = simulation.task(row).colours
    tiles = [_bar_tile(hand if hand != c.EMPTY_CELL else None, False)]
    for k in range(NUM_SUBTASKS):
        kind, place = _ICONS[k]
        tiles.append(_bar_tile(c.cell(kind, colours[place]) if asked[k] else None, bool(done[k])))
    return [*tiles, _bar_tile(c.GOAL_CELL, bool(simulation.successes[row])), _bar_tile(None, False)]


@cache
def _map_tile(number: int, direction: int, is_seen: bool) -> np.ndarray:
    """uint8 (32, 32, 3): a cell of the map, with the agent on it unless ``direction`` is -1."""
    sprite = paint(plain(FLOOR_COLOUR), (X < 1) | (Y < 1), GRID_LINE_COLOUR)
    sprite = _with_thing(sprite, number)
    if direction != _NOBODY:
        sprite = paint(sprite, pointed(*STEPS[direction].tolist()), AGENT_COLOUR)
    if is_seen:
        sprite = sprite + HIGHLIGHT * (255 - sprite)
    return sprite.round().astype(np.uint8)


@cache
def _bar_tile(number: int | None, is_done: bool) -> np.ndarray:
    """uint8 (32, 32, 3): a thing on the line below the map; ``None``: nothing."""
    sprite = plain(BAR_COLOUR)
    if number is not None:
        sprite = _with_thing(sprite, number)
        sprite = paint(sprite, rectangle(0, 27, 32, 32), DONE_COLOUR if is_done else BAR_COLOUR)
    return sprite.round().astype(np.uint8)


def _with_thing(sprite: np.ndarray, number: int) -> np.ndarray:
    kind = number >> c.COLOUR_BITS
    colour = THING_COLOURS[number & _COLOUR_MASK]
    inside = sprite[16, 16]  # what hollow things are filled with
    match kind:
        case c.WALL:
            return paint(sprite, rectangle(0, 0, 32, 32), WALL_COLOUR)
        case c.GOAL:
            return paint(sprite, rectangle(1, 1, 32, 32), GOAL_COLOUR)
        case c.KEY:
            bow = disc(18, 9, 6) & ~disc(18, 9, 2.25)
            return paint(sprite, bow | rectangle(16, 13, 20, 28) | _teeth(), colour)
        case c.BALL:
            return paint(sprite, disc(16, 16, 10), colour)
        case c.CLOSED_BOX | c.OPEN_BOX | c.FULL_BOX:
            sprite = paint(sprite, rectangle(4, 4, 28, 28), colour)
            sprite = paint(sprite, rectangle(6, 6, 26, 26), inside)
            if kind == c.CLOSED_BOX:
                return paint(sprite, rectangle(5, 15, 27, 17), colour)
            sprite = paint(sprite, rectangle(11, 4, 21, 6), inside)  # the lid is off
            return paint(sprite, disc(16, 17, 7), colour) if kind == c.FULL_BOX else sprite
        case c.OPEN_DOOR:
            return paint(sprite, rectangle(28, 0, 32, 32) & ~rectangle(29, 1.5, 31, 30.5), colour)
        case c.CLOSED_DOOR | c.LOCKED_DOOR:
            sprite = paint(sprite, rectangle(0, 0, 32, 32), colour)
            red, green, blue = (part // 2 for part in colour)
            filling = inside if kind == c.CLOSED_DOOR else (red, green, blue)
            sprite = paint(sprite, rectangle(2.5, 2.5, 29.5, 29.5), filling)
            handle = disc(24, 16, 2.75) if kind == c.CLOSED_DOOR else rectangle(17, 15, 24, 18)
            return paint(sprite, handle, colour)
    return sprite


def _teeth() -> np.ndarray:
    return rectangle(12, 19, 17, 21.5) | rectangle(12, 25.5, 17, 28)
