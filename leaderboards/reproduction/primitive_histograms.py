"""Which primitives sites of a run have, early, in the middle and late in training: CoDE's figure 9."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from procgen_bench.baselines.training.task_records import LEVELS_FILE, read_proposed_levels
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.registrations import make_task_space
from procgen_bench.leaderboards.charts.style import colour
from procgen_bench.leaderboards.sweeps.drawing import write_picture
from procgen_bench.leaderboards.sweeps.figure_file import PaperFigure
from procgen_bench.leaderboards.sweeps.figure_runs import SweepError, SweepRun
from procgen_bench.tasks.sites.space import SiteTaskSpace

TIMES = ("early", "middle", "late")
_WIDTH, _HEIGHT, _TITLE = 5.2, 2.6, 0.6
_ACTIVE, _PASSIVE = colour(0), "0.7"


def primitive_shares(folder: Path, space: SiteTaskSpace) -> np.ndarray | None:
    """How many of each primitive a design has on average, by third of the evaluations: float64 (3, primitives).

    A design stands once, however often it is proposed with other values. ``None`` where none of a third was noted.
    """
    levels = read_proposed_levels(folder)
    steps = sorted({level.step for level in levels})
    shares = np.zeros((len(TIMES), len(space.library.catalogue)))
    for part, times in enumerate(np.array_split(np.array(steps), len(TIMES))):
        tasks = [space.resolve(level.task) for level in levels if level.step in times]
        designs = {tuple(map(tuple, task.design.pages)): None for task in tasks}
        if not designs:
            return None
        places = {name: place for place, name in enumerate(space.library.catalogue)}
        for design in designs:
            for name in (name for page in design for name in page):
                shares[part, places[name]] += 1 / len(designs)
    return shares


def draw_primitives(figure: PaperFigure, runs: Sequence[SweepRun], path: Path) -> list[SweepRun]:
    """Write a row for each run that noted designs at three evaluations: bars, the latest's commonest first.

    Raises:
        SweepError: None did.
    """
    found = []
    for run in runs:
        space = make_task_space(get_benchmark(run.benchmark).environment_id)
        assert isinstance(space, SiteTaskSpace)  # as the figure's benchmarks are
        shares = primitive_shares(run.folder, space)
        if shares is not None:
            found.append((run, space, shares))
    if not found:
        folders = ", ".join(str(run.folder) for run in runs[:3])
        raise SweepError(f"no {LEVELS_FILE} with designs of three evaluations lies in {folders}; train for more steps")

    def draw() -> Figure:
        size = (_WIDTH * len(TIMES), _HEIGHT * len(found) + _TITLE)
        picture = Figure(figsize=size, layout="constrained", dpi=110)
        picture.suptitle(
            f"{figure.heading}\nblue: active, grey: passive, with buttons that link pages; mean number in a design",
            fontsize=10,
        )
        axes = picture.subplots(len(found), len(TIMES), squeeze=False, sharey="row")
        for row, (run, space, shares) in enumerate(found):
            names, active = list(space.library.catalogue), [one.active for one in space.library.catalogue.values()]
            order = np.argsort(-shares[-1], kind="stable")
            for panel, time, heights in zip(axes[row], TIMES, shares):
                colours = [_ACTIVE if active[place] else _PASSIVE for place in order]
                panel.bar(range(len(names)), heights[order], color=colours)
                panel.set_xticks(range(len(names)), [names[place] for place in order], rotation=90, fontsize=5)
                panel.set_title(time, fontsize=8)
            axes[row, 0].set_ylabel(f"{run.curve.label}, seed {run.seed}", fontsize=8)
        return picture

    write_picture(draw, path)
    return [run for run, *_ in found]
