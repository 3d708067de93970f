"""Figure 14: all percentiles of normalised scores over training, in held-out games of the small (6.2)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from procgen_bench.baselines.training.normalised_scores import score_percentiles
from procgen_bench.leaderboards.reproduction.measured import KeyNumber, waiting
from procgen_bench.leaderboards.reproduction.xland.matches import listed, names_of
from procgen_bench.leaderboards.reproduction.xland.playing import load_player
from procgen_bench.leaderboards.reproduction.xland.validation_scores import draw_validation_tasks

#: Percentiles of the surface.
LEVELS = tuple(range(5, 100, 5))


@dataclass(frozen=True)
class LearningSurface:
    """How normalised scores are distributed over tasks, by checkpoint.

    Attributes:
        names: Of the checkpoints, the earliest first.
        surface: float64 (K, 19), percentiles of normalised scores over tasks, by :data:`LEVELS`, cut at 1.
    """

    names: list[str]
    surface: np.ndarray

    def key_numbers(self) -> list[KeyNumber]:
        """Some percentiles over training, and from which one on scores are above 0."""
        begins = [min((level for level, score in zip(LEVELS, row) if score > 0), default=100) for row in self.surface]
        return [
            KeyNumber(
                "lowest percentile above 0", ", ".join(f"{name} {level}" for name, level in zip(self.names, begins))
            ),
            *(
                KeyNumber(f"percentile {level}", listed(self.names, self.surface[:, LEVELS.index(level)]), paper)
                for level, paper in ((10, "rises to 0.82"), (50, "rises to 1.12, uncut"), (75, ""), (90, ""))
            ),
        ]

    def draw(self) -> Figure:
        """Checkpoints from left to right, percentiles from below; scores as colours, with lines of equal ones."""
        picture = Figure(figsize=(max(2.4 + 0.6 * len(self.names), 7.0), 4.6), layout="constrained")
        panel = picture.subplots()
        places = np.arange(len(self.names))
        shown = panel.pcolormesh(places, LEVELS, self.surface.T, vmin=0, vmax=1, cmap="viridis", shading="nearest")
        lines = panel.contour(places, LEVELS, self.surface.T, levels=(0.25, 0.5, 0.75), colors="w", linewidths=0.8)
        panel.clabel(lines, fontsize=7)
        panel.set_xticks(places, self.names, fontsize=7, rotation=45, ha="right")
        panel.set(xlabel="checkpoint", ylabel="percentile of tasks")
        picture.colorbar(shown, ax=panel, label="normalised score")
        return picture


def measure_learning_surface(samples: int, rng: np.random.Generator, policies: Sequence[str]) -> LearningSurface:
    """Play ``samples`` tasks of the suite, two episodes each, with every checkpoint; the same for all.

    Raises:
        InvalidOptionError: The suite has fewer tasks.
    """
    drawn, rows = draw_validation_tasks(samples, rng, 14), []
    for source in waiting(policies, "checkpoint"):
        returns, _ = drawn.play(load_player(source))
        scores = score_percentiles(returns, drawn.best, LEVELS)
        rows.append([scores[f"percentile_{level}"] for level in LEVELS])
    return LearningSurface(names_of(policies), np.array(rows))
