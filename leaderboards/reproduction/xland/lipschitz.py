"""How fast a property may change with a distance: the empirical Lipschitz constant, and its picture."""

import numpy as np
from matplotlib.axes import Axes

#: Share of pairs that the second line holds.
MOST = 0.95


def slopes(distances: np.ndarray, changes: np.ndarray) -> np.ndarray:
    """Change per distance of all pairs that differ, float64 (pairs,)."""
    differ = distances > 0
    return changes[differ] / distances[differ]


def lipschitz_constant(distances: np.ndarray, changes: np.ndarray, share: float = 1.0) -> float:
    """Least slope above which no pair lies; with ``share`` at most ``1 - share`` of those that differ. 0 for none."""
    found = slopes(distances, changes)
    return float(np.quantile(found, share, method="higher")) if len(found) else 0.0


def draw_bound(axes: Axes, distances: np.ndarray, changes: np.ndarray, **dots) -> None:
    """Pairs as dots, and the lines under which all of them and most of them lie."""
    axes.scatter(distances, changes, s=5, linewidths=0, alpha=0.5, **dots)
    # Above the pairs there is room for the legend.
    right, top = max(distances.max(), 1e-3) * 1.03, max(changes.max(), 1e-3) * 1.25
    for share, label, style in ((1.0, "all pairs", "-"), (MOST, f"{MOST:.0%} of pairs", "--")):
        slope = lipschitz_constant(distances, changes, share)
        axes.plot([0, right], [0, slope * right], style, color="C3", linewidth=1.2, label=f"{label}: L = {slope:.2f}")
    axes.set(xlim=(0, right), ylim=(-0.02 * top, top))
    axes.grid(alpha=0.3)
    axes.legend(fontsize=7, loc="upper right")
