"""The page of the hand-authored tasks: what each is about, and what every method gets in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from procgen_bench.envs.xland.isometric import draw_world
from procgen_bench.leaderboards.board.table import Row
from procgen_bench.leaderboards.site.page_parts import Part
from procgen_bench.leaderboards.site.section import Section
from procgen_bench.leaderboards.xland.downloads import write_returns
from procgen_bench.tasks.xland.co_players import CO_PLAYERS
from procgen_bench.tasks.xland.hand_authored import hand_authored_task

#: Of a world's picture, shown at half its width: pixels, and colours.
_WIDTH, _COLOURS = 256, 48


@dataclass(frozen=True)
class Cell:
    """What a method gets in a task.

    Attributes:
        value: Mean return over runs.
        rewarded: Runs with any reward.
        runs: Number of runs.
        best: Whether no ranked method gets more, and it gets something.
    """

    value: float
    rewarded: int
    runs: int
    best: bool


@dataclass(frozen=True, eq=False)
class TaskRow:
    """A task and what every method gets in it.

    Attributes:
        title, description: As its author has them.
        co_players: Names of the other players.
        picture: Name of the picture of its world.
        width, height: The size at which it is shown, in pixels.
        cells: One for every row of the board.
    """

    title: str
    description: str
    co_players: tuple[str, ...]
    picture: str
    width: int
    height: int
    cells: list[Cell]


@dataclass(frozen=True)
class Total:
    """A method's sum over tasks: the number with any reward in any run, and in all of them, and the mean return."""

    in_any_run: int
    in_every_run: int
    mean: float


def hand_authored_part(section: Section, folder: Path) -> Part:
    """The part of the page, of a benchmark with at least one row; its pictures and its download go to ``folder``."""
    write_returns(section, folder)
    tasks = [
        _task_row(name, [_cell(row, place, section.rows) for row in section.rows], folder)
        for place, name in enumerate(section.suite.task_names)
    ]
    met = {name for task in tasks for name in task.co_players}
    content = {
        "tasks": tasks,
        "totals": [_total(row) for row in section.rows],
        "co_players": {name: meaning for name, meaning in CO_PLAYERS.items() if name in met},
    }
    return Part("xland_hand_authored.html", content)


def entry_runs_part(section: Section, row: Row) -> Part:
    """What every run of an entry got in every task."""
    titles = [hand_authored_task(name).title for name in section.suite.task_names]
    return Part("xland_runs.html", {"tasks": list(zip(titles, row.entry.scores.T.tolist()))})


def _task_row(name: str, cells: list[Cell], folder: Path) -> TaskRow:
    task = hand_authored_task(name)
    picture = draw_world(task.task.world, _WIDTH)
    # Few flat colours: a palette is a third of the size.
    picture.quantize(_COLOURS, dither=Image.Dither.NONE).save(folder / f"world-{name}.png", optimize=True)
    width, height = (side // 2 for side in picture.size)
    return TaskRow(task.title, task.description, task.task.co_players, f"world-{name}.png", width, height, cells)


def _cell(row: Row, place: int, rows: Sequence[Row]) -> Cell:
    of_runs = row.entry.scores[:, place]
    most = max((one.entry.scores[:, place].mean() for one in rows if one.rank is not None), default=0.0)
    value = float(of_runs.mean())
    best = row.rank is not None and value > 0 and value == most
    return Cell(value, int((of_runs > 0).sum()), len(of_runs), best)


def _total(row: Row) -> Total:
    rewarded = row.entry.scores > 0
    return Total(int(rewarded.any(axis=0).sum()), int(rewarded.all(axis=0).sum()), float(np.mean(row.entry.scores)))
