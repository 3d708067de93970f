"""mypy passes on the whole package, and finds its packages, as pyright does, wherever the package is."""

import json
import subprocess
import sys

import pytest

from tests.architecture.checkout import CHECKOUT
from tests.architecture.installing import made_environment, pip, run

PROBE = """
from procgen_bench.tasks.grid_world import GridWorldTaskSpace

reveal_type(GridWorldTaskSpace().decode)
"""


#: What pyproject.toml says of the larger packages; those that have types take longer to read than all of ours.
READ = "ignore_missing_imports = true"
#: Packages of which pyproject.toml says nothing, for they have types; their own insides take a quarter of the time.
TYPED = (
    "gymnasium.wrappers.transform_observation", "markdown_it.*", "numba.*", "onnx.*", "pydantic.*",
    "pygame.*", "rich.*",
)  # fmt: skip
#: Neither are followed, nor their stubs.
UNREAD = f"""{READ}
follow_imports = "skip"
follow_imports_for_stubs = true

[[tool.mypy.overrides]]
module = {json.dumps(TYPED)}
follow_imports = "skip"
follow_imports_for_stubs = true
"""


@pytest.mark.parametrize(
    "others", [pytest.param(UNREAD, id="unread"), pytest.param(READ, id="read", marks=pytest.mark.slow)]
)
def test_mypy_passes(others, tmp_path):
    settings = (CHECKOUT / "pyproject.toml").read_text()
    assert settings.count(READ) == 1
    (tmp_path / "pyproject.toml").write_text(settings.replace(READ, others))
    # What was read under other settings is not taken from a cache: each has one, and leaves the developer's as it is.
    cache = CHECKOUT / ".mypy_cache" / ("unread" if others == UNREAD else "read")
    process = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", tmp_path / "pyproject.toml", "--cache-dir", cache],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stdout + process.stderr


@pytest.fixture(
    params=[
        "beside the checkout",
        # Another file holds where these installations lead Python; that type checkers follow takes half a minute.
        pytest.param("editable", marks=pytest.mark.slow),
        pytest.param("wheel", marks=pytest.mark.slow),
    ]
)
def python_and_folder(request, checkout, tmp_path):
    """An interpreter, and the folder in which programs are written for it."""
    environment = made_environment(tmp_path)
    if request.param == "editable":
        pip(environment, "--no-deps", "--editable", checkout)
    elif request.param == "wheel":
        pip(environment, "--no-deps", request.getfixturevalue("wheel"))
    return environment / "bin" / "python", checkout if request.param == "beside the checkout" else tmp_path


def test_mypy_and_pyright_find_the_packages(python_and_folder, tmp_path):
    python, folder = python_and_folder
    program = tmp_path / "program.py"
    program.write_text(PROBE)
    of_mypy = [
        "--config-file=",
        "--ignore-missing-imports",
        "--follow-imports=silent",
        "--cache-dir",
        tmp_path / "cache",
        "--python-executable",
        python,
    ]
    assert "-> procgen_bench.tasks.grid_world.task.GridWorldTask" in run(
        sys.executable, "-m", "mypy", *of_mypy, program, cwd=folder
    )
    assert "-> GridWorldTask" in run(sys.executable, "-m", "pyright", "--pythonpath", python, program, cwd=folder)
