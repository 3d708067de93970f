"""The map on which a world is drawn: levels and directions in signs, and things by their shape and colour."""

import math

import numpy as np
from PIL import Image, ImageDraw

from procgen_bench.engine.lettering import font
from procgen_bench.engine.level_editor import Layout
from procgen_bench.envs.xland.colours import FLOOR_COLOURS, OBJECT_COLOURS, PLAYER_COLOURS
from procgen_bench.envs.xland.isometric import CORNERS, HALVES
from procgen_bench.tasks.xland.entities import COLOURS, CUBE, FLOORS, PLAYERS, PYRAMID, SLAB, SPHERE
from procgen_bench.tasks.xland.worlds.tiles import OPPOSITE, SIDE_HEIGHTS, STEPS, TileKind
from procgen_bench.tasks.xland.worlds.world import World

#: Pixels for the tiles along the longer side, and for the numbers of rows and columns at the left and below.
_TILES, _MARGIN = 720, 28
_OVERSAMPLING = 2
_GROUND, _INK, _EDGE, _WALL = (43, 54, 70), (214, 221, 230), (0, 0, 0, 40), (30, 34, 42)
#: Yaws of the sides to which ramps rise.
_UPHILL = {
    TileKind.RAMP_NORTH: math.pi / 2,
    TileKind.RAMP_EAST: 0.0,
    TileKind.RAMP_SOUTH: -math.pi / 2,
    TileKind.RAMP_WEST: math.pi,
}
#: Corners of a thing's shape around its middle, in tiles: x to the east, y to the north.
_OUTLINES = {
    CUBE: ((-0.2, -0.2), (0.2, -0.2), (0.2, 0.2), (-0.2, 0.2)),
    PYRAMID: ((-0.24, -0.2), (0.24, -0.2), (0.0, 0.26)),
    SLAB: ((-0.3, -0.1), (0.3, -0.1), (0.3, 0.1), (-0.3, 0.1)),
}


def map_layout(world: World) -> Layout:
    """Where a world's tiles are on its map."""
    rows, columns = world.shape
    side = _TILES // max(rows, columns)
    return Layout(
        _MARGIN + columns * side,
        _MARGIN + rows * side,
        tuple(_MARGIN + column * side for column in range(columns + 1)),
        tuple(row * side for row in range(rows + 1)),
    )


def draw_editor_map(world: World) -> np.ndarray:
    """The map of a world, valid or not, north at the top: uint8 (height, width, 3), as :func:`map_layout` says.

    A tile shows its level as a digit, a ramp an arrow uphill, a diagonal its higher half lighter. Between floors of
    different heights there is a thick line.
    """
    layout = map_layout(world)
    picture = Image.new("RGB", (layout.width * _OVERSAMPLING, layout.height * _OVERSAMPLING), _GROUND)
    _Map(ImageDraw.Draw(picture, "RGBA"), world, layout).draw()
    return np.asarray(picture.resize((layout.width, layout.height), Image.Resampling.LANCZOS))


class _Map:
    """A map that is being drawn."""

    def __init__(self, draw: ImageDraw.ImageDraw, world: World, layout: Layout):
        self.pen, self.world = draw, world
        self.side = (layout.columns[1] - layout.columns[0]) * _OVERSAMPLING
        self.left, self.bottom = layout.columns[0] * _OVERSAMPLING, layout.rows[-1] * _OVERSAMPLING

    def draw(self) -> None:
        rows, columns = self.world.shape
        for row, column in np.ndindex(rows, columns):
            self._draw_tile(row, column)
        for row, column in np.ndindex(rows, columns):
            self._draw_ledges(row, column)
        for row in range(rows):
            self._write(str(row), -0.5 * self.left / self.side, row + 0.5, 11, _INK)
        for column in range(columns):
            self._write(str(column), column + 0.5, -0.5 * self.left / self.side, 11, _INK)
        self._draw_things()

    def _point(self, x: float, y: float) -> tuple[float, float]:
        """A place in tiles as pixels."""
        return self.left + x * self.side, self.bottom - y * self.side

    def _write(self, text: str, x: float, y: float, size: float, colour) -> None:
        self.pen.text(self._point(x, y), text, colour, font(round(size * _OVERSAMPLING)), anchor="mm")

    def _draw_tile(self, row: int, column: int) -> None:
        kind, level = TileKind(int(self.world.kinds[row, column])), int(self.world.levels[row, column])
        colour = FLOOR_COLOURS[FLOORS[self.world.floors[row, column]]]
        whole = [self._point(column + u, row + v) for u, v in CORNERS]
        self.pen.polygon(whole, _lit(colour, 0.08 * level), outline=_EDGE)
        ink = (20, 22, 26) if sum(colour) > 330 else (250, 250, 250)
        size = self.side / _OVERSAMPLING * 0.22
        if kind in HALVES:
            higher, _ = HALVES[kind]
            self.pen.polygon([whole[k] for k in higher], _lit(colour, 0.08 * level + 0.25), outline=_WALL)
        if kind in _UPHILL:
            self._draw_arrow(column + 0.5, row + 0.5, _UPHILL[kind], ink)
        self._write(str(level), column + 0.14, row + 0.84, size, ink)

    def _draw_arrow(self, x: float, y: float, yaw: float, colour) -> None:
        forward = np.array([math.cos(yaw), math.sin(yaw)])
        aside = np.array([-forward[1], forward[0]])
        tail, neck, tip = ((x, y) + forward * k for k in (-0.34, 0.12, 0.36))
        self.pen.line([self._point(*tail), self._point(*neck)], colour, max(2, self.side // 16))
        self.pen.polygon([self._point(*p) for p in (tip, neck + 0.16 * aside, neck - 0.16 * aside)], colour)

    def _draw_ledges(self, row: int, column: int) -> None:
        """Thick lines to the north and to the east, where floors do not meet."""
        world = self.world
        for side, ends in ((0, ((0, 1), (1, 1))), (1, ((1, 0), (1, 1)))):
            other = row + int(STEPS[side, 0]), column + int(STEPS[side, 1])
            if not (other[0] < world.shape[0] and other[1] < world.shape[1]):
                continue
            here = world.levels[row, column] + SIDE_HEIGHTS[world.kinds[row, column], side]
            there = world.levels[other] + SIDE_HEIGHTS[world.kinds[other], OPPOSITE[side]]
            if (here != there).any():
                points = [self._point(column + u, row + v) for u, v in ends]
                self.pen.line(points, _WALL, max(3, self.side // 14))

    def _draw_things(self) -> None:
        world, edge = self.world, max(2, self.side // 36)
        for k, (x, y) in enumerate(world.object_positions.tolist()):
            colour = OBJECT_COLOURS[COLOURS[world.object_colours[k]]]
            shape = int(world.object_shapes[k])
            if shape == SPHERE:
                self.pen.ellipse(self._around(x, y, 0.22), colour, outline="white", width=edge)
            else:
                points = [self._point(x + u, y + v) for u, v in _OUTLINES[shape]]
                self.pen.polygon(points, colour, outline="white", width=edge)
        for p, (x, y) in enumerate(world.player_positions.tolist()):
            colour, yaw = PLAYER_COLOURS[PLAYERS[world.player_colours[p]]], float(world.player_yaws[p])
            nose = [self._point(x + r * math.cos(yaw + a), y + r * math.sin(yaw + a)) for r, a in _NOSE]
            self.pen.polygon(nose, colour, outline="white", width=edge)
            self.pen.ellipse(self._around(x, y, 0.26), colour, outline="white", width=edge)
            self._write(str(p + 1), x, y, self.side / _OVERSAMPLING * 0.28, "white")

    def _around(self, x: float, y: float, radius: float) -> list[tuple[float, float]]:
        return [self._point(x - radius, y + radius), self._point(x + radius, y - radius)]


#: The pointed side of a player: radius (tiles) and angle from where it looks.
_NOSE = ((0.46, 0.0), (0.26, 0.9), (0.26, -0.9))


def _lit(colour: tuple[int, int, int], share: float) -> tuple[int, int, int]:
    """A colour with so much of white."""
    red, green, blue = (round(channel + (255 - channel) * share) for channel in colour)
    return red, green, blue
