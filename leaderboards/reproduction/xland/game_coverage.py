"""Figure 35: which competitiveness and balance games have that are drawn naively, and by local search (A.2.3)."""

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from procgen_bench.leaderboards.reproduction.measured import KeyNumber, waiting
from procgen_bench.tasks.xland.games.generation import MAX_CONJUNCTIONS, MAX_OPTIONS, generate_game, sample_game
from procgen_bench.tasks.xland.games.properties import competitiveness_and_balance

#: Targets along each axis; a game belongs to the cell of the nearest, at a border to the greater one.
TARGETS = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
_BORDERS = (TARGETS[1:] + TARGETS[:-1]) / 2
_HIGHEST = np.append(_BORDERS, 1.0)
#: Whether a game can be in a cell, bool (5, 5), by competitiveness, then balance: that is at least 1 - competitiveness.
POSSIBLE = _HIGHEST[:, None] + _HIGHEST > 1
POSSIBLE_TARGETS = tuple((TARGETS[i], TARGETS[j]) for i, j in np.argwhere(POSSIBLE))

_WAYS = {"sampled": "sampled naively", "searched": "local search"}


@dataclass(frozen=True)
class GameCoverage:
    """Games by their competitiveness and balance.

    Attributes:
        targets: Of both axes.
        sampled: int64 (5, 5), games drawn naively, by competitiveness, then balance.
        searched: int64 (5, 5), games by local search towards the targets of the possible cells in turn.
        fully_competitive: By way: float64 (3,), the part of its games of 1, 2 and 3 options whose competitiveness is 1.
        missed: Mean distance of the searched games from their targets.
    """

    targets: np.ndarray
    sampled: np.ndarray
    searched: np.ndarray
    fully_competitive: dict[str, np.ndarray]
    missed: float

    def key_numbers(self) -> list[KeyNumber]:
        """How many cells have a game, and how evenly."""
        numbers = [KeyNumber("games of each way", f"{self.sampled.sum():,}")]
        for name, way in _WAYS.items():
            counts = getattr(self, name)
            competitive = ", ".join(f"{part:.1%}" for part in self.fully_competitive[name])
            expected = "almost none" if name == "sampled" else ""
            numbers += [
                KeyNumber(f"{way}: cells with a game", f"{(counts > 0).sum()} of {POSSIBLE.sum()}"),
                KeyNumber(f"{way}: games in the fullest cell", f"{counts.max() / counts.sum():.1%}"),
                KeyNumber(f"{way}: fully competitive games of 1, 2, 3 options", competitive, expected),
            ]
        return [*numbers, KeyNumber("local search: mean distance from the target", f"{self.missed:.3f}")]

    def draw(self) -> Figure:
        """Two heat maps on one scale."""
        picture = Figure(figsize=(9.5, 4.8), layout="constrained")
        panels = picture.subplots(1, len(_WAYS))
        most = max(self.sampled.max(), self.searched.max())
        for axes, (name, way) in zip(panels, _WAYS.items()):
            image = _draw_cells(axes, getattr(self, name), most)
            axes.set(xlabel="competitiveness", ylabel="balance", title=way)
        picture.colorbar(image, ax=panels, label="games", shrink=0.8)
        return picture


def measure_coverage(samples: int, rng: np.random.Generator) -> GameCoverage:
    """Draw ``samples`` games of two players in each way, of as many options and conjunctions as chance decides."""
    sizes, sampled, searched, targets = [], [], [], []
    for number in waiting(range(samples), "game"):
        sizes.append((int(rng.integers(1, MAX_OPTIONS + 1)), int(rng.integers(1, MAX_CONJUNCTIONS + 1))))
        targets.append(POSSIBLE_TARGETS[number % len(POSSIBLE_TARGETS)])
        sampled.append(sample_game(rng, *sizes[-1]))
        searched.append(generate_game(rng, *sizes[-1], *targets[-1]))
    measured = {"sampled": competitiveness_and_balance(sampled), "searched": competitiveness_and_balance(searched)}
    return GameCoverage(
        targets=TARGETS,
        **{name: cell_counts(of_way) for name, of_way in measured.items()},
        fully_competitive={name: _competitive_by_options(sizes, of_way[:, 0]) for name, of_way in measured.items()},
        missed=float(np.linalg.norm(measured["searched"] - np.array(targets), axis=1).mean()),
    )


def cell_counts(measured: np.ndarray) -> np.ndarray:
    """Games in each cell, int64 (5, 5), from their competitiveness and balance, float64 (N, 2)."""
    counts = np.zeros((len(TARGETS), len(TARGETS)), np.int64)
    np.add.at(counts, tuple(np.searchsorted(_BORDERS, measured.T, side="right")), 1)
    return counts


def _competitive_by_options(sizes: list[tuple[int, int]], competitiveness: np.ndarray) -> np.ndarray:
    """The part that is fully competitive of the games of each number of options; not a number where there are none."""
    options = np.array(sizes)[:, 0]
    full = [competitiveness[options == number] == 1 for number in range(1, MAX_OPTIONS + 1)]
    return np.array([found.mean() if len(found) else np.nan for found in full])


def _draw_cells(axes: Axes, counts: np.ndarray, most: int) -> AxesImage:
    image = axes.imshow(np.ma.array(counts, mask=~POSSIBLE).T, origin="lower", cmap="viridis", vmin=0, vmax=most)
    for (i, j), count in np.ndenumerate(counts):
        if POSSIBLE[i, j]:
            colour = "black" if count > 0.6 * most else "white"
            axes.text(i, j, f"{count:,}", ha="center", va="center", color=colour)
        else:
            axes.fill_between([i - 0.5, i + 0.5], j - 0.5, j + 0.5, facecolor="0.93", hatch="//", edgecolor="0.7")
            axes.text(i, j, "impossible", ha="center", va="center", fontsize=6, color="0.35")
    axes.set_xticks(range(len(TARGETS)), [f"{target:g}" for target in TARGETS])
    axes.set_yticks(range(len(TARGETS)), [f"{target:g}" for target in TARGETS])
    return image
