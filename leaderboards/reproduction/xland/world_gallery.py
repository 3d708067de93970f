"""Figure 5: worlds of many kinds (3.1.3)."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from procgen_bench.envs.xland.colours import BACKGROUND_COLOUR
from procgen_bench.envs.xland.isometric import draw_world
from procgen_bench.leaderboards.reproduction.measured import DOTS_PER_INCH, KeyNumber, waiting
from procgen_bench.tasks.xland.worlds.generation import generate_world
from procgen_bench.tasks.xland.worlds.measures import renyi_entropy, shortest_path_distribution
from procgen_bench.tasks.xland.worlds.states import TileWeights
from procgen_bench.tasks.xland.worlds.topology import playable_tiles
from procgen_bench.tasks.xland.worlds.world import World

_COLUMNS = 4
_INCHES = 2.7
#: Colour of the paper around worlds, that of their pictures.
PAPER = (BACKGROUND_COLOUR[0] / 255, BACKGROUND_COLOUR[1] / 255, BACKGROUND_COLOUR[2] / 255)


class Recipe(NamedTuple):
    """What makes a world: its title, its size in tiles, and the options of the generator."""

    title: str
    width: int
    height: int
    options: dict


_MAZE = TileWeights(ramp=0.0, diagonal=0.0, levels=(5, 0, 4, 0, 0, 0), coherence=1.5)
_RANDOM = TileWeights(coherence=1.0)
RECIPES = (
    Recipe("9 x 9, as it comes", 9, 9, {}),
    Recipe("5 x 5", 5, 5, {"objects": 4, "players": 1}),
    Recipe("15 x 15", 15, 15, {}),
    Recipe("15 x 6, three players", 15, 6, {"players": 3}),
    Recipe("open room: max_level 0", 9, 9, {"max_level": 0}),
    Recipe("max_level 2, floors by region", 9, 9, {"max_level": 2, "floors": "region"}),
    Recipe("symmetry 1", 10, 10, {"symmetry": 1.0}),
    Recipe("coherence 1: tiles at random", 9, 9, {"weights": _RANDOM, "objects": 4, "playable": 0.2}),
    Recipe("coherence 200: broad terraces", 11, 11, {"weights": TileWeights(coherence=200.0)}),
    Recipe("levels 0 and 2, no ramps: a maze", 13, 13, {"weights": _MAZE, "playable": 0.4}),
    Recipe("ramp 40: slopes", 11, 11, {"weights": TileWeights(ramp=40.0)}),
    Recipe("diagonal 12: cut corners", 11, 11, {"weights": TileWeights(diagonal=12.0)}),
)


@dataclass(frozen=True)
class WorldGallery:
    """Generated worlds.

    Attributes:
        titles: What made each.
        worlds: The worlds.
        playable: The part of each world's tiles that is playable.
        entropies: Renyi's quadratic entropy of each world's shortest paths.
    """

    titles: list[str]
    worlds: list[World]
    playable: list[float]
    entropies: list[float]

    def key_numbers(self) -> list[KeyNumber]:
        """What the worlds' topologies are like."""
        return [
            KeyNumber(title, f"{playable:.0%} playable, path entropy {entropy:.2f}")
            for title, playable, entropy in zip(self.titles, self.playable, self.entropies)
        ]

    def draw(self) -> Figure:
        """The worlds, four in a row."""
        rows = math.ceil(len(self.worlds) / _COLUMNS)
        picture = Figure(
            figsize=(_INCHES * _COLUMNS, _INCHES * 0.93 * rows + 0.5), facecolor=PAPER, layout="constrained"
        )
        panels = picture.subplots(rows, _COLUMNS, squeeze=False).ravel()
        for panel in panels:
            panel.set_axis_off()
        for panel, title, world in zip(panels, self.titles, self.worlds):
            show_world(panel, world, title)
        return picture


def show_world(axes: Axes, world: World, title: str) -> None:
    """Draw a world into a panel."""
    axes.set_axis_off()
    axes.set_anchor("N")
    axes.imshow(draw_world(world, int(_INCHES * DOTS_PER_INCH)))
    axes.set_title(title, fontsize=8)


def generate_gallery(samples: int, rng: np.random.Generator) -> WorldGallery:
    """So many worlds, the recipes in turn."""
    recipes = [RECIPES[number % len(RECIPES)] for number in range(samples)]
    worlds = [generate_world(rng, made.width, made.height, **made.options) for made in waiting(recipes, "world")]
    return WorldGallery(
        [made.title for made in recipes],
        worlds,
        [float(playable_tiles(world.kinds, world.levels).mean()) for world in worlds],
        [renyi_entropy(shortest_path_distribution(world)) for world in worlds],
    )
