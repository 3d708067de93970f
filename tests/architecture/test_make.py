"""The Makefile finds the interpreter that ``PYTHON`` names, or says that there is none."""

import os
import subprocess
import sys

from packaging.requirements import Requirement

from tests.architecture.checkout import CHECKOUT

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
