"""Starts close to what goals speak of: the easy end of tasks, from which what is learned spreads to all others.

In drawn worlds in the small players begin 10 m (median) from the object that their goal names, 25 steps straight ahead,
and random play hardly ever comes there: with starts within 6 m a learner comes near objects after a tenth of the steps.
"""

from dataclasses import replace

import numpy as np

from procgen_bench.tasks.xland.entities import COLOURS, SHAPES
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.games.goal import Goal
from procgen_bench.tasks.xland.predicates.starts import met_at_the_start
from procgen_bench.tasks.xland.task import XLandTask
from procgen_bench.tasks.xland.worlds.validity import is_valid
from procgen_bench.tasks.xland.worlds.world import World

#: Least distance of a start from the object, and the least and greatest of the distances that starts are within,
#: metres: by drawing the latter first, short ways are more frequent than long ones.
LEAST_DISTANCE, REACHES = 1.0, (1.5, 6.0)
#: Places tried until the task is valid and nobody's goal is met.
_TRIALS = 10
#: Chance that a player begins turned to the object, and by how much at most it is turned away then (radians).
_TURNED, _AWAY = 0.5, 1.0


def brought_close(rng: np.random.Generator, world: World, game: Game) -> World:
    """The world with each player moved close to an object that its goal names, where one does.

    Args:
        rng: The random generator.
        world: A world that has all that the game names.
        game: Of as many players.

    Returns:
        A world with which the game is a valid task, and in which nobody's goal is met at the start; the given one
        where no such place is found.
    """
    objects = [named_objects(world, goal) for goal in game.goals]
    reach = rng.uniform(*REACHES)
    for _ in range(_TRIALS):
        positions, yaws = world.player_positions.copy(), world.player_yaws.copy()
        for player, named in enumerate(objects):
            if len(named):
                there = world.object_positions[rng.choice(named)]
                positions[player], yaw = beside(rng, there, LEAST_DISTANCE, reach, world.tile_size)
                yaws[player] = yaws[player] if yaw is None else yaw
        moved = replace(world, player_positions=positions, player_yaws=yaws)
        if is_valid(XLandTask(moved, game).validate) and not met_at_the_start(moved, game).any():
            return moved
    return world


def beside(
    rng: np.random.Generator, there: np.ndarray, least: float, most: float, tile_size: np.ndarray
) -> tuple[np.ndarray, float | None]:
    """A place in any direction from a position, and a yaw from which one sees it from there, more or less.

    Args:
        rng: The random generator.
        there: float64 (2,), tiles.
        least, most: Of the distance, metres.
        tile_size: float64 (3,), metres.

    Returns:
        float64 (2,), tiles; radians, or ``None`` in half of the cases: any yaw will do.
    """
    bearing, distance = rng.uniform(0, 2 * np.pi), rng.uniform(least, most)
    offset = np.array([np.cos(bearing), np.sin(bearing)]) * distance
    yaw = bearing - np.pi + rng.uniform(-_AWAY, _AWAY) if rng.random() < _TURNED else None
    return there + offset / tile_size[:2], yaw


def named_objects(world: World, goal: Goal) -> list[int]:
    """Places in the world of the objects that the goal names."""
    named = goal.objects
    kinds = zip(world.object_shapes.tolist(), world.object_colours.tolist())
    return [place for place, (shape, colour) in enumerate(kinds) if (SHAPES[shape], COLOURS[colour]) in named]
