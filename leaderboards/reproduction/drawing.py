"""A paper's figure, drawn from our runs beside what the paper says of it."""

import io
import textwrap
from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from procgen_bench.core.atomic import write_bytes
from procgen_bench.leaderboards.charts.style import DASHES, MAX_SERIES, colour, house_style
from procgen_bench.leaderboards.reproduction.paper_figures import Panel, PaperFigure
from procgen_bench.leaderboards.reproduction.summary import line
from procgen_bench.leaderboards.reproduction.sweep import SweepRun

_WIDTH, _HEIGHT, _CLAIM_CHARACTERS = 4.6, 3.6, 52
_UNITS = {"success": "share of goals reached", "distance": "distance to goal", "sibling_distance": "between siblings"}


def draw_figure(figure: PaperFigure, runs: Sequence[SweepRun], path: Path) -> None:
    """Write the figure as a picture (``.png`` or ``.svg``): a column per panel, a row per measure.

    Lines are means over the runs, bands their 95 % intervals; of fewer than five, thin lines are the runs.
    """
    content = io.BytesIO()
    with house_style(font_size=10):
        _drawn(figure, runs).savefig(content, format=path.suffix.removeprefix("."))
    write_bytes(path, content.getvalue())


def _drawn(figure: PaperFigure, runs: Sequence[SweepRun]) -> Figure:
    panels = [panel for panel in figure.panels if any(run.panel is panel for run in runs)]
    picture = Figure(
        figsize=(_WIDTH * len(panels), _HEIGHT * len(figure.measures) + 0.5), layout="constrained", dpi=110
    )
    picture.suptitle(f"Figure {figure.number}. {figure.title}", fontsize=12)
    axes = picture.subplots(len(figure.measures), len(panels), squeeze=False)
    for column, panel in enumerate(panels):
        for row, measure in enumerate(figure.measures):
            _draw_panel(axes[row, column], panel, [run for run in runs if run.panel is panel], measure)
        claim = textwrap.fill(f"Paper: {panel.claim}", _CLAIM_CHARACTERS)
        axes[0, column].set_title(f"{panel.benchmark}\n{claim}", fontsize=8)
        axes[-1, column].set_xlabel("environment steps")
    return picture


def _draw_panel(axes, panel: Panel, runs: Sequence[SweepRun], measure: str) -> None:
    for index, curve in enumerate(panel.curves):
        of_curve = [run for run in runs if run.curve is curve]
        drawn = line(of_curve, measure)
        if drawn is None:
            continue
        ink, again = colour(index), index // MAX_SERIES
        (mark,) = axes.plot(drawn.steps, drawn.mean, color=ink, linestyle=DASHES[again - 1] if again else "-")
        if drawn.low is None:
            axes.plot(drawn.steps, drawn.runs.T, color=ink, alpha=0.35, linewidth=0.7)
        else:
            axes.fill_between(drawn.steps, drawn.low, drawn.high, color=ink, alpha=0.2, linewidth=0)
        mark.set_label(f"{curve.label} ({len(of_curve)})")
    axes.set_ylabel(_UNITS.get(measure, measure))
    if measure == "success":
        axes.set_ylim(-0.03, 1.03)
    if axes.lines:
        axes.legend(fontsize=7, title="method (runs)", title_fontsize=7)
