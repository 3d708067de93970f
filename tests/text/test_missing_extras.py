"""The doors are optional: nothing else loads what they need, and where it is missing, the extra is named."""

import ast
import json
import subprocess
import sys

import pytest

from tests.architecture.checkout import CHECKOUT, modules

#: Modules that need an extra -> the packages that it brings.
DOORS = {
    "procgen_bench.text.openenv_server": {"openenv", "fastapi", "starlette", "uvicorn"},
    "procgen_bench.text.verifiers_environment": {"verifiers", "openai", "httpx"},
}
#: In a process that has none of these packages, nor an installation that would know of the extras by itself.
WITHOUT = f"""
import importlib.metadata, json, sys
sys.modules.update(dict.fromkeys({sorted(set().union(*DOORS.values()))}))
REQUIRES = ['openenv-core; extra == "serve"', 'uvicorn; extra == "serve"', 'httpx; extra == "verifiers"']
importlib.metadata.requires = lambda name: REQUIRES
versions = importlib.metadata.version
def version(name):
    if name in ("openenv-core", "uvicorn", "httpx"):
        raise importlib.metadata.PackageNotFoundError(name)
    return versions(name)
importlib.metadata.version = version
"""
LOAD = """
from procgen_bench.core.errors import MissingExtraError
from procgen_bench.text import load_environment
try:
    load_environment("GMiniWoB-v0")
except MissingExtraError as error:
    print(json.dumps(str(error)))
"""


def run(*words: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, cwd=CHECKOUT, check=False)


def test_a_missing_extra_is_named():
    assert json.loads(run("-c", WITHOUT + LOAD).stdout) == (
        "httpx is not installed; install it with: pip install 'procgen-bench[verifiers]'"
    )
    served = "from procgen_bench.cli import main\nmain(['serve', 'GMiniWoB-v0'])"
    refused = run("-c", WITHOUT + served)
    assert refused.returncode == 2 and "pip install 'procgen-bench[serve]'" in refused.stderr
    assert refused.stderr.count("\n") == 1


@pytest.mark.parametrize("door", DOORS)
def test_only_the_doors_import_their_packages(door):
    importing = set()
    for name, path in modules().items():
        for node in ast.walk(ast.parse(path.read_text())):
            named = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            named += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            if any(one.partition(".")[0] in DOORS[door] for one in named):
                importing.add(name)
    assert importing == {door}
