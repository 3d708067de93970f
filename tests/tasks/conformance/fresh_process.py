"""The same tasks in another process, in which sets and dictionaries of strings have another order."""

import json
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import numpy as np

from tests.tasks.conformance.cases import Case

CHECKOUT = Path(__file__).parents[3]


def fingerprints(case: Case) -> list[str]:
    """Of a sampled task, a drawn one, published ones, and a mutation."""
    tasks = list(case.tasks(1, seed=11))
    return [task.fingerprint() for task in [*tasks, case.space.mutate(tasks[0], np.random.default_rng(12))]]


def check_repeats_in_a_fresh_process(cases: str) -> None:
    """The cases (``"module:name"`` of a tuple) give the same tasks in two processes."""
    here = {str(case): fingerprints(case) for case in pkgutil.resolve_name(cases)}
    there = subprocess.run(
        [sys.executable, "-m", __name__, cases],
        stdout=subprocess.PIPE,
        cwd=CHECKOUT,
        env=os.environ | {"PYTHONHASHSEED": "1234", "NUMBA_NUM_THREADS": "1"},
        check=True,
    ).stdout
    for name, found in json.loads(there).items():
        assert found == here[name], f"{name}: another process has other tasks"


if __name__ == "__main__":
    print(json.dumps({str(case): fingerprints(case) for case in pkgutil.resolve_name(sys.argv[1])}))
