"""Success is read by one function."""

import ast
from pathlib import Path

import procgen_bench
from procgen_bench.core.success import counted_success, success_info

PACKAGE = Path(procgen_bench.__file__).parent
#: Who carries the entry from a simulation's row to another.
CARRIERS = {"core/success.py", "engine/row_environments.py", "envs/compositional_minigrid/library_simulation.py"}


def test_what_lasts_counts_where_an_environment_tells_it():
    assert success_info(True) == {"success": True, "is_success": True}
    assert success_info(True, settled=False) == {"success": True, "settled": False, "is_success": False}
    for info in (success_info(True), success_info(False), success_info(True, False), success_info(True, True)):
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
        and ast.unparse(node.slice) in ("'success'", "'settled'")
        for node in ast.walk(ast.parse(source))
    )
