"""A table of returns in the making: an append-only file that several processes write and any can resume."""

import json
import os
from itertools import product
from os import PathLike
from pathlib import Path

from filelock import FileLock

from procgen_bench.atomic import write_bytes
from procgen_bench.leaderboards.xland.errors import InvalidReturnsError
from procgen_bench.leaderboards.xland.return_files import Axes, axes_json, parsed
from procgen_bench.leaderboards.xland.returns import EvaluationTask, ReturnTable, check_axes, check_return, place_of

_LOCK_SECONDS = 60
Cell = tuple[str, EvaluationTask]


class ReturnJournal:
    """Returns of an evaluation, recorded one by one.

    The file's first line names the policies and tasks; each further line is a return: ``[policy, task, return]``, the
    first two by place. Processes take turns by a lock beside the file. A line that a kill cut short does not count, and
    the next recording removes it; a recorded return is on the disk.

    Args:
        path: The file; begun if there is none.
        policies: Who is evaluated.
        tasks: On what.

    Raises:
        InvalidReturnsError: Policies or tasks are not as they must be, or the file is another evaluation's.
    """

    def __init__(self, path: str | PathLike, policies: tuple[str, ...], tasks: tuple[EvaluationTask, ...]):
        self.path = Path(path)
        self.policies, self.tasks = tuple(policies), tuple(EvaluationTask(*task) for task in tasks)
        check_axes(self.policies, self.tasks)
        self._policy_places = {policy: place for place, policy in enumerate(self.policies)}
        self._task_places = {task: place for place, task in enumerate(self.tasks)}
        self._lock = FileLock(self.path.with_name(f".{self.path.name}.lock"), timeout=_LOCK_SECONDS)
        header = json.dumps(axes_json(self.policies, self.tasks)).encode() + b"\n"
        with self._lock:
            if not self.path.exists():
                write_bytes(self.path, header)
        with self.path.open("rb") as file:
            if file.readline() != header:
                self._refuse(self.path.read_bytes().split(b"\n", 1)[0])

    def record(self, policy: str, task: EvaluationTask, return_: float) -> None:
        """Add a return; it is kept once this has come back.

        Raises:
            UnknownNameError: The policy or the task is none of the evaluation's.
            InvalidReturnsError: The return is negative or not finite.
        """
        task = EvaluationTask(*task)
        if policy not in self._policy_places or task not in self._task_places:
            place_of("policy", policy, self.policies)
            place_of("task", task, self.tasks)
        check_return(policy, task, return_)
        entry = [self._policy_places[policy], self._task_places[task], float(return_)]
        with self._lock, self.path.open("rb+") as file:
            _cut_torn_line(file)
            file.write(json.dumps(entry).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def cells(self) -> dict[Cell, float]:
        """What has been recorded, by policy and task.

        Raises:
            InvalidReturnsError: A line is no return, or two tell different returns of one cell.
        """
        cells: dict[Cell, float] = {}
        # All but the first line, which names the axes, and the last, which is empty or was cut short.
        lines = self.path.read_bytes().split(b"\n")[1:-1]
        for number, line in enumerate(lines, start=2):
            cell, return_ = self._parsed(line, number)
            if cells.setdefault(cell, return_) != return_:
                place = f"{self.path.name}: line {number}: return of {cell[0]!r} on {cell[1]}"
                raise InvalidReturnsError(place, return_, f"{cells[cell]!r}, as recorded before")
        return cells

    def missing(self) -> list[Cell]:
        """The cells without a return, policy by policy in the order of the tasks: what is left to play."""
        recorded = self.cells()
        return [cell for cell in product(self.policies, self.tasks) if cell not in recorded]

    def table(self) -> ReturnTable:
        """The whole table.

        Raises:
            InvalidReturnsError: A cell is missing, or the file is corrupt.
        """
        return ReturnTable.of_cells(self.policies, self.tasks, self.cells())

    def _parsed(self, line: bytes, number: int) -> tuple[Cell, float]:
        place, expected = f"{self.path.name}: line {number}", "[place of policy, place of task, return]"
        try:
            policy, task, return_ = json.loads(line)
        except (ValueError, TypeError):
            raise InvalidReturnsError(place, line, expected) from None
        if not (_is_place(policy, self.policies) and _is_place(task, self.tasks) and type(return_) is float):
            raise InvalidReturnsError(place, line, expected)
        check_return(self.policies[policy], self.tasks[task], return_)
        return (self.policies[policy], self.tasks[task]), return_

    def _refuse(self, header: bytes) -> None:
        axes = parsed(Axes, header, self.path.name)
        for kind, found, ours in (("policies", axes.policies, self.policies), ("tasks", axes.tasks, self.tasks)):
            for theirs, mine in zip([*found, None], [*ours, None]):
                if theirs != mine:
                    place = f"{self.path.name}: the first of the {kind} that is not this evaluation's"
                    raise InvalidReturnsError(
                        place, theirs and str(theirs), f"{mine and str(mine)!r}; use another file"
                    )
        raise InvalidReturnsError(f"{self.path.name}: line 1", header, "the line that this version writes")


def _cut_torn_line(file) -> None:
    """Leave ``file`` at its end, without a last line that has no line break."""
    end = file.seek(0, os.SEEK_END)
    while end:
        file.seek(end - 1)
        if file.read(1) == b"\n":
            break
        end -= 1
    file.truncate(end)
    file.seek(end)


def _is_place(value: object, names: tuple) -> bool:
    return type(value) is int and 0 <= value < len(names)
