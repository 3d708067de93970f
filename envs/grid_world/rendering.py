"""GridWorld drawn from its state: frames assembled from tile sprites, and text."""

from functools import cache

import numpy as np

from procgen_bench.envs.grid_world.kernel import MARGIN, OBJECT_SHIFT, TILE_MASK
from procgen_bench.envs.grid_world.simulation import GridWorldSimulation
from procgen_bench.tasks.grid_world.task import (
    ABSENT,
    DOOR_1,
    DOOR_2,
    EMPTY,
    GOAL,
    KEY_1,
    KEY_2,
    LAVA,
    MAP_SIDE,
    NUM_OBJECTS,
    WALL,
    GridWorldTask,
)

#: Pixels of a tile's side.
TILE_SIDE = 32

FLOOR_COLOUR, GRID_LINE_COLOUR = (246, 244, 238), (222, 218, 208)
WALL_COLOUR, WALL_LIGHT_COLOUR, WALL_DARK_COLOUR = (112, 118, 126), (146, 152, 160), (78, 83, 91)
LAVA_COLOUR, LAVA_LIGHT_COLOUR = (242, 116, 24), (255, 186, 74)
GOAL_COLOUR, GOAL_LIGHT_COLOUR = (44, 160, 70), (186, 232, 190)
AGENT_COLOUR, AGENT_EDGE_COLOUR = (222, 38, 48), (122, 14, 24)
KEYHOLE_COLOUR = (32, 32, 40)
#: Of door 1 with key 1, and of door 2 with key 2.
PAIR_COLOURS = ((36, 108, 220), (186, 58, 190))

_MAP = slice(MARGIN, MARGIN + MAP_SIDE)
_NUM_CELL_VALUES = (NUM_OBJECTS + 1) << OBJECT_SHIFT

#: Shapes are drawn on this many points per pixel and side, and averaged: smooth edges without a drawing library.
_POINTS = 8
_Y, _X = (np.mgrid[: TILE_SIDE * _POINTS, : TILE_SIDE * _POINTS] + 0.5) / _POINTS


def draw_frame(simulation: GridWorldSimulation, row: int) -> np.ndarray:
    """The map of ``row`` from above: uint8 (320, 320, 3), 10 x 10 tiles of 32 x 32 pixels."""
    values = simulation.cells[row, _MAP, _MAP].astype(np.intp)
    x, y = simulation.positions[row]
    values[y, x] += _NUM_CELL_VALUES
    tiles = _sprites()[values]  # [map y, map x, tile y, tile x, colour]
    return tiles.swapaxes(1, 2).reshape(MAP_SIDE * TILE_SIDE, MAP_SIDE * TILE_SIDE, 3)


def draw_text(simulation: GridWorldSimulation, row: int) -> str:
    """The map of ``row`` as ten lines of ten symbols: those of ``GridWorldTask.to_text``, ``@`` for the agent."""
    places = simulation.places[row].reshape(2, NUM_OBJECTS, 2)
    objects = np.where(places[1] == 0, ABSENT, places[0]).astype(np.int8)
    tiles = simulation.cells[row, _MAP, _MAP][1:-1, 1:-1] & TILE_MASK
    border = "#" * MAP_SIDE
    inside = [f"#{line}#" for line in GridWorldTask(tiles, objects).to_text().splitlines()]
    lines = [border, *inside, border]
    x, y = simulation.positions[row]
    lines[y] = lines[y][:x] + "@" + lines[y][x + 1 :]
    return "\n".join(lines)


@cache
def _sprites() -> np.ndarray:
    """uint8 (48, 32, 32, 3): a sprite for every cell value, then the same ones with the agent on them."""
    plain = np.zeros((_NUM_CELL_VALUES, TILE_SIDE, TILE_SIDE, 3))
    for tile, draw in ((EMPTY, _floor), (WALL, _wall), (LAVA, _lava)):
        plain[tile] = draw()
    things = {GOAL: _goal()}
    for door, key, colour in zip((DOOR_1, DOOR_2), (KEY_1, KEY_2), PAIR_COLOURS):
        things |= {door: _door(colour), key: _key(colour)}
    for thing, sprite in things.items():
        plain[EMPTY | (thing + 1) << OBJECT_SHIFT] = sprite
    with_agent = np.stack([_agent_on(sprite) for sprite in plain])
    return np.concatenate([plain, with_agent]).round().astype(np.uint8)


def _floor() -> np.ndarray:
    sprite = np.empty((TILE_SIDE, TILE_SIDE, 3))
    sprite[:] = FLOOR_COLOUR
    return _paint(sprite, (_X < 1) | (_Y < 1), GRID_LINE_COLOUR)


def _wall() -> np.ndarray:
    sprite = _paint(_floor(), _rectangle(0, 0, 32, 32), WALL_COLOUR)
    sprite = _paint(sprite, (_X < 2) | (_Y < 2), WALL_LIGHT_COLOUR)
    return _paint(sprite, (np.maximum(_X, _Y) > 30) & (np.minimum(_X, _Y) > 32 - np.maximum(_X, _Y)), WALL_DARK_COLOUR)


def _lava() -> np.ndarray:
    sprite = _paint(_floor(), _rectangle(0, 0, 32, 32), LAVA_COLOUR)
    for height in (8, 16, 24):
        # One period per tile, so that the waves of neighbouring tiles join.
        wave = height + 2 * np.sin(2 * np.pi * _X / TILE_SIDE)
        sprite = _paint(sprite, abs(_Y - wave) < 1.25, LAVA_LIGHT_COLOUR)
    return sprite


def _goal() -> np.ndarray:
    sprite = _paint(_floor(), _rectangle(2, 2, 31, 31, radius=4), GOAL_COLOUR)
    sprite = _paint(sprite, _disc(16.5, 16.5, 9.5), GOAL_LIGHT_COLOUR)
    return _paint(sprite, _disc(16.5, 16.5, 5.5), GOAL_COLOUR)


def _door(colour: tuple[int, int, int]) -> np.ndarray:
    sprite = _paint(_floor(), _rectangle(2, 2, 31, 31, radius=2), colour)
    sprite = _paint(sprite, _rectangle(5, 5, 28, 28, radius=1), _lighter(colour))
    sprite = _paint(sprite, _rectangle(7, 7, 26, 26), colour)
    return _paint(sprite, _disc(16.5, 14, 3.5) | _rectangle(15, 14, 18, 22), KEYHOLE_COLOUR)


def _key(colour: tuple[int, int, int]) -> np.ndarray:
    bow = _disc(9.5, 16.5, 6.5) & ~_disc(9.5, 16.5, 3)
    shaft = _rectangle(15, 14.75, 30, 18.25)
    teeth = _rectangle(21.5, 18, 24.5, 23) | _rectangle(27, 18, 30, 23)
    return _paint(_floor(), bow | shaft | teeth, colour)


def _agent_on(sprite: np.ndarray) -> np.ndarray:
    sprite = _paint(sprite, _upward_triangle(margin=0), AGENT_EDGE_COLOUR)
    return _paint(sprite, _upward_triangle(margin=1.5), AGENT_COLOUR)


def _paint(sprite: np.ndarray, shape: np.ndarray, colour: tuple[int, int, int]) -> np.ndarray:
    """``sprite`` with the points of ``shape`` covered by ``colour``."""
    coverage = shape.reshape(TILE_SIDE, _POINTS, TILE_SIDE, _POINTS).mean(axis=(1, 3))[..., np.newaxis]
    return sprite + coverage * (np.array(colour) - sprite)


def _rectangle(left: float, top: float, right: float, bottom: float, radius: float = 0) -> np.ndarray:
    """Points of a rectangle whose corners are rounded by ``radius``."""
    outside_x = np.maximum(left + radius - _X, _X - right + radius).clip(min=0)
    outside_y = np.maximum(top + radius - _Y, _Y - bottom + radius).clip(min=0)
    return np.hypot(outside_x, outside_y) <= radius


def _disc(centre_x: float, centre_y: float, radius: float) -> np.ndarray:
    return np.hypot(_X - centre_x, _Y - centre_y) < radius


def _upward_triangle(margin: float) -> np.ndarray:
    """Points of the agent's triangle that lie at least ``margin`` inside it."""
    slope = 25 / 12.5  # of the sides: from the tip at (16.5, 4) down to (4, 29) and (29, 29)
    from_sides = (_Y - 4 - slope * abs(_X - 16.5)) / np.hypot(1, slope)
    return (from_sides > margin) & (29 - margin > _Y)


def _lighter(colour: tuple[int, int, int]) -> tuple[int, int, int]:
    return tuple((part + 255) // 2 for part in colour)
