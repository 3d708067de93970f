"""Training for a moment: it compiles everything of the learners' that is compiled at all."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

BASELINES = Path(__file__).parents[2] / "baselines"
#: Compiled at the first use of ants, as those of the environments are.
OF_ENVIRONMENTS = {"walking"}
#: Prints the modules of which it compiles something.
COMPILING = """
from numba.core import event

from procgen_bench.baselines.first_use import train_once


class Listener(event.Listener):
    modules = set()

    def on_start(self, event):
        self.modules.add(event.data["dispatcher"].py_func.__module__)

    def on_end(self, event):
        pass


event.register("numba:compile", Listener())
train_once()
print(*sorted(Listener.modules))
"""


def compiled_modules() -> set[str]:
    """Names of the modules that have a compiled function."""
    found = set()
    for path in BASELINES.rglob("*.py"):
        decorators = [
            one
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.FunctionDef)
            for one in node.decorator_list
        ]
        if any(ast.unparse(one).startswith("njit") for one in decorators):
            found.add(path.stem)
    return found - OF_ENVIRONMENTS


@pytest.mark.slow
def test_nothing_is_left_to_compile(tmp_path):
    pytest.importorskip("stable_baselines3")
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", COMPILING], env=environment, capture_output=True, text=True, check=True, timeout=300
    )
    modules = {name.rpartition(".")[2] for name in done.stdout.split() if name.startswith("procgen_bench.baselines.")}
    assert compiled_modules() == modules and "kernels" in modules
