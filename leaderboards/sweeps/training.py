"""The training runs of a sweep, several at a time; runs that were killed go on, runs that are over are kept."""

import traceback
from collections.abc import Sequence
from contextlib import closing, nullcontext, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace

from procgen_bench.baselines.method_table import get_method
from procgen_bench.baselines.training.command_line import train_and_report
from procgen_bench.baselines.training.reporting import WeightsAndBiases, reporting_to
from procgen_bench.core.atomic import naming_path
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.core.own_code import exits_are_errors
from procgen_bench.engine.parallel import Workers, finished_jobs
from procgen_bench.leaderboards.sweeps.cell import Cell
from procgen_bench.leaderboards.sweeps.progress import CellBar


@dataclass(frozen=True)
class Failure:
    """A cell whose training ended before its last step.

    Attributes:
        cell: The cell.
        reason: What was wrong, in one line; its log has all of it.
    """

    cell: Cell
    reason: str


def train_cells(cells: Sequence[Cell], workers: Workers, wandb: str | None = None) -> list[Failure]:
    """Train every cell that is not finished, each with one thread; a bar over all of them shows which run now.

    Args:
        cells: The cells.
        workers: Who trains.
        wandb: A project of Weights & Biases that all curves are sent to.

    Returns:
        The cells that failed, or whose process died; the others are finished all the same.

    Raises:
        RunFolderError: A run that is over, and would be kept, has other settings than its cell; none is trained then.
    """
    for cell in cells:
        cell.check_kept()
    unfinished = [replace(cell, out=cell.out.absolute()) for cell in cells if not cell.finished]
    for cell in unfinished:
        cell.log.unlink(missing_ok=True)
    failures: dict[int, Failure] = {}
    jobs = [(cell, wandb) for cell in unfinished]
    with (
        CellBar(len(cells), unfinished) as bar,
        closing(finished_jobs(train_cell, jobs, workers, keep_going=True)) as finished,
    ):
        for place, reason in finished:
            if reason is not None:
                failures[place] = Failure(unfinished[place], " ".join(str(reason).split()))
            bar.is_over(unfinished[place])
    return [failures[place] for place in sorted(failures)]


def train_cell(cell: Cell, wandb: str | None) -> str | None:
    """Train a cell here, and return what was wrong, if anything was; its log has all of it, if there is room for it."""
    try:
        with naming_path(cell.log):
            cell.folder.parent.mkdir(parents=True, exist_ok=True)
            return _train_logged(cell, wandb)
    except OSError as error:
        return str(error)


def _train_logged(cell: Cell, wandb: str | None) -> str | None:
    with cell.log.open("w", encoding="utf-8") as log, redirect_stdout(log), redirect_stderr(log):
        try:
            method, benchmark = get_method(cell.method), get_benchmark(cell.benchmark)
            with exits_are_errors, reporting_to(WeightsAndBiases(wandb)) if wandb else nullcontext():
                train_and_report(method, benchmark, cell.configuration, cell.seed, cell.steps, cell.folder)
        except Exception as error:
            traceback.print_exc()
            return str(error) if isinstance(error, ProcgenBenchError) else f"{type(error).__name__}: {error}"
    return None
