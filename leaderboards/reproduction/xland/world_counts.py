"""Figure 3: how many worlds there are, by their size (3.1.1, A.1.2)."""

from dataclasses import dataclass
from math import log10

import numpy as np
from matplotlib.figure import Figure
from scipy.stats import beta

from procgen_bench.leaderboards.reproduction.measured import KeyNumber, waiting
from procgen_bench.tasks.xland.worlds.counting import count_worlds

#: Sides of the square worlds that are counted, and the side that the paper speaks of.
SIDES = tuple(range(1, 16))
_PAPER_SIDE, _PAPER_LOG10 = 9, 16


@dataclass(frozen=True)
class WorldCounts:
    """Bounds on the number of square worlds, arrays (sides,).

    Attributes:
        sides: int64, tiles.
        sampled: Random grids for each side.
        connected: int64, how many of them were strongly connected.
        log10_lower, log10_lower_unique, log10_upper: float64; the second counts reflections and rotations as one world.
            Minus infinity where no grid was connected.
    """

    sides: np.ndarray
    sampled: int
    connected: np.ndarray
    log10_lower: np.ndarray
    log10_lower_unique: np.ndarray
    log10_upper: np.ndarray

    def key_numbers(self) -> list[KeyNumber]:
        """Both bounds at the size that the paper speaks of, and how far sampling reaches."""
        place = int(np.flatnonzero(self.sides == _PAPER_SIDE)[0])
        last = self.sides[self.connected > 0].max()
        return [
            KeyNumber("9 x 9 worlds, at least", _power(self.log10_lower[place])),
            KeyNumber("the same, unique up to 8 symmetries", _power(self.log10_lower_unique[place]), "over 10^16"),
            KeyNumber("9 x 9 worlds, at most", _power(self.log10_upper[place])),
            KeyNumber("connected grids of 9 x 9", f"{self.connected[place]:,} of {self.sampled:,}"),
            KeyNumber("greatest side with a connected grid", str(last), "table 1: up to 14"),
        ]

    def draw(self) -> Figure:
        """Bounds, and the chance behind the lower one."""
        picture = Figure(figsize=(10, 4.4), layout="constrained")
        bounds, chance = picture.subplots(1, 2)
        counted = self.connected > 0
        bounds.fill_between(self.sides[counted], self.log10_lower[counted], self.log10_upper[counted], alpha=0.12)
        bounds.plot(self.sides, self.log10_upper, "v-", markersize=4, label="upper bound")
        bounds.plot(self.sides[counted], self.log10_lower[counted], "^-", markersize=4, label="lower bound")
        unique = self.log10_lower_unique[counted]
        bounds.plot(self.sides[counted], unique, "--", linewidth=1, label="lower bound, symmetries as one")
        bounds.plot(_PAPER_SIDE, _PAPER_LOG10, "*", color="black", markersize=9, label="paper: over 10^16 at 9 x 9")
        bounds.set(xlabel="side of a square world (tiles)", ylabel="number of worlds (log10)", ylim=(0, None))
        bounds.legend(fontsize=8)
        low, share, high = self._chances()
        chance.errorbar(
            self.sides[counted], share[counted], [(share - low)[counted], (high - share)[counted]], fmt="o", capsize=3
        )
        if not counted.all():
            chance.plot(self.sides[~counted], high[~counted], "v", color="C3", label="none sampled; 95 % sure: below")
            chance.legend(fontsize=8)
        chance.set(xlabel="side of a square world (tiles)", ylabel="random levels that are connected", yscale="log")
        chance.yaxis.set_major_formatter(lambda share, _: f"{np.format_float_positional(100 * share, 6, trim='-')} %")
        for axes in (bounds, chance):
            axes.set_xticks(self.sides[::2])
            axes.grid(alpha=0.3)
        return picture

    def _chances(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The share of connected grids, within its exact 95 % interval (Clopper and Pearson)."""
        missed = self.sampled - self.connected
        low = np.where(self.connected > 0, beta.ppf(0.025, np.maximum(self.connected, 1), missed + 1), 0.0)
        high = np.where(missed > 0, beta.ppf(0.975, self.connected + 1, np.maximum(missed, 1)), 1.0)
        return low, self.connected / self.sampled, high


def count_by_size(samples: int, rng: np.random.Generator) -> WorldCounts:
    """Count square worlds of all sides by ``samples`` random grids each."""
    counts = [count_worlds(side, side, samples, rng=rng) for side in waiting(SIDES, "size")]
    return WorldCounts(
        np.array(SIDES),
        samples,
        np.array([count.connected for count in counts]),
        np.array([count.log10_lower for count in counts]),
        np.array([log10(count.lower_unique) if count.lower_unique else -np.inf for count in counts]),
        np.array([count.log10_upper for count in counts]),
    )


def _power(log10: float) -> str:
    return f"10^{log10:.1f}" if np.isfinite(log10) else "0"
