"""Learning curves as pictures: lines are means over runs, bands their 95 % intervals; of fewer than five, the runs.

Dotted lines are means of the worst tenth of tasks, where all of a line's runs measured it.
"""

import io
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from procgen_bench.core.atomic import write_bytes
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.paths import check_file
from procgen_bench.core.worst_tenth import PREFIX as WORST_TENTH
from procgen_bench.leaderboards.charts.axes import label_ticks
from procgen_bench.leaderboards.charts.style import DASHES, MAX_SERIES, colour, figure_style
from procgen_bench.leaderboards.sweeps.curves import Against, Curve, line
from procgen_bench.leaderboards.sweeps.groups import Group

_WIDTH, _HEIGHT = 5.2, 3.6
_FORMATS = (".png", ".svg")
#: Inches of the legend: a line, a letter, and what stands around the letters of an entry.
_LEGEND_LINE, _LETTER, _ENTRY = 0.17, 0.062, 0.55
#: Marks lines of the worst tenth of tasks.
_WORST_TENTH_LINE = "worst tenth"
_X_LABELS = {
    "step": "environment steps",
    "seconds": "seconds of training",
    "player_step": "environment steps per player",
}
_UNITS = {
    "success": "success, share of episodes",
    "distance": "distance to goal",
    "sibling_distance": "between siblings",
    "training_success": "success on what is proposed",
    "training_return": "return on what is proposed",
    "training_length": "steps on what is proposed",
    "teacher_key_share": "proposed tasks that need a key, share",
    "teacher_kept_walls": "the target's walls that they have, share",
}


def draw_curves(groups: Sequence[Group], measures: Sequence[str], path: Path, against: Against = "step") -> None:
    """Write a picture of learning curves: a column of panels for each benchmark, a row for each measure.

    Args:
        groups: What is drawn, a line each.
        measures: Columns of the curves.
        path: ``.png`` or ``.svg``.
        against: What the x-axis shows.
    """
    benchmarks = list(dict.fromkeys(group.benchmark for group in groups))
    labels = list(dict.fromkeys(group.label for group in groups))

    def draw() -> Figure:
        size = (_WIDTH * len(benchmarks), _HEIGHT * len(measures))
        figure = Figure(figsize=size, layout="constrained", dpi=110)
        panels = figure.subplots(len(measures), len(benchmarks), squeeze=False)
        for column, benchmark in enumerate(benchmarks):
            drawn = {group.label: group.curves for group in groups if group.benchmark == benchmark}
            lines = [(label, drawn.get(label, [])) for label in labels]  # of one colour in all panels
            for row, measure in enumerate(measures):
                draw_measure(panels[row, column], lines, measure, get_benchmark(benchmark), against)
            panels[0, column].set_title(benchmark, fontsize=10)
            panels[-1, column].set_xlabel(_X_LABELS[against])
        add_legend(figure, {label: [len(g.curves) for g in groups if g.label == label] for label in labels})
        return figure

    write_picture(draw, path)


def write_picture(draw: Callable[[], Figure], path: Path) -> None:
    """Draw a figure in the package's style and write it.

    Raises:
        InvalidOptionError: The path is neither ``.png`` nor ``.svg``.
        UnwritablePathError: It is a folder, or lies in none.
    """
    check_picture(path)
    content = io.BytesIO()
    with figure_style(font_size=10):
        draw().savefig(content, format=path.suffix.lower().removeprefix("."))
    write_bytes(path, content.getvalue())


def check_picture(path: Path) -> None:
    """Raise as :func:`write_picture` does unless a picture can be written as ``path``."""
    if path.suffix.lower() not in _FORMATS:
        raise InvalidOptionError(f"the picture's name is {path.name!r}, expected one that ends in .png or .svg")
    check_file(path)


def draw_measure(
    axes: Axes,
    lines: Sequence[tuple[str, Sequence[Curve]]],
    measure: str,
    benchmark: Benchmark,
    against: Against = "step",
) -> None:
    """Draw one measure on a benchmark into a panel: a line for each label, and its runs' curves."""
    opacity = min(0.2, 0.8 / max(1, sum(bool(curves) for _, curves in lines)))
    for index, (label, curves) in enumerate(lines):
        drawn = line(curves, measure, against, benchmark)
        if drawn is None:
            continue
        ink, again = colour(index), index // MAX_SERIES
        dashes = DASHES[(again - 1) % len(DASHES)] if again else "-"
        (mark,) = axes.plot(drawn.x, drawn.mean, color=ink, linestyle=dashes)
        if drawn.low is None or drawn.high is None:
            axes.plot(drawn.x, drawn.runs.T, color=ink, alpha=0.35, linewidth=0.7)
        else:
            axes.fill_between(drawn.x, drawn.low, drawn.high, color=ink, alpha=opacity, linewidth=0)
        mark.set_label(label)
        worst = line(curves, WORST_TENTH + measure, against, benchmark)
        if worst is not None and len(worst.runs) == len(drawn.runs):
            axes.plot(worst.x, worst.mean, color=ink, linestyle=":", linewidth=1.2, gid=_WORST_TENTH_LINE)
    label_ticks(axes.xaxis)
    axes.set_ylabel(_UNITS.get(measure, measure.replace("_", " ")))
    if "success" in measure:
        axes.set_ylim(-0.03, 1.03)


def add_legend(figure: Figure, num_runs: Mapping[str, Sequence[int]]) -> None:
    """Say below all panels what the lines are, each once, of how many runs; the figure grows by that.

    Args:
        figure: Its panels are drawn by :func:`draw_measure`.
        num_runs: In the panels that have it, each label's runs.
    """
    marks = {label: mark for axes in figure.axes for mark, label in zip(*axes.get_legend_handles_labels())}
    entries = {f"{label} ({_span(num_runs[label])})": marks[label] for label in num_runs if label in marks}
    if not entries:
        return
    width, height = figure.get_size_inches()
    columns = max(1, min(len(entries), int(width / (_ENTRY + _LETTER * max(map(len, entries))))))
    figure.set_size_inches(width, height + _LEGEND_LINE * (math.ceil(len(entries) / columns) + 1.5))
    dotted = any(drawn.get_gid() == _WORST_TENTH_LINE for axes in figure.axes for drawn in axes.lines)
    figure.legend(
        entries.values(),
        entries.keys(),
        loc="outside lower center",
        ncols=columns,
        fontsize=7,
        title="method (runs)" + ("; dotted: the worst tenth of tasks" if dotted else ""),
        title_fontsize=7,
    )


def _span(numbers: Sequence[int]) -> str:
    return f"{min(numbers)}" if min(numbers) == max(numbers) else f"{min(numbers)} to {max(numbers)}"
