"""Figure 7: how many games there are (3.2.1)."""

from dataclasses import dataclass
from math import log10

import numpy as np
from matplotlib.figure import Figure

from procgen_bench.leaderboards.reproduction.measured import KeyNumber
from procgen_bench.tasks.xland.games.bounds import games_lower_bound, games_upper_bound

#: The paper's example, from which one number at a time is varied.
EXAMPLE = {"options": 3, "atoms": 200, "conjunctions": 3}
#: Values of the number that varies; each of them allows the lower bound's atoms, all different.
VARIED = {
    "options": tuple(range(1, 7)),
    "atoms": (9, 12, 16, 20, 30, 50, 75, 100, 125, 150, 175, 200, 212),
    "conjunctions": tuple(range(1, 7)),
}
#: Players, and what is counted for them.
COUNTED = {1: "goals", 2: "games of two", 3: "games of three"}


@dataclass(frozen=True)
class GameCounts:
    """Bounds on the number of games.

    Attributes:
        values: By what varies, the values that it takes.
        log10_lower, log10_upper: By what varies: float64 (values, 3), for goals, games of two and games of three.
        example: log10 of both bounds in the paper's example, by what is counted.
    """

    values: dict[str, tuple[int, ...]]
    log10_lower: dict[str, np.ndarray]
    log10_upper: dict[str, np.ndarray]
    example: dict[str, tuple[float, float]]

    def key_numbers(self) -> list[KeyNumber]:
        """The paper's example."""
        return [
            KeyNumber(f"{counted}, 3 options of 3 of 200 atoms", f"10^{lower:.1f} to 10^{upper:.1f}")
            for counted, (lower, upper) in self.example.items()
        ]

    def draw(self) -> Figure:
        """A panel for each number that varies."""
        picture = Figure(figsize=(11.5, 4.4), layout="constrained")
        panels = picture.subplots(1, len(self.values), sharey=True)
        for axes, (name, values) in zip(panels, self.values.items()):
            lower, upper = self.log10_lower[name], self.log10_upper[name]
            for place, counted in enumerate(COUNTED.values()):
                axes.fill_between(values, lower[:, place], upper[:, place], alpha=0.15, color=f"C{place}", linewidth=0)
                axes.plot(values, upper[:, place], "v--", color=f"C{place}", markersize=3, label=f"{counted}, at most")
                axes.plot(values, lower[:, place], "^-", color=f"C{place}", markersize=3, label=f"{counted}, at least")
            axes.axvline(EXAMPLE[name], color="black", linewidth=0.8, linestyle=":", label="the paper's example")
            others = ", ".join(f"{number} {other}" for other, number in EXAMPLE.items() if other != name)
            axes.set(xlabel=f"number of {name}", title=others)
            axes.grid(alpha=0.3)
        panels[0].set(ylabel="number of goals or games (log10)", ylim=(0, None))
        panels[0].legend(fontsize=7, loc="upper left")
        return picture


def count_games() -> GameCounts:
    """Both bounds, varied from the paper's example."""
    settings = {name: [EXAMPLE | {name: value} for value in values] for name, values in VARIED.items()}
    lower, upper = (
        {
            name: np.array([[log10(bound(**setting, players=players)) for players in COUNTED] for setting in of_name])
            for name, of_name in settings.items()
        }
        for bound in (games_lower_bound, games_upper_bound)
    )
    example = {
        counted: (
            log10(games_lower_bound(**EXAMPLE, players=players)),
            log10(games_upper_bound(**EXAMPLE, players=players)),
        )
        for players, counted in COUNTED.items()
    }
    return GameCounts(VARIED, lower, upper, example)
