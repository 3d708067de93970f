"""Frames for people: what a player sees beside the map, and in words what it is after and how it goes.

They follow from the simulation alone.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from procgen_bench.envs.xland.observations import frozen_tints
from procgen_bench.envs.xland.raycaster import draw_players
from procgen_bench.envs.xland.rays.scenery import scenery
from procgen_bench.envs.xland.simulation import EPISODE_STEPS, XLandSimulation
from procgen_bench.envs.xland.views import draw_map, draw_third_person, fitting_map_height
from procgen_bench.rendering import wrapped
from procgen_bench.tasks.xland.entities import COLOURS, GADGETS, PLAYERS, SHAPES

FIRST_PERSON, THIRD_PERSON, MAP = "first person", "third person", "map"
VIEWS = (FIRST_PERSON, THIRD_PERSON, MAP)

#: Rays through a pixel, along either side: pictures must keep up with a person's play.
_OVERSAMPLING = 1
#: Rows and columns of a frame's first-person view; the map beside it is a square.
_VIEW_SHAPE = (360, 480)
_FONT_SIZE, _LINE_HEIGHT, _MARGIN = 15, 20, 10
_TEXT_COLOUR, _BACKGROUND = (236, 236, 240), (38, 40, 46)


def draw_frame(simulation: XLandSimulation, player: int = 0) -> np.ndarray:
    """A player's view, the map, and the caption below them: uint8 (rows, 840, 3).

    The number of rows follows from the game: the goals have as many lines as they need.
    """
    view = draw_view(simulation, FIRST_PERSON, _VIEW_SHAPE, player)
    beside = draw_view(simulation, MAP, (_VIEW_SHAPE[0], _VIEW_SHAPE[0]), player)
    pictures = np.concatenate([view, beside], axis=1)
    return np.concatenate([pictures, _strip(caption(simulation, player), pictures.shape[1])])


def draw_view(simulation: XLandSimulation, view: str, shape: tuple[int, int], player: int = 0) -> np.ndarray:
    """One of ``VIEWS``: uint8 (\\*shape, 3). The map is as large as fits, in the middle.

    Raises:
        ValueError: There is no such view.
    """
    states, scene, tints = simulation.states, scenery([simulation.task.world]), frozen_tints(simulation)
    if view == FIRST_PERSON:
        pictures = np.empty((1, player + 1, *shape, 3), np.uint8)
        return draw_players(states, scene, pictures, tints)[0, player]
    if view == THIRD_PERSON:
        return draw_third_person(states, scene, player=player, shape=shape, tints=tints, oversampling=_OVERSAMPLING)
    if view == MAP:
        return _fitted_map(states, scene, shape, tints)
    raise ValueError(f"view is {view!r}, expected one of {VIEWS}")


def caption(simulation: XLandSimulation, player: int = 0) -> tuple[str, ...]:
    """The goals of all players, then what ``player`` has and does."""
    goals = [
        f"{_name(simulation, p)}{' (you)' if p == player else ''}: {goal}"
        for p, goal in enumerate(simulation.task.game.goals)
    ]
    states = simulation.states
    (held,) = np.nonzero(states.held[0, player])
    holding = f"holds {_object_name(simulation, int(held[0]))}" if len(held) else "holds nothing"
    cooldown = int(simulation.players[player]["cooldown"])
    gadget = GADGETS[simulation.task.world.player_gadgets[player]]
    status = (
        f"{EPISODE_STEPS - simulation.steps} steps left",
        f"reward {simulation.rewards[player]:.0f}",
        holding if states.players_present[0, player] else "gone",
        f"{gadget}: {f'ready in {cooldown}' if cooldown else 'ready'}",
    )
    return (*goals, "   ".join(status))


def _name(simulation: XLandSimulation, player: int) -> str:
    return f"{PLAYERS[simulation.task.world.player_colours[player]]} player"


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


def _strip(lines: Sequence[str], width: int) -> np.ndarray:
    """Lines of text below each other, wrapped where they are too long: uint8 (rows, width, 3)."""
    font = _font()
    parts = [part for line in lines for part in wrapped(line, lambda text: font.getlength(text) <= width - 2 * _MARGIN)]
    height = len(parts) * _LINE_HEIGHT + 2 * _MARGIN
    strip = Image.new("RGB", (width, height + height % 2), _BACKGROUND)
    draw = ImageDraw.Draw(strip)
    for number, part in enumerate(parts):
        draw.text((_MARGIN, _MARGIN + number * _LINE_HEIGHT), part, _TEXT_COLOUR, font)
    return np.asarray(strip)


@cache
def _font() -> ImageFont.FreeTypeFont:
    return ImageFont.load_default(_FONT_SIZE)
