"""Tasks of the evaluation (4.2): a game, in a world that has all that it needs."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from procgen_bench.tasks.xland.evaluation.games import check_evaluation_game, game_like
from procgen_bench.tasks.xland.evaluation.packing import quantised
from procgen_bench.tasks.xland.evaluation.worlds import any_evaluation_tiles, furnish
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.hold_out import Taken
from procgen_bench.tasks.xland.task import XLandTask
from procgen_bench.tasks.xland.worlds.generation import NoWorldError
from procgen_bench.tasks.xland.worlds.validity import is_valid
from procgen_bench.tasks.xland.worlds.world import World


def evaluation_task(
    rng: np.random.Generator, game: Game, tiles: Iterator[World], is_taken: Callable[[World], bool]
) -> XLandTask:
    """The game in the next world that is not taken, has room for it and is valid as kept; ``tiles`` never end."""
    check_evaluation_game(game)
    for world in tiles:
        if is_taken(world):
            continue
        try:
            task = XLandTask(quantised(furnish(rng, world, game)), game)
        except NoWorldError:
            continue
        if is_valid(task.validate):  # rounding may put a number out of its range, the light's angle above all
            return task
    raise AssertionError("tiles never end")


def task_like(task: XLandTask, rng: np.random.Generator, taken: Taken) -> XLandTask:
    """A task like one of the evaluation: of its bucket, size and co-players, its game and its world not ``taken``."""
    game = game_like(rng, task.game, taken)
    new = evaluation_task(rng, game, any_evaluation_tiles(rng), taken.has_world)
    return replace(new, co_players=task.co_players)
