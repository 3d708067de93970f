"""Figure 4: worlds that differ little are walked alike (3.1.2, A.1.3)."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from matplotlib.figure import Figure

from procgen_bench.leaderboards.reproduction.measured import KeyNumber, waiting
from procgen_bench.leaderboards.reproduction.xland.lipschitz import MOST, draw_bound, lipschitz_constant
from procgen_bench.tasks.xland.worlds.generation import generate_world, mutate
from procgen_bench.tasks.xland.worlds.measures import (
    cauchy_schwarz_divergence,
    renyi_entropy,
    resistance_distribution,
    shortest_path_distribution,
    world_distance,
)
from procgen_bench.tasks.xland.worlds.projection import fit_projection

#: Strengths of the mutations of every world, which make its family: the world and these.
STRENGTHS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4)
#: The pairs of a family, by place.
PAIRS = tuple(combinations(range(len(STRENGTHS) + 1), 2))
#: Points nearest to a point in the plane, whose entropies are compared with its own.
NEIGHBOURS = 8
#: What is compared, with its name.
_DISTRIBUTIONS = {"shortest paths": shortest_path_distribution, "resistance distances": resistance_distribution}


@dataclass(frozen=True)
class Walks:
    """What a distribution of distances tells of N families of M worlds.

    Attributes:
        divergences: float64 (N, pairs), Cauchy-Schwarz divergence of the worlds of a pair.
        entropies: float64 (N M,), Renyi's quadratic entropy.
        points: float64 (N M, 2), the worlds' linear projection that is fitted to the entropies, its centre at 0.
        bias: The entropy that the projection has at its centre.
    """

    divergences: np.ndarray
    entropies: np.ndarray
    points: np.ndarray
    bias: float


@dataclass(frozen=True)
class WorldSmoothness:
    """Distances of worlds, and how their walks differ.

    Attributes:
        distances: float64 (N, pairs), the fraction of tiles that differ.
        walks: By the name of the distribution.
    """

    distances: np.ndarray
    walks: dict[str, Walks]

    def key_numbers(self) -> list[KeyNumber]:
        """Lipschitz constants, and how well entropy shows in the plane."""
        numbers = [KeyNumber("pairs of worlds", f"{self.distances.size:,}")]
        for name, walks in self.walks.items():
            bounds = [lipschitz_constant(self.distances, walks.divergences, share) for share in (1.0, MOST)]
            fitted = correlation(np.linalg.norm(walks.points, axis=1), np.abs(walks.entropies - walks.bias))
            alike = correlation(neighbour_means(walks.points, walks.entropies), walks.entropies)
            numbers += [
                KeyNumber(f"{name}: divergence per distance, at most", f"{bounds[0]:.2f}", "some L"),
                KeyNumber(f"{name}: the same of {MOST:.0%} of pairs", f"{bounds[1]:.2f}"),
                KeyNumber(f"{name}: entropy and distance from the centre, correlation", f"{fitted:.2f}"),
                KeyNumber(f"{name}: entropy and that of neighbours, correlation", f"{alike:.2f}", "smooth"),
            ]
        return numbers

    def draw(self) -> Figure:
        """A column for each distribution: the bound above, the plane below."""
        picture = Figure(figsize=(9.5, 8.2), layout="constrained")
        axes = picture.subplots(2, len(self.walks), squeeze=False)
        for (above, below), (name, walks) in zip(axes.T, self.walks.items()):
            draw_bound(above, self.distances.ravel(), walks.divergences.ravel())
            above.set(xlabel="distance of worlds (tiles that differ)", ylabel="Cauchy-Schwarz divergence", title=name)
            low, high = np.quantile(walks.entropies, (0.02, 0.98))
            colours = {"c": walks.entropies, "cmap": "viridis", "vmin": low, "vmax": high}
            dots = below.scatter(*walks.points.T, s=14, linewidths=0, **colours)
            below.plot(0, 0, "+", color="C3", markersize=9, label="centre")
            below.set(xlabel="linear projection, x", ylabel="y", aspect="equal", adjustable="datalim")
            below.legend(fontsize=7)
            picture.colorbar(dots, ax=below, label=f"Renyi entropy of {name}", extend="both")
        return picture


def measure_world_smoothness(samples: int, rng: np.random.Generator, iterations: int = 30_000) -> WorldSmoothness:
    """Mutate ``samples`` worlds of 9 x 9 tiles, and fit the projections in so many ``iterations``."""
    families = []
    for _ in waiting(range(samples), "world"):
        world = generate_world(rng)
        families.append([world, *(mutate(world, rng, strength) for strength in STRENGTHS)])
    distances = [[world_distance(family[one], family[other]) for one, other in PAIRS] for family in families]
    worlds = [world for family in families for world in family]
    walks = {}
    for name, distribution in waiting(_DISTRIBUTIONS.items(), "distribution"):
        found = [[distribution(world) for world in family] for family in families]
        divergences = [[cauchy_schwarz_divergence(of[one], of[other]) for one, other in PAIRS] for of in found]
        entropies = np.array([renyi_entropy(each) for of in found for each in of])
        projection = fit_projection(worlds, entropies, rng, iterations=iterations)
        points = projection.project(worlds) - projection.centre
        walks[name] = Walks(np.array(divergences), entropies, points, projection.bias)
    return WorldSmoothness(np.array(distances), walks)


def neighbour_means(points: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Mean of the values, float64 (N,), of the points that are nearest to each of ``points``, float64 (N, 2)."""
    distances = np.linalg.norm(points[:, None] - points, axis=-1)
    np.fill_diagonal(distances, np.inf)
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :NEIGHBOURS]
    return values[nearest].mean(axis=1)


def correlation(first: np.ndarray, second: np.ndarray) -> float:
    """Pearson's correlation of two arrays, both float64 (N,)."""
    return float(np.corrcoef(first, second)[0, 1])
