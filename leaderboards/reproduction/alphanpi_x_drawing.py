"""The pictures of AlphaNPI-X's figure 1: a trace beside the scenes after its calls, and growing beside its film."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from procgen_bench.core.atomic import write_text
from procgen_bench.engine.recording import write_clip
from procgen_bench.leaderboards.charts.style import figure_style
from procgen_bench.leaderboards.reproduction.alphanpi_x_players import asked_parts
from procgen_bench.leaderboards.reproduction.alphanpi_x_trace import STOP, Film, FilmedLine, FilmSettings, film
from procgen_bench.leaderboards.sweeps.drawing import write_picture
from procgen_bench.leaderboards.sweeps.figure_file import Asked, Made, PaperFigure

#: The paper's colours: atomic programs green, those that call others blue; and what is planned again.
_ATOMIC, _COMPOSED, _AGAIN, _PLAIN = "#d5ecc8", "#cfe0f5", "#c25e00", "#444444"
#: Inches of a line, of the trace and of a scene, and scenes beside each other.
_LINE, _TRACE, _SCENE = 0.27, 5.0, 2.3
_COLUMNS = 3
#: Inches and dots of the trace beside the film: as high as a frame.
_SIDE, _DPI, _FPS = 4.8, 100, 8
_MARKS = {True: "\N{CHECK MARK}", False: "\N{BALLOT X}"}


def reproduce_film(figure: PaperFigure, asked: Asked) -> Made:
    """Play one program, and draw its trace beside the film of it."""
    settings = {name: asked.settings[name] for name in ("program", "simulations", "failing")}
    played = film(asked_parts(asked), FilmSettings(**settings, seed=asked.seed or 0))
    return Made((), (), draw_film(played, asked.folder))


def draw_film(film: Film, folder: Path) -> dict[str, Path]:
    """Write ``figure-1.png``, ``figure-1.gif`` and ``figure-1.json`` to a folder, which is made; returns them."""
    folder.mkdir(parents=True, exist_ok=True)
    picture, clip, numbers = (folder / f"figure-1.{kind}" for kind in ("png", "gif", "json"))
    write_picture(lambda: _picture(film), picture)
    write_clip(_moving(film), clip, _FPS)
    write_text(numbers, json.dumps(film.numbers(), indent=1) + "\n")
    return {"picture": picture, "film": clip, "numbers": numbers}


def _picture(film: Film) -> Figure:
    """The trace to the left, to its right the scene at the start and after every atomic call."""
    scenes = [frames[-1] for frames in film.frames]
    rows = -(-len(scenes) // _COLUMNS)
    height = max(_SCENE * rows, _LINE * (len(film.lines) + 3)) + 0.6
    figure = Figure(figsize=(_TRACE + _SCENE * _COLUMNS, height), layout="constrained", dpi=_DPI)
    outcome = "done, and it stands" if film.stands else "not done"
    fails = f"; {film.settings.failing:.0%} of calls fail" if film.settings.failing else ""
    figure.suptitle(f"Figure 1. {film.settings.program}, planned again after every call: {outcome}{fails}", fontsize=11)
    grid = figure.add_gridspec(rows, _COLUMNS + 1, width_ratios=[_TRACE, *[_SCENE] * _COLUMNS])
    _draw_trace(figure.add_subplot(grid[:, 0]), film.lines, len(film.lines))
    calls = [line for line in film.lines if line.is_atomic]
    for number, scene in enumerate(scenes):
        axes = figure.add_subplot(grid[number // _COLUMNS, 1 + number % _COLUMNS])
        axes.imshow(scene)
        axes.set_axis_off()
        text = f"{number}  {calls[number - 1].name} {_MARKS[bool(calls[number - 1].done)]}" if number else "start"
        axes.set_title(text, fontsize=8, color=_PLAIN)
    return figure


def _draw_trace(axes: Axes, lines: list[FilmedLine], shown: int) -> None:
    """The first lines of a trace, one below the other, and what their colours and marks mean."""
    axes.set_xlim(0, 1)
    axes.set_ylim(len(lines) + 2.6, -0.6)
    axes.set_axis_off()
    for place, line in enumerate(lines[:shown]):
        number = f"{line.call}  " if line.call else ""
        is_over = shown == len(lines) or any(one.depth <= line.depth for one in lines[place + 1 : shown])
        mark = f"  {_MARKS[line.done]}" if is_over and line.done is not None else ""
        _write(axes, place, line.depth, f"{number}{line.name}{mark}", line)
    legend = (
        ("atomic program, with its number", FilmedLine(0, "", True, None, None, True)),
        ("program that calls others", FilmedLine(0, "", False, None, None, True)),
        ("not in the plan from the start", FilmedLine(0, STOP, False, None, None, False)),
    )
    for row, (text, like) in enumerate(legend):
        _write(axes, len(lines) + 0.4 + row * 0.95, 0, text, like, size=7)
    held = f"{_MARKS[True]}  post-condition held at its end    {_MARKS[False]}  did not"
    axes.text(0.42, len(lines) + 0.4, held, fontsize=7, va="center", color=_PLAIN)


def _write(axes: Axes, place: float, depth: int, text: str, line: FilmedLine, size: int = 9) -> None:
    written = axes.text(0.02 + depth * 0.06, place, text, fontsize=size, va="center", color="black")
    is_stop = line.name == STOP
    fill = "white" if is_stop else _ATOMIC if line.is_atomic else _COMPOSED
    edge = fill if line.is_planned else _AGAIN
    written.set_bbox({"boxstyle": "round,pad=0.22", "facecolor": fill, "edgecolor": edge, "linewidth": 1.2})
    if is_stop and line.is_planned:
        written.set_color("0.5")


def _moving(film: Film) -> Iterator[np.ndarray]:
    """Frames with the trace beside them, as far as it has come: uint8 (480, 960, 3)."""
    begun = [0, *(place for place, line in enumerate(film.lines) if line.is_atomic)]
    for place, frames in zip(begun, film.frames, strict=True):
        panel = _panel(film, place + 1)
        for frame in frames:
            yield np.hstack([panel, frame])
    yield np.hstack([_panel(film, len(film.lines)), film.frames[-1][-1]])


def _panel(film: Film, shown: int) -> np.ndarray:
    with figure_style(font_size=10):
        figure = Figure(figsize=(_SIDE, _SIDE), dpi=_DPI, layout="constrained")
        _draw_trace(figure.add_subplot(), film.lines, shown)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())[:, :, :3].copy()
