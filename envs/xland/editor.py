"""XLand's worlds and goals, drawn by hand."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from procgen_bench.engine.level_editor import Layout, PictureEditor, Setting
from procgen_bench.envs.xland.colours import FLOOR_COLOURS, OBJECT_COLOURS, PLAYER_COLOURS
from procgen_bench.envs.xland.editor_map import draw_editor_map, map_layout
from procgen_bench.envs.xland.editor_things import (
    BLUE,
    moved_player,
    resized,
    with_object,
    without_things,
)
from procgen_bench.tasks.xland.co_players import CO_PLAYERS
from procgen_bench.tasks.xland.entities import COLOURS, FLOORS, GADGETS, PLAYERS, SHAPES
from procgen_bench.tasks.xland.games.atoms import ATOMS, ME, OPPONENT
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.games.goal import parse_goal
from procgen_bench.tasks.xland.task import XLandTask
from procgen_bench.tasks.xland.unsolved import why_unsolved
from procgen_bench.tasks.xland.worlds.text import read_fields
from procgen_bench.tasks.xland.worlds.tiles import NUM_LEVELS, OPPOSITE, SIDE_HEIGHTS, STEPS, TileKind
from procgen_bench.tasks.xland.worlds.validity import GREATEST_SIDE, LEAST_SIDE
from procgen_bench.tasks.xland.worlds.world import World

if TYPE_CHECKING:
    import gymnasium

_SIDE = 9
_LEVELS = tuple(f"level {level}" for level in range(NUM_LEVELS))
_KINDS = {kind: kind.name.lower().replace("_", " ", 1).replace("_", "-") for kind in TileKind}
_RAMPS, _DIAGONALS = (tuple(_KINDS[TileKind(kind)] for kind in kinds) for kinds in (range(1, 5), range(5, 9)))
_FLOORS = tuple(f"{floor} floor" for floor in FLOORS)
_OBJECTS = tuple(f"{colour} {shape}" for shape in SHAPES for colour in COLOURS)
_PLAYERS = tuple(f"{player} player" for player in PLAYERS)
_NOTHING = "nothing"
#: What stands for co-players whom the task does not name: each episode draws them.
_DRAWN = "drawn"
_QUARTER = math.pi / 2
_FACING = ("east", "north", "west", "south")
_SIDES = tuple(map(str, range(LEAST_SIDE, GREATEST_SIDE + 1)))


def _css(colour: tuple[int, int, int]) -> str:
    return f"rgb({', '.join(map(str, colour))})"


class XLandEditor(PictureEditor[XLandTask]):
    """The picture is a map with north at the top. Tiles are [row, column] from the south-west, as in errors.

    A level has one object of a shape and colour at most, and the blue player, who is player 1. Each further player has
    a goal and a co-player.
    """

    brushes: ClassVar = {
        "Tiles": (*_LEVELS, *_RAMPS, *_DIAGONALS),
        "Floors": _FLOORS,
        "Objects": _OBJECTS,
        "Players": (*_PLAYERS, _NOTHING),
    }
    swatches: ClassVar = {
        **{f"{floor} floor": _css(colour) for floor, colour in FLOOR_COLOURS.items()},
        **{f"{name} {shape}": _css(colour) for name, colour in OBJECT_COLOURS.items() for shape in SHAPES},
        **{f"{player} player": _css(colour) for player, colour in PLAYER_COLOURS.items()},
    }
    hint = (
        "A ramp rises towards the side it is named after, from the floor at its other side. A player that is drawn "
        "again on its tile turns by a quarter. The goal is the blue player's: alternatives (|) of predicates that hold "
        "together (&), each of which may be negated (~)."
    )

    def blank(self) -> XLandTask:
        """Flat, with the blue player in the south-west and no object, though the goal names one."""
        row = " ".join(["0."] * _SIDE)
        text = "\n".join([*[row] * _SIDE, f"{PLAYERS[BLUE]} player at 0.5 0.5"])
        return XLandTask(World(**read_fields(text)), Game((parse_goal("near(me,purple sphere)"),)))

    def layout(self, task: XLandTask) -> Layout:
        """The tiles of the map."""
        return map_layout(task.world)

    def picture(self, task: XLandTask, env: "gymnasium.Env") -> np.ndarray:
        """The map, uint8 (height, width, 3), also of a world that cannot be played."""
        return draw_editor_map(task.world)

    def painted(self, task: XLandTask, brush: int, column: int, row: int) -> XLandTask:
        """As :meth:`PictureEditor.painted`; what stood on a tile goes, but for the blue player."""
        name, world = self.brush_names()[brush], task.world
        row = world.shape[0] - 1 - row
        if name in _PLAYERS:
            return moved_player(task, _PLAYERS.index(name), row, column)
        if name in _OBJECTS:
            colour, shape = name.split()
            return with_object(task, SHAPES.index(shape), COLOURS.index(colour), row, column)
        if name == _NOTHING:
            return without_things(task, row, column)
        return replace(task, world=_with_tile(world, name, row, column))

    def label(self, task: XLandTask, column: int, row: int) -> str:
        """The tile's floor, and what stands there."""
        world = task.world
        row = world.shape[0] - 1 - row
        kind = TileKind(int(world.kinds[row, column]))
        words = [f"level {world.levels[row, column]}", f"{FLOORS[world.floors[row, column]]} floor"]
        if kind != TileKind.FLAT:
            words.insert(1, _KINDS[kind])
        for k in np.flatnonzero((world.object_positions.astype(int) == (column, row)).all(axis=1)):
            words.append(f"{COLOURS[world.object_colours[k]]} {SHAPES[world.object_shapes[k]]}")
        for p in np.flatnonzero((world.player_positions.astype(int) == (column, row)).all(axis=1)):
            facing = _FACING[round(float(world.player_yaws[p]) / _QUARTER) % len(_FACING)]
            words.append(f"{PLAYERS[world.player_colours[p]]} player facing {facing}")
        return ", ".join(words)

    def place_name(self, task: XLandTask, column: int, row: int) -> str:
        """The tile as errors name it, and as the numbers beside the map say."""
        return f"tile [{task.world.shape[0] - 1 - row}, {column}]"

    def settings(self, task: XLandTask) -> tuple[Setting, ...]:
        """The size, and every player's goal, gadget, and policy."""
        rows, columns = task.world.shape
        pieces = _atoms_in(task)
        found = [
            Setting("columns", str(columns), _SIDES, group="World"),
            Setting("rows", str(rows), _SIDES, group="World"),
        ]
        for number, goal in enumerate(task.game.goals):
            colour = PLAYERS[task.world.player_colours[number]]
            group = f"Player {number + 1}, {colour}"
            gadget = GADGETS[task.world.player_gadgets[number]]
            found += [
                Setting(f"{colour} goal", str(goal), pieces=pieces, group=group),
                Setting(f"{colour} gadget", gadget, GADGETS, group=group),
            ]
            if number:
                policy = task.co_players[number - 1] if task.co_players else _DRAWN
                found.append(Setting(f"{colour} co-player", policy, (_DRAWN, *CO_PLAYERS), group=group))
        return tuple(found)

    def chosen(self, task: XLandTask, setting: Setting, value: str) -> XLandTask:
        """The size, or something of a player; a goal is a text as :func:`parse_goal` reads it."""
        if setting.name in ("columns", "rows"):
            rows, columns = task.world.shape
            return resized(task, *((int(value), columns) if setting.name == "rows" else (rows, int(value))))
        colour, _, what = setting.name.partition(" ")
        number = task.world.player_colours.tolist().index(PLAYERS.index(colour))
        if what == "goal":
            goals = [*task.game.goals]
            goals[number] = parse_goal(value)
            return replace(task, game=Game(tuple(goals)))
        if what == "gadget":
            gadgets = task.world.player_gadgets.copy()
            gadgets[number] = GADGETS.index(value)
            return replace(task, world=replace(task.world, player_gadgets=gadgets))
        others = range(1, task.game.num_players)
        co_players = [*task.co_players] or [value for _ in others]
        co_players[number - 1] = value
        return replace(task, co_players=() if value == _DRAWN else tuple(co_players))

    def why_unsolvable(self, task: XLandTask) -> str:
        """See :func:`~procgen_bench.tasks.xland.unsolved.why_unsolved`."""
        return why_unsolved(task)


def _with_tile(world: World, name: str, row: int, column: int) -> World:
    """A world with a tile changed: its level, its kind, or the colour of its floor."""
    kinds, levels, floors = world.kinds.copy(), world.levels.copy(), world.floors.copy()
    if name in _FLOORS:
        floors[row, column] = _FLOORS.index(name)
        return replace(world, floors=floors)
    level, kind = int(levels[row, column]), TileKind.FLAT
    if name in _LEVELS:
        level = _LEVELS.index(name)
    elif name in _RAMPS:
        kind = TileKind(1 + _RAMPS.index(name))
        level = _foot_of_ramp(world, kind, row, column)
    else:
        kind = TileKind(5 + _DIAGONALS.index(name))
    level = level if kind == TileKind.FLAT else min(level, NUM_LEVELS - 2)
    kinds[row, column], levels[row, column], floors[row, column] = kind, level, level
    return replace(world, kinds=kinds, levels=levels, floors=floors)


def _foot_of_ramp(world: World, kind: TileKind, row: int, column: int) -> int:
    """The level from which a ramp rises: that of the floor at its lower side; at the border, that of the tile."""
    side = int(OPPOSITE[kind - TileKind.RAMP_NORTH])
    lower_row, lower_column = row + int(STEPS[side, 0]), column + int(STEPS[side, 1])
    if not (0 <= lower_row < world.shape[0] and 0 <= lower_column < world.shape[1]):
        return int(world.levels[row, column])
    lower_kind = int(world.kinds[lower_row, lower_column])
    return int(world.levels[lower_row, lower_column] + SIDE_HEIGHTS[lower_kind, OPPOSITE[side], 0])


def _atoms_in(task: XLandTask) -> tuple[str, ...]:
    """The predicates about what there is in a level."""
    world = task.world
    there = {ME} | ({OPPONENT} if task.game.num_players > 1 else set())
    there |= {f"{COLOURS[c]} {SHAPES[s]}" for s, c in zip(world.object_shapes, world.object_colours)}
    there |= {_FLOORS[floor] for floor in np.unique(world.floors)}
    return tuple(str(atom) for atom in ATOMS if there.issuperset(atom[1:]))
