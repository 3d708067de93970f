"""Frames for people: what a player sees next to the map, and in words what it is after and how it goes.

They follow from the simulation alone.
"""

from functools import lru_cache, partial

import numpy as np
from PIL import Image, ImageDraw

from procgen_bench.engine.lettering import fits, font
from procgen_bench.engine.rendering import wrapped
from procgen_bench.envs.xland.observations import frozen_tints
from procgen_bench.envs.xland.raycaster import draw_players
from procgen_bench.envs.xland.rays.scenery import scenery
from procgen_bench.envs.xland.simulation import XLandSimulation
from procgen_bench.envs.xland.views import draw_map, draw_third_person, fitting_map_height
from procgen_bench.tasks.xland.entities import COLOURS, GADGETS, PLAYERS, SHAPES

FIRST_PERSON, THIRD_PERSON, MAP = "first person", "third person", "map"
VIEWS = (FIRST_PERSON, THIRD_PERSON, MAP)

#: Rays through a pixel, along either side: pictures must keep up with a person's play.
_OVERSAMPLING = 1
#: Rows and columns of a player's view in a frame; the map next to it is a square.
VIEW_SHAPE = (288, 384)
#: Rows of a frame's text, its greatest and its least size, and the height of a line in its size.
_TEXT_ROWS, _TEXT_SIZES, _LINE_HEIGHT, _MARGIN = 112, range(15, 7, -1), 1.3, 8
_TEXT_COLOUR, _BACKGROUND = (236, 236, 240), (38, 40, 46)


def draw_frame(simulation: XLandSimulation, num_players: int = 1) -> np.ndarray:
    """The first Q players' views side by side, the map, and below them the caption: uint8 (400, 384 Q + 288, 3)."""
    views = np.empty((1, num_players, *VIEW_SHAPE, 3), np.uint8)
    draw_players(simulation.states, scenery([simulation.task.world]), views, frozen_tints(simulation))
    pictures = np.concatenate([*views[0], draw_view(simulation, MAP, (VIEW_SHAPE[0], VIEW_SHAPE[0]))], axis=1)
    return np.concatenate([pictures, _draw_caption(simulation, num_players, pictures.shape[1])])


def draw_view(simulation: XLandSimulation, view: str, shape: tuple[int, int]) -> np.ndarray:
    """One of ``VIEWS`` of player 1: uint8 (rows, columns, 3), of ``shape``. The map is as large as fits, in the middle.

    Raises:
        ValueError: There is no such view.
    """
    states, scene, tints = simulation.states, scenery([simulation.task.world]), frozen_tints(simulation)
    if view == FIRST_PERSON:
        return draw_players(states, scene, np.empty((1, 1, *shape, 3), np.uint8), tints)[0, 0]
    if view == THIRD_PERSON:
        return draw_third_person(states, scene, shape=shape, tints=tints, oversampling=_OVERSAMPLING)
    if view == MAP:
        return _fitted_map(states, scene, shape, tints)
    raise ValueError(f"view is {view!r}, expected one of {VIEWS}")


def caption(simulation: XLandSimulation, num_players: int = 1) -> tuple[str, ...]:
    """What there is to say for the first players: the goals of all, how each of these fares, and the steps taken."""
    return _goals(simulation) + _status(simulation, num_players)


def _goals(simulation: XLandSimulation) -> tuple[str, ...]:
    return tuple(f"{_name(simulation, p)}: {goal}" for p, goal in enumerate(simulation.task.game.goals))


def _status(simulation: XLandSimulation, num_players: int) -> tuple[str, ...]:
    """A line for each of the players."""
    lines = [_fares(simulation, p) for p in range(num_players)]
    if num_players > 1:
        lines = [f"{_name(simulation, p)}: {line}" for p, line in enumerate(lines)]
    lines[-1] += f"   step {simulation.steps}"
    return tuple(lines)


def _fares(simulation: XLandSimulation, player: int) -> str:
    """A player's reward, what it holds, and when its gadget can be used."""
    states, gadget = simulation.states, GADGETS[simulation.task.world.player_gadgets[player]]
    held, cooldown = np.flatnonzero(states.held[0, player]), int(simulation.players[player]["cooldown"])
    does = f"holds {_object_name(simulation, int(held[0]))}" if len(held) else "holds nothing"
    if not states.players_present[0, player]:
        does = "is gone"
    ready = f"ready in {cooldown}" if cooldown else "ready"
    return f"reward {simulation.rewards[player]:.0f}   {does}   {gadget}: {ready}"


def _name(simulation: XLandSimulation, player: int) -> str:
    return f"player {player + 1} ({PLAYERS[simulation.task.world.player_colours[player]]})"


def _object_name(simulation: XLandSimulation, k: int) -> str:
    world = simulation.task.world
    return f"{COLOURS[world.object_colours[k]]} {SHAPES[world.object_shapes[k]]}"


def _fitted_map(states, scene, shape: tuple[int, int], tints: np.ndarray) -> np.ndarray:
    height = fitting_map_height(states, scene, 0, shape)
    picture = draw_map(states, scene, height=height, tints=tints, oversampling=_OVERSAMPLING)
    out = np.full((*shape, 3), _BACKGROUND, np.uint8)
    top, left = ((room - side) // 2 for room, side in zip(shape, picture.shape))
    out[top : top + picture.shape[0], left : left + picture.shape[1]] = picture
    return out


def _draw_caption(simulation: XLandSimulation, num_players: int, width: int) -> np.ndarray:
    """The caption, with the goals wrapped, as large as fits: uint8 (112, width, 3)."""
    status = _status(simulation, num_players)
    size, goals = _fitted(_goals(simulation), len(status), width - 2 * _MARGIN)
    picture = Image.new("RGB", (width, _TEXT_ROWS), _BACKGROUND)
    draw = ImageDraw.Draw(picture)
    for number, line in enumerate((*goals, *status)):
        draw.text((_MARGIN, _MARGIN + round(number * _LINE_HEIGHT * size)), line, _TEXT_COLOUR, font(size))
    return np.asarray(picture)


@lru_cache(maxsize=64)
def _fitted(goals: tuple[str, ...], others: int, width: int) -> tuple[int, tuple[str, ...]]:
    """The greatest size in which there is room for the goals and so many other lines, and the goals wrapped for it; in
    the least size, what there is no room for is left out."""
    for size in _TEXT_SIZES:
        room = int((_TEXT_ROWS - 2 * _MARGIN) / (_LINE_HEIGHT * size)) - others
        lines = [part for goal in goals for part in wrapped(goal, partial(fits, size, width))]
        if len(lines) <= room:
            return size, tuple(lines)
    return size, (*lines[: room - 1], "...")
