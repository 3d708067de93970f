"""A world as an isometric picture, seen from the south-west and above."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from PIL import Image, ImageDraw

from procgen_bench.envs.xland.colours import (
    BACKGROUND_COLOUR,
    EDGE_COLOUR,
    FLOOR_COLOURS,
    OBJECT_COLOURS,
    PLAYER_COLOURS,
    WALL_COLOUR,
)
from procgen_bench.envs.xland.solids import SOLIDS, placed_corners
from procgen_bench.tasks.xland.entities import (
    COLOURS,
    FLOORS,
    PLAYER_HEIGHT,
    PLAYER_RADIUS,
    PLAYERS,
    SPHERE,
)
from procgen_bench.tasks.xland.worlds.tiles import TileKind, floor_height, surface
from procgen_bench.tasks.xland.worlds.world import World

_OVERSAMPLING = 2
_MARGIN = 12
#: Corners of a tile, anticlockwise from the south-western one.
CORNERS = ((0, 0), (1, 0), (1, 1), (0, 1))
#: The corners of a diagonal's higher half and of its lower one, anticlockwise.
HALVES = {
    TileKind.DIAGONAL_NORTH_EAST: ((1, 2, 3), (0, 1, 3)),
    TileKind.DIAGONAL_SOUTH_EAST: ((0, 1, 2), (0, 2, 3)),
    TileKind.DIAGONAL_SOUTH_WEST: ((0, 1, 3), (1, 2, 3)),
    TileKind.DIAGONAL_NORTH_WEST: ((0, 2, 3), (0, 1, 2)),
}
#: Brightness of faces that look up, to the west and to the south; slopes lie between.
_TOP, _WEST, _SOUTH, _SLOPE = 1.0, 0.62, 0.76, 0.9
_WALL_LEVELS = 0.6


class _View(NamedTuple):
    """How points in metres become pixels."""

    scale: float
    left: float
    top: float

    def pixels(self, points: ArrayLike) -> list[tuple[float, float]]:
        """Points (n, 3) as pixels."""
        x, y, z = np.asarray(points, np.float64).reshape(-1, 3).T
        across, up = (x - y) * np.sqrt(3) / 2, (x + y) / 2 + z
        return list(zip((self.left + across * self.scale).tolist(), (self.top - up * self.scale).tolist()))


def draw_world(world: World, width: int = 640) -> Image.Image:
    """The world as a picture of ``width`` pixels; its height follows from the world's.

    Floors, objects and players have their colours; a player's disc shows where it looks. The far walls stand, the near
    ones are left out. The light's direction is not shown, its strength is.

    Args:
        world: The world.
        width: Pixels, at least 64.

    Raises:
        ValueError: ``width`` is less.
    """
    if width < 64:
        raise ValueError(f"width is {width}, expected at least 64 pixels")
    view, size = _fit(world, width * _OVERSAMPLING)
    picture = Image.new("RGB", size, BACKGROUND_COLOUR)
    draw = ImageDraw.Draw(picture, "RGBA")
    _draw_walls(draw, view, world)
    things = _things_by_tile(world)
    rows, columns = world.shape
    # From the back to the front; what stands on a tile is drawn right after it.
    for row, column in sorted(np.ndindex(rows, columns), key=lambda tile: -sum(tile)):
        _draw_tile(draw, view, world, row, column)
        for _, draw_thing in sorted(things.get((row, column), ()), key=lambda thing: -thing[0]):
            draw_thing(draw, view)
    return picture.resize((size[0] // _OVERSAMPLING, size[1] // _OVERSAMPLING), Image.Resampling.LANCZOS)


def _fit(world: World, width: int) -> tuple[_View, tuple[int, int]]:
    rows, columns = world.shape
    x, y, z = world.tile_size * (columns, rows, world.levels.max() + 1 + _WALL_LEVELS)
    margin = _MARGIN * _OVERSAMPLING
    scale = (width - 2 * margin) / ((x + y) * np.sqrt(3) / 2)
    height = round(((x + y) / 2 + z) * scale) + 2 * margin
    return _View(scale, margin + y * np.sqrt(3) / 2 * scale, height - margin), (width, height)


def _draw_walls(draw: ImageDraw.ImageDraw, view: _View, world: World) -> None:
    """The walls to the north and to the east."""
    rows, columns = world.shape
    x, y, z = world.tile_size * (columns, rows, world.levels.max() + 1 + _WALL_LEVELS)
    for corners, brightness in (
        ([(0, y, 0), (x, y, 0), (x, y, z), (0, y, z)], 0.97),
        ([(x, 0, 0), (x, y, 0), (x, y, z), (x, 0, z)], 0.88),
    ):
        draw.polygon(view.pixels(corners), fill=_shaded(WALL_COLOUR, brightness))


def _draw_tile(draw: ImageDraw.ImageDraw, view: _View, world: World, row: int, column: int) -> None:
    """The sides of a tile that face the viewer, then its floor."""
    kind, level = TileKind(int(world.kinds[row, column])), int(world.levels[row, column])
    colour = FLOOR_COLOURS[FLOORS[world.floors[row, column]]]
    strength = 0.7 + 0.3 * float(world.light[2])

    def point(u: float, v: float, height: float) -> np.ndarray:
        return np.array([column + u, row + v, height]) * world.tile_size

    def face(points, brightness: float) -> None:
        draw.polygon(view.pixels(points), fill=_shaded(colour, brightness * strength), outline=EDGE_COLOUR)

    # The middle of a side tells how high its ends are, on a diagonal too.
    for ends, middle, brightness in (
        (((0.0, 0.0), (0.0, 1.0)), (0.0, 0.5), _WEST),
        (((0.0, 0.0), (1.0, 0.0)), (0.5, 0.0), _SOUTH),
    ):
        tops = [surface(kind, level, *(middle if kind in HALVES else end)) for end in ends]
        if max(tops) > 0:
            (a, b), (low, high) = ends, tops
            face([point(*a, 0), point(*b, 0), point(*b, high), point(*a, low)], brightness)
    if kind not in HALVES:
        brightness = _TOP if kind == TileKind.FLAT else _SLOPE
        face([point(u, v, surface(kind, level, u, v)) for u, v in CORNERS], brightness)
        return
    higher, lower = HALVES[kind]
    face([point(*CORNERS[k], level) for k in lower], _TOP)
    one, other = (CORNERS[k] for k in higher if k in lower)
    face([point(*one, level), point(*other, level), point(*other, level + 1), point(*one, level + 1)], 0.7)
    face([point(*CORNERS[k], level + 1) for k in higher], _TOP)


def _things_by_tile(world: World) -> dict[tuple[int, int], list]:
    """By tile, what stands there: (nearness to the back, a function that draws it)."""
    things: dict[tuple[int, int], list] = {}
    for k, (x, y) in enumerate(world.object_positions):
        foot = _foot(world, x, y)
        colour = OBJECT_COLOURS[COLOURS[world.object_colours[k]]]
        shape, size, yaw = int(world.object_shapes[k]), float(world.object_sizes[k]), float(world.object_yaws[k])
        _add(things, x, y, lambda draw, view, a=(shape, size, yaw, foot, colour): _draw_object(draw, view, *a))
    for k, (x, y) in enumerate(world.player_positions):
        colour = PLAYER_COLOURS[PLAYERS[world.player_colours[k]]]
        arguments = (_foot(world, x, y), float(world.player_yaws[k]), colour)
        _add(things, x, y, lambda draw, view, a=arguments: _draw_player(draw, view, *a))
    return things


def _add(things: dict, x: float, y: float, draw_thing) -> None:
    things.setdefault((int(y), int(x)), []).append((x + y, draw_thing))


def _foot(world: World, x: float, y: float) -> np.ndarray:
    return np.array([x, y, floor_height(world.kinds, world.levels, x, y)]) * world.tile_size


def _above(foot: np.ndarray, height: float) -> np.ndarray:
    return foot + np.array([0.0, 0.0, height])


def _draw_object(draw: ImageDraw.ImageDraw, view: _View, shape: int, size: float, yaw: float, foot, colour) -> None:
    if shape == SPHERE:
        ((x, y),) = view.pixels(_above(foot, size / 2))
        for share, shift, brightness in ((1.0, 0.0, 0.8), (0.72, 0.12, 0.95), (0.35, 0.24, 1.25)):
            radius = size / 2 * share * view.scale
            centre = x + shift * size / 2 * view.scale, y - shift * size * view.scale
            _disc(draw, centre, radius, radius, _shaded(colour, brightness))
        return
    solid = SOLIDS[shape]
    corners = placed_corners(solid, size, yaw, foot)
    for face in solid.faces:
        points = corners[list(face)]
        normal = np.cross(points[1] - points[0], points[2] - points[1])
        normal /= np.linalg.norm(normal)
        if normal @ (-1, -1, np.sqrt(2 / 3)) > 1e-9:  # the viewer's direction: isometric from the south-west
            brightness = 0.72 + 0.35 * max(normal[2], 0) - 0.12 * normal[0]
            draw.polygon(view.pixels(points), fill=_shaded(colour, brightness), outline=EDGE_COLOUR)


def _draw_player(draw: ImageDraw.ImageDraw, view: _View, foot: np.ndarray, yaw: float, colour) -> None:
    """An upright body, its head, and a wedge on the floor towards where it looks."""
    ahead = np.array([np.cos(yaw), np.sin(yaw), 0.0])
    aside = np.array([-ahead[1], ahead[0], 0.0])
    draw.polygon(view.pixels([foot + 1.1 * ahead, foot + 0.45 * aside, foot - 0.45 * aside]), fill=(*colour, 130))
    (bottom, top) = view.pixels([_above(foot, PLAYER_RADIUS), _above(foot, PLAYER_HEIGHT - PLAYER_RADIUS)])
    radius = PLAYER_RADIUS * view.scale
    _disc(draw, bottom, radius, radius, _shaded(colour, 0.75))
    draw.rectangle([top[0] - radius, top[1], top[0] + radius, bottom[1]], fill=_shaded(colour, 0.85))
    _disc(draw, top, radius, radius, _shaded(colour, 1.1))


def _disc(draw: ImageDraw.ImageDraw, centre, across: float, down: float, colour) -> None:
    x, y = centre
    draw.ellipse([x - across, y - down, x + across, y + down], fill=colour)


def _shaded(colour: tuple[int, int, int], brightness: float) -> tuple[int, int, int]:
    red, green, blue = (int(min(255, channel * brightness)) for channel in colour)
    return red, green, blue
