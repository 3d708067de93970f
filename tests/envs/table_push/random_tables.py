"""What uniformly drawn tables are like: ``python -m tests.envs.table_push.random_tables [COUNT [PROCESSES]]``.

The paper remarks that most random tasks are infeasible or trivially easy; this counts them, by the solver.
"""

import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

from procgen_bench.engine.parallel import Workers, parallel_map
from procgen_bench.envs.table_push.solving import UndecidedTaskError, solve
from procgen_bench.tasks.table_push import TablePushTaskSpace
from procgen_bench.tasks.table_push.table import GOAL_RADIUS, TARGET

SEED, COUNT = 20_401, 10_000
#: Most pushes that the search may simulate on one table: some ten seconds.
MAX_PUSHES = 3_000
#: Plans of this length are trivial.
TRIVIAL_LENGTH = 1


@dataclass(frozen=True)
class TableFinding:
    """What is found of one table.

    Attributes:
        target_present: Whether the target is there.
        on_goal: Whether the target starts on the goal.
        length: Pushes of the shortest plan; ``None``: there is none, or it is not decided.
        undecided: Whether the search was cut short.
    """

    target_present: bool
    on_goal: bool
    length: int | None
    undecided: bool


def examine(number: int, max_pushes: int = MAX_PUSHES) -> TableFinding:
    """What table ``number`` of the endless list of uniformly drawn ones is like."""
    space = TablePushTaskSpace()
    task = space.decode(space.sample(np.random.default_rng((SEED, number))))
    distance = np.hypot(*(task.objects[TARGET] - task.goal))
    finding = partial(TableFinding, bool(task.present[TARGET]), bool(distance <= GOAL_RADIUS))
    try:
        plan = solve(task, max_pushes)
    except UndecidedTaskError:
        return finding(length=None, undecided=True)
    return finding(length=None if plan is None else len(plan), undecided=False)


def examine_many(count: int = COUNT, workers: Workers = None) -> list[TableFinding]:
    """The first ``count`` tables, shared out among workers; shows progress."""
    return parallel_map(examine, range(count), workers, progress="tables", unit="table")


def summary(findings: Iterable[TableFinding]) -> dict[str, float]:
    """Shares of all tables, by name."""
    findings = list(findings)
    feasible = [finding for finding in findings if finding.length is not None]
    trivial = [finding for finding in feasible if finding.length is not None and finding.length <= TRIVIAL_LENGTH]
    counted = {
        "target present": [finding for finding in findings if finding.target_present],
        "target starts on the goal": [finding for finding in findings if finding.on_goal],
        "feasible": feasible,
        "trivial (one push)": trivial,
        "feasible, not trivial": [finding for finding in feasible if finding not in trivial],
        "undecided": [finding for finding in findings if finding.undecided],
    }
    return {name: len(those) / len(findings) for name, those in counted.items()}


def main(count: int, processes: int) -> None:
    """Print what the tables are like."""
    begun = time.perf_counter()
    findings = examine_many(count, processes)
    for name, share in summary(findings).items():
        print(f"{name:28}{share:8.2%}")
    lengths = np.bincount([finding.length for finding in findings if finding.length is not None], minlength=2)
    print("tables by length of the shortest plan:", {n: int(k) for n, k in enumerate(lengths) if k})
    print(f"{count} tables, {processes} processes, {time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:3]]
    main(*given, *(COUNT, 1)[len(given) :])
