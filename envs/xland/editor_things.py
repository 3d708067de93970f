"""What stands in a drawn world, and who: put there, moved and taken away, with the goals that players bring."""

import math
from dataclasses import fields, replace
from typing import Any

import numpy as np

from procgen_bench.tasks.xland.entities import PLAYERS
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.task import XLandTask
from procgen_bench.tasks.xland.worlds.bodies import LATENT_SIZE
from procgen_bench.tasks.xland.worlds.text import DEFAULTS
from procgen_bench.tasks.xland.worlds.world import World

#: Player 1, whom every world has.
BLUE = PLAYERS.index("blue")
#: Who plays a further player, until another one is chosen.
_CO_PLAYER = "noop"
_TURN = math.pi / 2


def with_object(task: XLandTask, shape: int, colour: int, row: int, column: int) -> XLandTask:
    """The object of this shape and colour in the middle of a tile, and nowhere else."""
    task = without_things(task, row, column)
    if _is_there(task.world, "player", row, column).any():
        return task
    world = task.world
    same = (world.object_shapes == shape) & (world.object_colours == colour)
    thing = {"shapes": shape, "colours": colour, "sizes": DEFAULTS["size"]} | _standing(row, column)
    return replace(task, world=_added(_kept(world, "object", ~same), "object", thing))


def moved_player(task: XLandTask, colour: int, row: int, column: int) -> XLandTask:
    """A player in the middle of a tile, where others than the blue one make room; there already, it turns left."""
    world = task.world
    same = world.player_colours == colour
    there = _is_there(world, "player", row, column)
    if (same & there).any():
        yaws = np.where(same, (world.player_yaws + _TURN) % (2 * math.pi), world.player_yaws)
        return replace(task, world=replace(world, player_yaws=yaws))
    if colour != BLUE and world.player_colours[there].tolist() == [BLUE]:
        return task
    task = without_things(task, row, column)
    world, same = task.world, task.world.player_colours == colour
    if same.any():
        positions = np.where(same[:, None], (column + 0.5, row + 0.5), world.player_positions)
        return replace(task, world=replace(world, player_positions=positions))
    return _with_new_player(task, colour, row, column)


def without_things(task: XLandTask, row: int, column: int) -> XLandTask:
    """Nothing on a tile, but for the blue player, if it is there.

    Raises:
        InvalidTaskError: A goal names an opponent, and the last one would go.
    """
    world = _kept(task.world, "object", ~_is_there(task.world, "object", row, column))
    stays = (world.player_colours == BLUE) | ~_is_there(world, "player", row, column)
    goals = tuple(goal for goal, kept in zip(task.game.goals, stays) if kept)
    co_players = tuple(name for name, kept in zip(task.co_players, stays[1:]) if kept)
    return replace(task, world=_kept(world, "player", stays), game=Game(goals), co_players=co_players)


def resized(task: XLandTask, rows: int, columns: int) -> XLandTask:
    """The world with so many tiles, from its south-west; what is new is flat, and what stood outside is gone."""
    world = task.world
    for row, column in np.ndindex(world.shape):
        if row >= rows or column >= columns:
            task = without_things(task, row, column)
    world = task.world
    tiles = {}
    for name in ("kinds", "levels", "floors"):
        old = getattr(world, name)[:rows, :columns]
        tiles[name] = np.zeros((rows, columns), old.dtype)
        tiles[name][: old.shape[0], : old.shape[1]] = old
    inside = np.minimum(world.player_positions, (columns - 0.5, rows - 0.5))  # the blue one stays
    return replace(task, world=replace(world, player_positions=inside, **tiles))


def _with_new_player(task: XLandTask, colour: int, row: int, column: int) -> XLandTask:
    """One more player, with the goal that the blue one has; players are in the order of their colours."""
    world = _added(task.world, "player", {"colours": colour, "gadgets": 0} | _standing(row, column))
    world = _kept(world, "player", np.argsort(world.player_colours))
    number = world.player_colours.tolist().index(colour)
    goals, co_players = [*task.game.goals], [*task.co_players]
    goals.insert(number, goals[0])
    if co_players or len(goals) == 2:  # else they are drawn, and so is this one
        co_players.insert(number - 1, _CO_PLAYER)
    return replace(task, world=world, game=Game(tuple(goals)), co_players=tuple(co_players))


def _is_there(world: World, thing: str, row: int, column: int) -> np.ndarray:
    """Which objects or players stand on a tile: bool (K,)."""
    return (getattr(world, f"{thing}_positions").astype(np.int64) == (column, row)).all(axis=1)


def _standing(row: int, column: int) -> dict[str, Any]:
    """Where something stands in the middle of a tile."""
    return {"positions": (column + 0.5, row + 0.5), "yaws": 0.0, "latents": np.zeros(LATENT_SIZE)}


def _kept(world: World, thing: str, which: np.ndarray) -> World:
    """The world with these objects or players (a mask, or places in order)."""
    names = [field.name for field in fields(world) if field.name.startswith(f"{thing}_")]
    return replace(world, **{name: getattr(world, name)[which] for name in names})


def _added(world: World, thing: str, values: dict[str, Any]) -> World:
    """The world with one more object or player; ``values`` has every field."""
    grown = {}
    for name, value in values.items():
        old = getattr(world, f"{thing}_{name}")
        grown[f"{thing}_{name}"] = np.concatenate([old, np.asarray(value, old.dtype)[None]])
    return replace(world, **grown)
