"""GridWorld drawn from its state: frames assembled from tile sprites, and text."""

from functools import cache

import numpy as np

from procgen_bench.envs.grid_world.kernel import MARGIN, OBJECT_SHIFT, TILE_MASK
from procgen_bench.envs.grid_world.simulation import GridWorldSimulation
from procgen_bench.envs.sprites import TILE_SIDE, X, Y, assembled, disc, paint, plain, rectangle
from procgen_bench.tasks.grid_world.task import (
    ABSENT,
    DOOR_1,
    EMPTY,
    GOAL,
    LARGE_PAIRS,
    LAVA,
    WALL,
)

FLOOR_COLOUR, GRID_LINE_COLOUR = (246, 244, 238), (222, 218, 208)
WALL_COLOUR, WALL_LIGHT_COLOUR, WALL_DARK_COLOUR = (112, 118, 126), (146, 152, 160), (78, 83, 91)
LAVA_COLOUR, LAVA_LIGHT_COLOUR = (242, 116, 24), (255, 186, 74)
GOAL_COLOUR, GOAL_LIGHT_COLOUR = (44, 160, 70), (186, 232, 190)
AGENT_COLOUR, AGENT_EDGE_COLOUR = (222, 38, 48), (122, 14, 24)
KEYHOLE_COLOUR = (32, 32, 40)
#: Of door 1 with key 1, of door 2 with key 2, and so on.
PAIR_COLOURS = ((36, 108, 220), (186, 58, 190), (0, 150, 160), (226, 178, 0), (120, 84, 48), (240, 140, 170))
assert len(PAIR_COLOURS) == LARGE_PAIRS


def draw_frame(simulation: GridWorldSimulation, row: int) -> np.ndarray:
    """The map of ``row`` from above, tiles of 32 x 32 pixels: uint8 (320, 320, 3) of 10 x 10 tiles."""
    values = _map_cells(simulation, row).astype(np.intp)
    x, y = simulation.positions[row]
    sprites = _sprites(simulation.task_type.num_pairs)
    values[y, x] += len(sprites) // 2
    return assembled(sprites[values])


def draw_text(simulation: GridWorldSimulation, row: int) -> str:
    """The map of ``row``, a line for each row of tiles: symbols of ``GridWorldTask.to_text``, ``@`` for the agent."""
    places = simulation.places[row].reshape(2, -1, 2)
    objects = np.where(places[1] == 0, ABSENT, places[0]).astype(np.int8)
    tiles = _map_cells(simulation, row)[1:-1, 1:-1] & TILE_MASK
    inside = [f"#{line}#" for line in simulation.task_type(tiles, objects).to_text().splitlines()]
    border = "#" * len(inside[0])
    lines = [border, *inside, border]
    x, y = simulation.positions[row]
    lines[y] = lines[y][:x] + "@" + lines[y][x + 1 :]
    return "\n".join(lines)


def _map_cells(simulation: GridWorldSimulation, row: int) -> np.ndarray:
    """int8: the cells of the map, its border walls included, without the margin."""
    return simulation.cells[row, MARGIN:-MARGIN, MARGIN:-MARGIN]


@cache
def _sprites(num_pairs: int) -> np.ndarray:
    """uint8 (n, 32, 32, 3), n = 48 of two pairs: one for every cell value, then the same with the agent on them."""
    bare = np.zeros(((2 + 2 * num_pairs) << OBJECT_SHIFT, TILE_SIDE, TILE_SIDE, 3))
    for tile, draw in ((EMPTY, _floor), (WALL, _wall), (LAVA, _lava)):
        bare[tile] = draw()
    things = {GOAL: _goal()}
    for door, colour in enumerate(PAIR_COLOURS[:num_pairs], start=DOOR_1):
        things |= {door: _door(colour), door + num_pairs: _key(colour)}
    for thing, sprite in things.items():
        bare[EMPTY | (thing + 1) << OBJECT_SHIFT] = sprite
    with_agent = np.stack([_agent_on(sprite) for sprite in bare])
    return np.concatenate([bare, with_agent]).round().astype(np.uint8)


def _floor() -> np.ndarray:
    return paint(plain(FLOOR_COLOUR), (X < 1) | (Y < 1), GRID_LINE_COLOUR)


def _wall() -> np.ndarray:
    sprite = paint(_floor(), rectangle(0, 0, 32, 32), WALL_COLOUR)
    sprite = paint(sprite, (X < 2) | (Y < 2), WALL_LIGHT_COLOUR)
    return paint(sprite, (np.maximum(X, Y) > 30) & (np.minimum(X, Y) > 32 - np.maximum(X, Y)), WALL_DARK_COLOUR)


def _lava() -> np.ndarray:
    sprite = paint(_floor(), rectangle(0, 0, 32, 32), LAVA_COLOUR)
    for height in (8, 16, 24):
        # One period per tile, so that the waves of neighbouring tiles join.
        wave = height + 2 * np.sin(2 * np.pi * X / TILE_SIDE)
        sprite = paint(sprite, abs(Y - wave) < 1.25, LAVA_LIGHT_COLOUR)
    return sprite


def _goal() -> np.ndarray:
    sprite = paint(_floor(), rectangle(2, 2, 31, 31, radius=4), GOAL_COLOUR)
    sprite = paint(sprite, disc(16.5, 16.5, 9.5), GOAL_LIGHT_COLOUR)
    return paint(sprite, disc(16.5, 16.5, 5.5), GOAL_COLOUR)


def _door(colour: tuple[int, int, int]) -> np.ndarray:
    sprite = paint(_floor(), rectangle(2, 2, 31, 31, radius=2), colour)
    sprite = paint(sprite, rectangle(5, 5, 28, 28, radius=1), _lighter(colour))
    sprite = paint(sprite, rectangle(7, 7, 26, 26), colour)
    return paint(sprite, disc(16.5, 14, 3.5) | rectangle(15, 14, 18, 22), KEYHOLE_COLOUR)


def _key(colour: tuple[int, int, int]) -> np.ndarray:
    bow = disc(9.5, 16.5, 6.5) & ~disc(9.5, 16.5, 3)
    shaft = rectangle(15, 14.75, 30, 18.25)
    teeth = rectangle(21.5, 18, 24.5, 23) | rectangle(27, 18, 30, 23)
    return paint(_floor(), bow | shaft | teeth, colour)


def _agent_on(sprite: np.ndarray) -> np.ndarray:
    sprite = paint(sprite, _upward_triangle(margin=0), AGENT_EDGE_COLOUR)
    return paint(sprite, _upward_triangle(margin=1.5), AGENT_COLOUR)


def _upward_triangle(margin: float) -> np.ndarray:
    """Points of the agent's triangle that lie at least ``margin`` inside it."""
    slope = 25 / 12.5  # of the sides: from the tip at (16.5, 4) down to (4, 29) and (29, 29)
    from_sides = (Y - 4 - slope * abs(X - 16.5)) / np.hypot(1, slope)
    return (from_sides > margin) & (29 - margin > Y)


def _lighter(colour: tuple[int, int, int]) -> tuple[int, int, int]:
    red, green, blue = ((part + 255) // 2 for part in colour)
    return red, green, blue
