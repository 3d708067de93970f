"""Pictures of how well agents play, in the manner of the paper's figures 13 and 14.

Every function writes a PNG whole or not at all. ``note`` stands below the picture: what the numbers are from.
"""

import io
import textwrap
from collections import Counter
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from procgen_bench.atomic import write_bytes
from procgen_bench.leaderboards.xland.errors import InvalidReturnsError
from procgen_bench.leaderboards.xland.returns import ReturnTable
from procgen_bench.leaderboards.xland.summaries import AgentSummary

DOTS_PER_INCH = 110
#: Lines are told apart by colour up to this number; more agents are a heat map.
MAX_LINES = 8
#: Most tasks of a table that is read.
MAX_ROWS = 200
#: A normalised score of 1 is the middle of the colours: above it an agent beats the best mixture.
_SCORE_COLOURS, _RETURN_COLOURS, _GREATEST_COLOUR = "RdYlBu", "viridis", 2.0
_MAX_LABEL, _TILT_FROM = 28, 8
#: Up to how many percentiles are marked, each on its own.
_MARKED = 11


def draw_percentiles(summaries: Sequence[AgentSummary], path: str | PathLike, note: str = "") -> None:
    """A line for every agent, with its 95 % band: normalised score over percentile.

    Raises:
        InvalidReturnsError: No agents, more than can be told apart, or of different percentiles.
    """
    _check_summaries(summaries)
    if len(summaries) > MAX_LINES:
        expected = f"at most {MAX_LINES} as lines; draw_percentile_surface takes any"
        raise InvalidReturnsError("number of agents", len(summaries), expected)
    picture = _picture(7.6, 4.4)
    axes = picture.subplots()
    mark = "o" if len(summaries[0].percentiles) <= _MARKED else ""
    axes.axhline(1, color="0.4", linewidth=1, linestyle=":")
    for number, summary in enumerate(summaries):
        colour, estimates = f"C{number}", list(summary.percentiles.values())
        axes.plot(list(summary.percentiles), summary.curve, color=colour, marker=mark, linewidth=1.8, clip_on=False)
        if estimates[0].low is not None:
            low, high = ([getattr(estimate, end) for estimate in estimates] for end in ("low", "high"))
            axes.fill_between(list(summary.percentiles), low, high, color=colour, alpha=0.15, linewidth=0)
    percentiles = list(summaries[0].percentiles)
    axes.set(xlabel="percentile of games", ylabel="normalised score", title=_title("Normalised percentiles", summaries))
    axes.set_xlim(percentiles[0], max(percentiles[-1], percentiles[0] + 1))
    axes.set_ylim(bottom=0)
    # Beside its line's end, so that nobody has to match colours with a legend; the dotted line is named there too.
    _label_ends(
        axes,
        [("best mixture", 1.0, "0.4")]
        + [
            (_short(summary.policy), float(summary.curve[-1]), f"C{number}") for number, summary in enumerate(summaries)
        ],
    )
    axes.grid(alpha=0.25)
    _hide_spines(axes)
    _write(picture, path, note)


def draw_percentile_surface(
    summaries: Sequence[AgentSummary], path: str | PathLike, note: str = "", axis: str = "agent"
) -> None:
    """A heat map, percentile by agent: a column for every agent, such as the checkpoints of one training in order.

    Args:
        summaries: The agents, from left to right.
        path: Where the picture goes.
        note: What the numbers are from.
        axis: What the columns are, such as ``"steps of training"``.

    Raises:
        InvalidReturnsError: No agents, or of different percentiles.
    """
    _check_summaries(summaries)
    percentiles = list(summaries[0].percentiles)
    surface = np.stack([summary.curve for summary in summaries], axis=1)
    picture = _picture(max(4.8, 2.6 + 0.55 * len(summaries)), 4.6)
    axes = picture.subplots()
    image = axes.imshow(
        surface, origin="lower", aspect="auto", cmap=_SCORE_COLOURS, vmin=0, vmax=_GREATEST_COLOUR, interpolation="none"
    )
    shown = [place for place, percentile in enumerate(percentiles) if percentile % 10 == 0] or range(len(percentiles))
    axes.set_yticks(shown, [str(percentiles[place]) for place in shown])
    _name_columns(axes, [summary.policy for summary in summaries])
    axes.set(xlabel=axis, ylabel="percentile of games", title=_title("Normalised percentiles", summaries))
    beyond = "max" if surface.max() > _GREATEST_COLOUR else "neither"
    picture.colorbar(image, ax=axes, label="normalised score (1: best mixture)", extend=beyond)
    _write(picture, path, note)


def draw_participation(summaries: Sequence[AgentSummary], path: str | PathLike, note: str = "") -> None:
    """A bar for every agent, from top to bottom: the share of tasks with any reward, with its 95 % interval.

    Raises:
        InvalidReturnsError: No agents.
    """
    _check_summaries(summaries)
    picture = _picture(6.4, 1.4 + 0.38 * len(summaries))
    axes = picture.subplots()
    for place, summary in enumerate(summaries):
        share = summary.participation
        axes.barh(place, 100 * share.value, height=0.66, color="C0", alpha=0.75)
        if share.low is not None:
            axes.plot([100 * share.low, 100 * share.high], [place, place], color="0.15", linewidth=1.6)
        axes.text(101.5, place, f"{100 * share.value:.1f} %", va="center", fontsize=9, clip_on=False)
    axes.set_yticks(range(len(summaries)), [_short(summary.policy) for summary in summaries])
    axes.set(xlim=(0, 100), ylim=(len(summaries) - 0.4, -0.6), xlabel="tasks with any reward (%)")
    axes.set_title("Participation")
    axes.grid(axis="x", alpha=0.25)
    axes.set_axisbelow(True)
    _hide_spines(axes)
    _write(picture, path, note)


def draw_returns(table: ReturnTable, path: str | PathLike, note: str = "") -> None:
    """A table in the manner of figure 13's right: a row for every task, a column for every policy, a cell the return.

    A cell's colour is its share of the greatest return of its row, for tasks differ in what can be had; a cell without
    any reward is grey. Rows are in alphabetical order and bear the task's world, the name of a hand-authored task; the
    co-player too where the world has several. The last row is the mean over the tasks.

    Raises:
        InvalidReturnsError: More tasks than can be read.
    """
    if len(table.tasks) > MAX_ROWS:
        raise InvalidReturnsError("number of tasks", len(table.tasks), f"at most {MAX_ROWS} as a table")
    order = sorted(range(len(table.tasks)), key=lambda place: table.tasks[place])
    labels = _task_labels(table)
    returns = np.vstack([table.returns.T[order], table.returns.mean(axis=1)])
    greatest = returns.max(axis=1, keepdims=True)
    shares = np.divide(returns, greatest, out=np.zeros_like(returns), where=greatest > 0)
    num_rows, num_policies = returns.shape
    height = 2.1 + 0.215 * num_rows
    picture = _picture(3.6 + 0.75 * num_policies, height)
    picture.suptitle("Returns by task", fontsize=11)
    axes = picture.subplots()
    colours = colormaps[_RETURN_COLOURS].with_extremes(bad="0.9")
    image = axes.imshow(
        np.ma.array(shares, mask=returns == 0), cmap=colours, norm=Normalize(0, 1), aspect="auto", interpolation="none"
    )
    _write_cells(axes, returns, shares)
    axes.axhline(num_rows - 1.5, color="black", linewidth=1.2)
    axes.set_xticks(np.arange(num_policies - 1) + 0.5, minor=True)
    axes.set_yticks(np.arange(num_rows - 2) + 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=1.2)
    axes.tick_params(which="both", length=0)
    axes.set_yticks(range(num_rows), [*(_short(labels[place], 40) for place in order), "mean"], fontsize=8)
    axes.get_yticklabels()[-1].set_weight("bold")
    axes.xaxis.tick_top()
    _name_columns(axes, table.policies)
    meaning = "share of the row's greatest return; grey: no reward"
    picture.colorbar(
        image, ax=axes, location="bottom", label=meaning, fraction=0.2 / height, pad=0.15 / height, aspect=30
    )
    _write(picture, path, note)


def _picture(width: float, height: float) -> Figure:
    return Figure(figsize=(width, height), layout="constrained", dpi=DOTS_PER_INCH)


def _write(picture: Figure, path: str | PathLike, note: str) -> None:
    path = Path(path)
    if path.suffix != ".png":
        raise InvalidReturnsError("suffix of the picture", path.name, ".png")
    if note:
        most = int(picture.get_figwidth() * 14)
        picture.supxlabel(textwrap.fill(note, most), fontsize=8, color="0.35")
    content = io.BytesIO()
    # Without the version of matplotlib the same numbers give the same file.
    picture.savefig(content, format="png", metadata={"Software": None})
    write_bytes(path, content.getvalue())


def _check_summaries(summaries: Sequence[AgentSummary]) -> None:
    if not summaries:
        raise InvalidReturnsError("number of agents", 0, "at least 1")
    for summary in summaries:
        if list(summary.percentiles) != list(summaries[0].percentiles):
            expected = f"the same as of {summaries[0].policy!r}"
            raise InvalidReturnsError(f"percentiles of {summary.policy!r}", list(summary.percentiles), expected)


def _title(what: str, summaries: Sequence[AgentSummary]) -> str:
    games, uncounted = summaries[0].games, summaries[0].uncounted
    title = f"{what} over {games:,} game{'s' * (games != 1)}"
    return f"{title} ({uncounted:,} more worth 0)" if uncounted else title


def _name_columns(axes: Axes, names: Sequence[str]) -> None:
    """Names of the columns, slanted where they would run into each other."""
    slanted = max(map(len, names)) > _TILT_FROM
    top = axes.xaxis.get_ticks_position() == "top"
    turned = {"rotation": 40, "ha": "left" if top else "right", "rotation_mode": "anchor"} if slanted else {}
    axes.set_xticks(range(len(names)), [_short(name) for name in names], fontsize=8, **turned)


def _label_ends(axes: Axes, ends: Sequence[tuple[str, float, str]]) -> None:
    """Names at the right, at their heights or as close as leaves each a line of its own."""
    low, high = axes.get_ylim()
    line = (high - low) / 20
    heights: list[float] = []
    ordered = sorted(ends, key=lambda end: end[1])
    for _, height, _ in ordered:
        heights.append(max([height, *(taken + line for taken in heights[-1:])]))
    for (name, _, colour), height in zip(ordered, heights):
        axes.annotate(
            name,
            (1.015, height),
            xycoords=("axes fraction", "data"),
            va="center",
            color=colour,
            fontsize=9,
            annotation_clip=False,
        )


def _write_cells(axes: Axes, returns: np.ndarray, shares: np.ndarray) -> None:
    """Every cell's return, legible on the colour of its share; the last row's are bold."""
    for (row, column), value in np.ndenumerate(returns):
        ink = "0.45" if value == 0 else "black" if shares[row, column] > 0.6 else "white"
        weight = "bold" if row == len(returns) - 1 else "normal"
        axes.text(column, row, _number(value), ha="center", va="center", fontsize=7.5, color=ink, weight=weight)


def _task_labels(table: ReturnTable) -> list[str]:
    tasks_of_world = Counter(task.world for task in table.tasks)
    return [
        task.world.replace("_", " ") + (f", {task.co_player}" if tasks_of_world[task.world] > 1 else "")
        for task in table.tasks
    ]


def _number(value: float) -> str:
    """Whole rewarded steps; one digit where there are few, so that little is not mistaken for nothing."""
    if value == 0:
        return "0"
    return f"{value:.1f}" if value < 10 and value != round(value) else f"{value:.0f}"


def _short(name: str, most: int = _MAX_LABEL) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def _hide_spines(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
