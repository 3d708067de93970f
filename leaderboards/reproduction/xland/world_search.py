"""Figure 6: few local mutations make a very different world (3.1.3)."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from procgen_bench.leaderboards.reproduction.measured import KeyNumber, waiting
from procgen_bench.leaderboards.reproduction.xland.world_gallery import PAPER, show_world
from procgen_bench.tasks.xland.worlds.generation import generate_world, mutate
from procgen_bench.tasks.xland.worlds.measures import (
    cauchy_schwarz_divergence,
    resistance_distribution,
    world_distance,
)
from procgen_bench.tasks.xland.worlds.world import World

#: Mutations in a row, how many are tried for each, and their strength: one or two of 81 tiles change.
MUTATIONS, TRIES, STRENGTH = 40, 8, 0.05
#: The measures that are drawn, by name, with their units.
MEASURES = {"divergence": "divergence of resistance distances", "distance": "distance of worlds (tiles that differ)"}
_SEARCHES = {
    "divergence": "search for divergence",
    "distance": "search for distance",
    "chance": "no search: any mutation",
}
#: Objects hide the topology, which alone is searched.
_OPTIONS: dict[str, Any] = {"objects": 0, "players": 1}


@dataclass(frozen=True)
class WorldSearch:
    """Searches from N worlds, by what they look for: "divergence", "distance", or "chance" for any mutation.

    Attributes:
        measured: By search, then by measure: float64 (N, mutations + 1), how far the world after so many mutations is
            from the first one.
        changed: Mean number of tiles that a mutation changes where any is taken.
        first: The first of the N worlds.
        last: By search: what has become of that world.
    """

    measured: dict[str, dict[str, np.ndarray]]
    changed: float
    first: World
    last: dict[str, World]

    def key_numbers(self) -> list[KeyNumber]:
        """Where the searches end."""
        numbers = [KeyNumber("tiles that a mutation changes (mean)", f"{self.changed:.1f}")]
        for measure, unit in MEASURES.items():
            for search in (measure, "chance"):
                ends = self.measured[search][measure][:, -1].mean()
                numbers.append(KeyNumber(f"{unit} after {MUTATIONS} mutations, {_SEARCHES[search]}", f"{ends:.3f}"))
        return numbers

    def draw(self) -> Figure:
        """Both measures by mutations, above the first and the last worlds."""
        picture = Figure(figsize=(10.8, 6.6), layout="constrained")
        halves: Any = picture.subfigures(2, 1, height_ratios=(1.35, 1))  # an array of subfigures
        above, below = halves
        for axes, (measure, unit) in zip(above.subplots(1, len(MEASURES)), MEASURES.items()):
            for colour, (search, label) in enumerate(_SEARCHES.items()):
                curves = self.measured[search][measure]
                axes.plot(curves.T, color=f"C{colour}", linewidth=0.5, alpha=0.35)
                axes.plot(curves.mean(axis=0), color=f"C{colour}", linewidth=2, label=f"{label} (mean)")
            axes.set(xlabel="local mutations", ylabel=unit, xlim=(0, MUTATIONS), ylim=(0, None))
            axes.grid(alpha=0.3)
            axes.legend(fontsize=7, loc="upper left")
        worlds = {"first world": self.first} | {f"last, {_SEARCHES[key]}": world for key, world in self.last.items()}
        below.set_facecolor(PAPER)
        for axes, (title, world) in zip(below.subplots(1, len(worlds)), worlds.items()):
            show_world(axes, world, title)
        return picture


def search_worlds(samples: int, rng: np.random.Generator) -> WorldSearch:
    """Search from ``samples`` worlds of 9 x 9 tiles in three ways."""
    firsts = [generate_world(rng, **_OPTIONS) for _ in range(samples)]
    trails: dict[str, list[list[World]]] = {search: [] for search in _SEARCHES}
    for first in waiting(firsts, "world"):
        for search in _SEARCHES:
            trails[search].append(_climb(first, rng, search))
    measured = {
        search: {
            measure: np.array([[_MEASURED[measure](trail[0], world) for world in trail] for trail in of_search])
            for measure in MEASURES
        }
        for search, of_search in trails.items()
    }
    steps = [world_distance(*pair) * pair[0].kinds.size for trail in trails["chance"] for pair in pairwise(trail)]
    last = {search: of_search[0][-1] for search, of_search in trails.items()}
    return WorldSearch(measured, float(np.mean(steps)), firsts[0], last)


def _climb(first: World, rng: np.random.Generator, search: str) -> list[World]:
    """The worlds on the way: after each mutation the best of those tried, or the old one if none is better."""
    trail = [first]
    for _ in range(MUTATIONS):
        if search == "chance":
            trail.append(mutate(trail[-1], rng, STRENGTH, **_OPTIONS))
        else:
            tried = [trail[-1], *(mutate(trail[-1], rng, STRENGTH, **_OPTIONS) for _ in range(TRIES))]
            trail.append(max(tried, key=lambda world: _MEASURED[search](first, world)))
    return trail


def _divergence(first: World, world: World) -> float:
    return cauchy_schwarz_divergence(resistance_distribution(first), resistance_distribution(world))


_MEASURED: dict[str, Callable[[World, World], float]] = {"divergence": _divergence, "distance": world_distance}
