"""What teachers proposed over training, as pictures: a block of rows for each run, a column for each time.

Where there is a target, it stands at the end in a green frame, as in APT-Gen's figure 6.
"""

from collections.abc import Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from procgen_bench.baselines.training.task_records import ProposedLevel, read_proposed_levels
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.progress import Progress
from procgen_bench.core.registrations import make_task_space
from procgen_bench.engine.recording import episode_frames, filmed_environment
from procgen_bench.leaderboards.sweeps.drawing import write_picture

#: Columns, and rows of a run.
TIMES, LEVELS = 7, 3
#: Inches.
SIDE, _LABEL, _TITLE = 1.15, 0.25, 0.35
_TARGET_FRAME, _FRAME_WIDTH = "#2e9e44", 3.0


@dataclass(frozen=True)
class LevelStrip:
    """What one run's teacher proposed.

    Attributes:
        label: What the run is called.
        environment_id: Whose levels they are.
        levels: The oldest first.
        target: What they are to lead to, in words and numbers, as :meth:`.TaskSpace.resolve` takes it.
    """

    label: str
    environment_id: str
    levels: Sequence[ProposedLevel]
    target: str | dict[str, Any] | None = None

    def at_times(self, times: int, count: int) -> list[list[ProposedLevel]]:
        """The last ``count`` levels of each of at most ``times`` evaluations, the first and the last among them."""
        steps = sorted({level.step for level in self.levels})
        chosen = np.linspace(0, len(steps) - 1, min(times, len(steps))).round().astype(int)
        return [[level for level in self.levels if level.step == steps[place]][-count:] for place in chosen]


def level_strip(folder: Path, benchmark_id: str, label: str) -> LevelStrip | None:
    """What the teacher of the run in ``folder`` proposed; ``None`` where it noted nothing.

    Where the benchmark is a single task, that is the target, and what was proposed beside it is shown.
    """
    benchmark, levels = get_benchmark(benchmark_id), read_proposed_levels(folder)
    tasks = benchmark.task_suite().tasks
    target = make_task_space(benchmark.environment_id).plain(tasks[0]) if len(tasks) == 1 else None
    others = [level for level in levels if level.task != target]
    return LevelStrip(label, benchmark.environment_id, others, target) if levels else None


def draw_strips(
    strips: Sequence[LevelStrip], path: Path, times: int = TIMES, count: int = LEVELS, side: float = SIDE
) -> None:
    """Write pictures of what was proposed, below each other; above a column stands the time, below a level its length.

    The targets of runs that have one stand in the last column.

    Args:
        strips: A run each, at least one.
        path: ``.png`` or ``.svg``.
        times: Most columns, but for the targets'.
        count: Most levels of one run in one column.
        side: Inches of a column; pages of sites take more to be read.
    """
    blocks = [strip.at_times(times, count) for strip in strips]
    columns = max(len(block) for block in blocks) + any(strip.target is not None for strip in strips)

    def draw() -> Figure:
        size = (_LABEL + side * columns, (_TITLE + side * count) * len(strips))
        figure = Figure(figsize=size, layout="constrained", dpi=110)
        parts = figure.subfigures(len(strips), 1, squeeze=False)[:, 0]
        for part, strip, block in Progress(zip(parts, strips, blocks), "drawing", len(strips), unit="run", delay=2):
            part.supylabel(strip.label, fontsize=8)
            panels = part.subplots(count, columns, squeeze=False)
            for panel in panels.flat:
                panel.set_axis_off()
            with _picturing(strip.environment_id) as picture:
                for column, levels in enumerate(block):
                    panels[0, column].set_title(_in_words(levels[0].step), fontsize=7)
                    for panel, level in zip(panels[:, column], levels):
                        _show(panel, picture(level.task), level.solution_length)
                if strip.target is not None:
                    _show_target(panels[0, -1], picture(strip.target))
        return figure

    write_picture(draw, path)


@contextmanager
def _picturing(environment_id: str):
    """A function from a level, in words and numbers, to the picture of its beginning."""
    space = make_task_space(environment_id)

    def picture(task: str | dict[str, Any]) -> np.ndarray:
        return next(episode_frames(env, space.resolve(task), 0, ()))[1]

    with closing(filmed_environment(environment_id)) as env:
        yield picture


def _show(panel: Axes, picture: np.ndarray, solution_length: int | None) -> None:
    panel.imshow(picture)
    if solution_length is not None:
        words = f"{solution_length} step{'s' * (solution_length > 1)}" if solution_length else "no solution"
        panel.text(0.5, -0.03, words, transform=panel.transAxes, ha="center", va="top", fontsize=6)


def _show_target(panel: Axes, picture: np.ndarray) -> None:
    panel.imshow(picture)
    panel.set_title("the target", fontsize=7)
    panel.set_axis_on()
    panel.set(xticks=[], yticks=[])
    panel.spines[:].set(visible=True, color=_TARGET_FRAME, linewidth=_FRAME_WIDTH)


def _in_words(step: int) -> str:
    return f"{step / 1e6:.3g} M steps" if step >= 1_000_000 else f"{step:,} steps"
