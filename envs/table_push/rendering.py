"""The table from above, drawn from a task and a moment of it alone."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from procgen_bench.envs.table_push.moments import Moment, Posture
from procgen_bench.envs.table_push.paths import HALF_THICKNESS, HALF_WIDTH, PLATE_ANGLE
from procgen_bench.tasks.table_push import TablePushTask
from procgen_bench.tasks.table_push.table import (
    BLOCK_SIDE,
    CAN_HEIGHT,
    CAN_RADIUS,
    GOAL_RADIUS,
    PIT,
    block_box,
)

#: Pixels of a frame.
HEIGHT, WIDTH = 336, 480

Colour = tuple[int, int, int]

ROOM_COLOUR, PIT_COLOUR, PIT_EDGE_COLOUR = (58, 61, 68), (30, 32, 38), (18, 19, 23)
FLAT_COLOUR, FLAT_SEAM_COLOUR = (226, 210, 184), (204, 184, 152)
WALL_COLOUR, WALL_TOP_COLOUR, SHADOW_COLOUR = (106, 84, 74), (150, 122, 108), (20, 16, 14)
GOAL_COLOUR, RANGE_COLOUR = (0, 178, 196), (0, 150, 190)
#: Of the target and the other cans.
CAN_COLOURS = ((38, 92, 214), (222, 122, 36), (64, 156, 78))

#: Of the tool, whose plates are drawn thicker than they are.
_TOOL_COLOUR = (70, 78, 94)
_PLATE_HALF_WIDTH, _HANDLE_OFFSET, _HANDLE_RADIUS = 2 * HALF_THICKNESS, 0.012, 0.012

#: Room around the table, metres.
_MARGIN = 0.045
_SEAM, _WALL_EDGE, _RING = 0.0015, 0.010, 0.008
_LID_RADIUS, _RIM = 0.024, 0.003
#: No shape's edge is wider than twice this.
_MOST_BLUR = 0.02
#: Light comes from the upper left: how shadows are moved as boxes, and the gloss on a can.
_SHADOW_OFFSET, _SHADOW_BLUR = np.array([0.007, -0.007, 0.0, 0.0, 0.0]), 0.012
_GLOSS_OFFSET = np.array([-0.008, 0.009])


def draw_map(task: TablePushTask, moment: Moment) -> np.ndarray:
    """The table, its cans and the tool from above, x to the right, y upwards: uint8 (336, 480, 3).

    Args:
        task: Its blocks, obstacles and goal.
        moment: Where the cans are, and the tool; one that waits is not drawn.
    """
    canvas = Canvas(task.extent)
    canvas.pixels = _table_picture(task).copy()
    for (x, y, *_), colour in zip(moment.cans, CAN_COLOURS):
        if not np.isnan(x):
            _draw_can(canvas, np.array([x, y]), colour)
    if moment.posture is not None:
        _draw_tool(canvas, moment.posture)
    return canvas.frame()


class Shape(NamedTuple):
    """Distances (metres) from a shape's edge, negative inside, at the pixels of a window around it.

    Attributes:
        window: Rows and columns.
        distances: float64 (rows, columns), of the window's pixels.
    """

    window: tuple[slice, slice]
    distances: np.ndarray


class Canvas:
    """A picture whose shapes are given in the table's metres; edges are smooth.

    Attributes:
        pixels: float64 (336, 480, 3), 0 to 255.

    Args:
        extent: float64 (2,), lengths of the table along x and y, metres.
    """

    def __init__(self, extent: np.ndarray):
        room = extent + 2 * _MARGIN
        self._scale = min(WIDTH / room[0], HEIGHT / room[1])
        columns, rows = np.arange(WIDTH) + 0.5, np.arange(HEIGHT) + 0.5
        self._x = extent[0] / 2 + (columns - WIDTH / 2) / self._scale
        self._y = extent[1] / 2 - (rows - HEIGHT / 2) / self._scale
        self.pixels = np.empty((HEIGHT, WIDTH, 3))
        self.pixels[:] = ROOM_COLOUR

    def paint(self, shape: Shape, colour: Colour, opacity: float = 1.0, blur: float = 0.0) -> None:
        """Blend ``colour`` into a shape, whose edge is ``blur`` metres wide."""
        width = max(1.0 / self._scale, blur)
        cover = opacity * np.clip(0.5 - shape.distances / width, 0.0, 1.0)[..., None]
        self.pixels[shape.window] += cover * (np.array(colour) - self.pixels[shape.window])

    def disc(self, place: np.ndarray, radius: float) -> Shape:
        """A disc of a radius in metres around ``place``, float64 (2,), metres."""
        window, x, y = self._around(place, radius)
        return Shape(window, np.hypot(x, y) - radius)

    def ring(self, place: np.ndarray, radius: float, width: float) -> Shape:
        """The part of a disc around ``place``, float64 (2,), that is within ``width`` of its edge; all in metres."""
        window, distances = self.disc(place, radius)
        return Shape(window, abs(distances + width / 2) - width / 2)

    def box(self, box: np.ndarray, inset: float = 0.0) -> Shape:
        """A box, float64 (5,): x, y, half length, half width (metres), angle (radians); smaller by ``inset`` metres on
        each side."""
        half_length, half_width, angle = box[2:]
        window, x, y = self._around(box[:2], np.hypot(half_length, half_width))
        along = abs(x * np.cos(angle) + y * np.sin(angle)) - half_length + inset
        across = abs(y * np.cos(angle) - x * np.sin(angle)) - half_width + inset
        outside = np.hypot(np.maximum(along, 0), np.maximum(across, 0))
        return Shape(window, outside + np.minimum(np.maximum(along, across), 0))

    def frame(self) -> np.ndarray:
        """The picture as uint8 (336, 480, 3)."""
        return self.pixels.round().astype(np.uint8)

    def _around(self, place: np.ndarray, radius: float) -> tuple[tuple[slice, slice], np.ndarray, np.ndarray]:
        """The window of all pixels within ``radius`` and some blur of ``place``, and their x and y from there."""
        columns = _stretch_within(abs(self._x - place[0]) < radius + _MOST_BLUR)
        rows = _stretch_within(abs(self._y - place[1]) < radius + _MOST_BLUR)
        return (rows, columns), (self._x[columns] - place[0])[None, :], (self._y[rows] - place[1])[:, None]


def _stretch_within(mask: np.ndarray) -> slice:
    (places,) = mask.nonzero()
    return slice(places[0], places[-1] + 1) if len(places) else slice(0, 0)


@lru_cache(maxsize=16)
def _table_picture(task: TablePushTask) -> np.ndarray:
    canvas = Canvas(task.extent)
    _draw_shadow(canvas, np.array([*task.extent / 2, *task.extent / 2, 0.0]))
    for place in np.ndindex(task.blocks.shape):
        kind, box = task.blocks[place], block_box(*place)
        if kind == PIT:
            canvas.paint(canvas.box(box), PIT_EDGE_COLOUR)
            canvas.paint(canvas.box(box, BLOCK_SIDE / 10), PIT_COLOUR, blur=BLOCK_SIDE / 6)
        else:
            canvas.paint(canvas.box(box), FLAT_SEAM_COLOUR)
            canvas.paint(canvas.box(box, _SEAM), FLAT_COLOUR)
    _draw_goal(canvas, task)
    walls = task.walls
    for box in walls:
        _draw_shadow(canvas, box)
    for box in walls:
        canvas.paint(canvas.box(box), WALL_COLOUR)
        canvas.paint(canvas.box(box, min(_WALL_EDGE, box[2] / 3, box[3] / 3)), WALL_TOP_COLOUR)
    canvas.pixels.setflags(write=False)
    return canvas.pixels


def _draw_goal(canvas: Canvas, task: TablePushTask) -> None:
    canvas.paint(canvas.disc(task.goal, task.goal_range), RANGE_COLOUR, opacity=0.06)
    canvas.paint(canvas.ring(task.goal, task.goal_range, _RING / 2), RANGE_COLOUR, opacity=0.45)
    canvas.paint(canvas.disc(task.goal, GOAL_RADIUS), GOAL_COLOUR, opacity=0.35)
    canvas.paint(canvas.ring(task.goal, GOAL_RADIUS, _RING), GOAL_COLOUR, opacity=0.95)


def _draw_shadow(canvas: Canvas, box: np.ndarray) -> None:
    canvas.paint(canvas.box(box + _SHADOW_OFFSET), SHADOW_COLOUR, opacity=0.35, blur=_SHADOW_BLUR)


def _draw_can(canvas: Canvas, place: np.ndarray, colour: Colour) -> None:
    shadow = canvas.disc(place + _SHADOW_OFFSET[:2], CAN_RADIUS)
    canvas.paint(shadow, SHADOW_COLOUR, opacity=0.45, blur=_SHADOW_BLUR)
    canvas.paint(canvas.disc(place, CAN_RADIUS), _mixed(colour, (0, 0, 0), 0.35))
    canvas.paint(canvas.disc(place, CAN_RADIUS - _RIM), colour)
    canvas.paint(canvas.disc(place, _LID_RADIUS), _mixed(colour, (255, 255, 255), 0.55))
    canvas.paint(canvas.disc(place, _LID_RADIUS - _RIM), _mixed(colour, (255, 255, 255), 0.30))
    canvas.paint(canvas.disc(place + _GLOSS_OFFSET, CAN_RADIUS / 6), (255, 255, 255), opacity=0.75, blur=0.006)


def _draw_tool(canvas: Canvas, posture: Posture) -> None:
    """The tool's two plates and its handle; the higher they are, the further off is their shadow."""
    corner, height = posture.place[:2], posture.place[2]
    forwards, aside = _direction(posture.yaw), _direction(posture.yaw + np.pi / 2)
    half_length = HALF_WIDTH / np.cos(PLATE_ANGLE) / 2
    plates = []
    for side in (1, -1):
        middle = corner + half_length * (np.sin(PLATE_ANGLE) * forwards + side * np.cos(PLATE_ANGLE) * aside)
        plates.append(np.array([*middle, _PLATE_HALF_WIDTH, half_length, posture.yaw - side * PLATE_ANGLE]))
    for plate in plates:
        shadow = canvas.box(plate + _SHADOW_OFFSET * (1 + height / CAN_HEIGHT))
        canvas.paint(shadow, SHADOW_COLOUR, opacity=0.4, blur=_SHADOW_BLUR)
    for plate in plates:
        canvas.paint(canvas.box(plate), _TOOL_COLOUR)
    handle = corner - _HANDLE_OFFSET * forwards
    canvas.paint(canvas.disc(handle, _HANDLE_RADIUS), _mixed(_TOOL_COLOUR, (0, 0, 0), 0.45))
    canvas.paint(canvas.disc(handle, _HANDLE_RADIUS - _RIM), _mixed(_TOOL_COLOUR, (255, 255, 255), 0.35))


def _direction(angle: float) -> np.ndarray:
    return np.array([np.cos(angle), np.sin(angle)])


def _mixed(one: Colour, other: Colour, share: float) -> Colour:
    red, green, blue = (round(a + share * (b - a)) for a, b in zip(one, other))
    return red, green, blue
