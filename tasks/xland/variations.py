"""Variations of a task: the same but for objects' colours, rotation and reflection, which no hold-out tells apart."""

from dataclasses import replace

import numpy as np

from procgen_bench.tasks.xland.entities import COLOURS, GOAL_SHAPES, SHAPES
from procgen_bench.tasks.xland.games.recolouring import RECOLOURINGS, recolour_game
from procgen_bench.tasks.xland.task import XLandTask
from procgen_bench.tasks.xland.worlds.symmetry import SYMMETRIES, moved_world
from procgen_bench.tasks.xland.worlds.world import World


def any_variation(task: XLandTask, rng: np.random.Generator) -> XLandTask:
    """The task in one of the 216 recolourings and eight reflections and rotations, each equally likely.

    One in 1,728 is the task itself, and more are where it names or holds nothing that they change.
    """
    recolouring, form = int(rng.integers(len(RECOLOURINGS))), int(rng.integers(SYMMETRIES))
    world = moved_world(_recoloured_world(task.world, recolouring), form)
    return replace(task, world=world, game=recolour_game(task.game, recolouring))


def _recoloured_world(world: World, recolouring: int) -> World:
    """The world with its objects in other colours; slabs, which no game speaks of, keep theirs."""
    becomes = np.tile(np.arange(len(COLOURS), dtype=np.int8), (len(SHAPES), 1))
    for shape, name in enumerate(GOAL_SHAPES):
        for colour, colour_name in enumerate(COLOURS):
            new = RECOLOURINGS[recolouring][f"{colour_name} {name}"]
            becomes[shape, colour] = COLOURS.index(new.partition(" ")[0])
    return replace(world, object_colours=becomes[world.object_shapes, world.object_colours])
