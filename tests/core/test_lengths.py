"""Lengths of vectors in compiled code are Python's own, to the bit.

The worst tenth of tasks, by hand.

Success is read by one function.
"""

import ast
import math
from pathlib import Path

import numpy as np
import pytest

import procgen_bench
from procgen_bench.core.lengths import length
from procgen_bench.core.success import counted_success, success_info
from procgen_bench.core.worst_tenth import worst_share, worst_tenth, worst_tenth_columns


def test_lengths_are_those_of_python():
    vectors = np.random.default_rng(0).normal(size=(20_000, 3)) * np.array([1.0, 1e-3, 30.0])
    origin = (0.0, 0.0, 0.0)
    assert all(length(x, y, z) == math.dist((x, y, z), origin) for x, y, z in vectors.tolist())
    assert all(length(x, y, 0.0) == math.hypot(x, y) for x, y, _ in vectors.tolist())


@pytest.mark.parametrize(("count", "worst"), [(1, 1), (2, 1), (9, 1), (10, 1), (19, 1), (20, 2), (200, 20)])
def test_it_is_the_mean_of_a_tenth_of_the_tasks_and_of_one_at_least(count, worst):
    scores = np.random.default_rng(count).permutation(np.arange(count, dtype=np.float64))
    assert worst_tenth(scores) == np.arange(worst).mean()
    assert worst_tenth(np.stack([scores, -scores])).shape == (2,)


@pytest.mark.parametrize(("percent", "worst"), [(1, 2), (2, 5), (5, 12), (29, 72), (50, 125), (100, 250)])
def test_other_shares_are_rounded_down_too(percent, worst):
    scores = np.random.default_rng(percent).permutation(np.arange(250, dtype=np.float64))
    assert worst_share(scores, percent) == np.arange(worst).mean()
    assert worst_share(scores[:1], percent) == scores[0]


def test_curves_have_it_beside_the_mean_but_of_a_single_task():
    scores = np.linspace(0.0, 1.0, 21)
    assert worst_tenth_columns(success=scores, back=-scores) == pytest.approx(
        {"worst_tenth_success": 0.025, "worst_tenth_back": -0.975}
    )
    assert worst_tenth_columns(success=scores[:1]) == {}


PACKAGE = Path(procgen_bench.__file__).parent
#: Who carries the entry from a simulation's row to another.
CARRIERS = {"core/success.py", "engine/row_environments.py", "envs/compositional_minigrid/library_simulation.py"}


def test_what_lasts_counts_where_an_environment_tells_it():
    assert success_info(True) == {"success": True, "is_success": True}
    lasting = {"success": True, "settled": True, "stands": False}
    assert success_info(True, settled=True, stands=False) == lasting | {"is_success": False}
    for info in (success_info(True), success_info(False), success_info(True, stands=True)):
        assert info["is_success"] is counted_success(info)


def test_nobody_else_reads_the_entry():
    read = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py") if _reads_success(path.read_text())}
    for folder in PACKAGE.iterdir():  # rglob follows no links
        if folder.is_symlink():
            found = (path for path in folder.resolve().rglob("*.py") if _reads_success(path.read_text()))
            read |= {f"{folder.name}/{path.relative_to(folder.resolve()).as_posix()}" for path in found}
    assert read == CARRIERS


def test_a_reader_is_found():
    assert _reads_success('solved = infos["success"][row]') and not _reads_success('row["success"] = 1.0')


def _reads_success(source: str) -> bool:
    return any(
        isinstance(node, ast.Subscript)
        and "info" in ast.unparse(node.value)
        and ast.unparse(node.slice) in ("'success'", "'settled'", "'stands'")
        for node in ast.walk(ast.parse(source))
    )
