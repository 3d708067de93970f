"""The progress of a sweep: one bar over its cells, which says which of them run now, and how far they are."""

import threading
from collections.abc import Sequence

from procgen_bench.core.progress import Progress
from procgen_bench.leaderboards.sweeps.cell import Cell

_SECONDS_BETWEEN_LOOKS = 1.0
_MOST_NAMED = 4


class CellBar:
    """A progress bar, which looks by itself into the folders of those cells whose training may have begun.

    Args:
        total: How many cells there are.
        unfinished: Those that are to be trained, wherever that may be; they have no log until they begin.
    """

    def __init__(self, total: int, unfinished: Sequence[Cell]):
        over = total - len(unfinished)
        self._bar = Progress(total=total, initial=over, unit="run", desc="training runs", smoothing=0)
        self._waiting = list(unfinished)
        self._lock, self._stopped = threading.Lock(), threading.Event()
        self._looking = threading.Thread(target=self._look_now_and_then, daemon=True)

    def __enter__(self) -> "CellBar":
        self._looking.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stopped.set()
        self._looking.join()
        self._bar.close()

    def is_over(self, cell: Cell) -> None:
        """The cell is trained, or has failed."""
        with self._lock:
            self._waiting.remove(cell)
            self._bar.set_postfix_str(running(self._waiting), refresh=False)
            self._bar.update()

    def _look_now_and_then(self) -> None:
        while not self._stopped.wait(_SECONDS_BETWEEN_LOOKS):
            with self._lock:
                self._bar.set_postfix_str(running(self._waiting))


def running(waiting: Sequence[Cell]) -> str:
    """Those of the cells that have begun, with the steps of their last evaluations, in words."""
    begun = [cell for cell in waiting if cell.log.exists()]
    words = [f"{cell.name} ({_steps(cell):,} of {cell.steps:,} steps)" for cell in begun[:_MOST_NAMED]]
    return "; ".join([*words, f"{len(begun) - _MOST_NAMED} more"] if len(begun) > _MOST_NAMED else words)


def _steps(cell: Cell) -> int:
    curve = cell.read_curve()
    return int(curve[-1]["step"]) if curve else 0
