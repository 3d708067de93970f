"""A paper's figure, drawn from our runs beside what the paper says of it."""

import textwrap
from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from procgen_bench.leaderboards.reproduction.paper_figures import PaperFigure
from procgen_bench.leaderboards.reproduction.sweep import SweepRun
from procgen_bench.leaderboards.sweeps.drawing import draw_measure, write_picture

_WIDTH, _HEIGHT, _CLAIM_CHARACTERS = 4.6, 3.6, 52


def draw_figure(figure: PaperFigure, runs: Sequence[SweepRun], path: Path) -> None:
    """Write the figure as a picture (``.png`` or ``.svg``): a column per panel, a row per measure.

    Lines are means over the runs, bands their 95 % intervals; of fewer than five, thin lines are the runs.
    """
    write_picture(lambda: _drawn(figure, runs), path)


def _drawn(figure: PaperFigure, runs: Sequence[SweepRun]) -> Figure:
    panels = [panel for panel in figure.panels if any(run.panel is panel for run in runs)]
    picture = Figure(
        figsize=(_WIDTH * len(panels), _HEIGHT * len(figure.measures) + 0.5), layout="constrained", dpi=110
    )
    picture.suptitle(f"Figure {figure.number}. {figure.title}", fontsize=12)
    axes = picture.subplots(len(figure.measures), len(panels), squeeze=False)
    for column, panel in enumerate(panels):
        lines = [(curve.label, [run.read_curve() for run in runs if run.curve is curve]) for curve in panel.curves]
        for row, measure in enumerate(figure.measures):
            draw_measure(axes[row, column], lines, measure)
        claim = textwrap.fill(f"Paper: {panel.claim}", _CLAIM_CHARACTERS)
        axes[0, column].set_title(f"{panel.benchmark}\n{claim}", fontsize=8)
        axes[-1, column].set_xlabel("environment steps")
    return picture
