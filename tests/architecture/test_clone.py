"""A clone without symbolic links, as Git makes one on Windows without developer mode.

The Dockerfile installs what there is: extras of the package, and the Debian packages of the Makefile.

The Makefile finds the interpreter that ``PYTHON`` names, or says that there is none.
"""

import os
import re
import shutil
import subprocess
import sys

import pytest
from packaging.requirements import Requirement

from tests.architecture.checkout import CHECKOUT, LINKED_PACKAGES, SETUP
from tests.architecture.installing import run

PLAY = """
import gymnasium, procgen_bench
import procgen_bench.baselines.method_table, procgen_bench.leaderboards.submission.folder
env = gymnasium.make("GridWorld-v0")
env.reset(seed=0, options={"task": "graded/7"})
for action in env.unwrapped.task_space.solve(env.unwrapped.task):
    *_, info = env.step(action)
print(procgen_bench.baselines.__file__, info["success"])
"""


@pytest.fixture(scope="module")
def clone(checkout, tmp_path_factory):
    """A copy of the checkout in which a file with the link's target stands for every link, as Git writes it."""
    folder = tmp_path_factory.mktemp("clone") / "here"
    shutil.copytree(checkout, folder, symlinks=True)
    for name in LINKED_PACKAGES:
        link = folder / "procgen_bench" / name
        target = link.readlink()
        link.unlink()
        link.write_text(str(target))
    return folder


@pytest.mark.slow
def test_a_clone_without_links_imports_and_plays(clone):
    file, success = run(sys.executable, "-c", PLAY, cwd=clone).split()
    assert file == str(clone / "baselines" / "__init__.py") and success == "True"


@pytest.mark.slow
def test_its_command_line_evaluates(clone, tmp_path):
    command = ("evaluate", "grid-world/target-a", "--policy", "solver", "--out", tmp_path / "solver")
    assert f"wrote {tmp_path / 'solver'}" in run(sys.executable, "-m", "procgen_bench.cli", *command, cwd=clone)


DOCKERFILE = (CHECKOUT / "Dockerfile").read_text()


def test_extras_are_those_of_the_package():
    (extras,) = re.findall(r"^ARG EXTRAS=(.*)$", DOCKERFILE, re.MULTILINE)
    assert set(extras.split(",")) < set(SETUP["options.extras_require"])


def test_what_is_drawn_with_is_what_the_tests_draw_with():
    (egl,) = re.findall(r"^EGL := (.*)$", (CHECKOUT / "Makefile").read_text(), re.MULTILINE)
    (installed,) = re.findall(r"--no-install-recommends (.*) \\$", DOCKERFILE, re.MULTILINE)
    assert set(egl.split()) | {"chromium-headless-shell"} == set(installed.split())


def test_who_runs_it_is_not_root():
    assert re.findall(r"^USER (.*)$", DOCKERFILE, re.MULTILINE)[-1] not in ("root", "0")


VERSION = "{}.{}".format(*sys.version_info)


def planned(target: str, python: str, pyenv_root) -> subprocess.CompletedProcess:
    """What make would do for a target; variables of a make that runs the tests are removed."""
    clean = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    return subprocess.run(
        ["make", "--dry-run", "--always-make", target, f"PYTHON={python}"],
        cwd=CHECKOUT,
        env=clean | {"PYENV_ROOT": str(pyenv_root)},
        capture_output=True,
        text=True,
    )


def test_interpreters_behind_pyenv_are_found(tmp_path):
    interpreter = tmp_path / "versions" / "any" / "bin" / "python-of-ours"
    interpreter.parent.mkdir(parents=True)
    interpreter.symlink_to(sys.executable)
    plan = planned(f".venv-{VERSION}/installed", interpreter.name, tmp_path)
    assert plan.stdout.startswith(f"{interpreter} -m venv .venv-{VERSION}\n"), plan.stderr


def test_missing_interpreter_is_named(tmp_path):
    plan = planned("lint", "python-of-nobody", tmp_path)
    assert plan.returncode == 2 and plan.stdout == ""
    assert "PYTHON=python-of-nobody starts no interpreter here" in plan.stderr and plan.stderr.count("\n") == 1


def test_constraints_pin_every_package_once():
    lines = [line for line in (CHECKOUT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    pins = [Requirement(line) for line in lines]
    assert all(len(pin.specifier) == 1 and str(pin.specifier).startswith("==") for pin in pins)
    assert len({pin.name.lower().replace("_", "-") for pin in pins}) == len(pins)
