"""Environments made for tests, and what is installed into them."""

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path


def run(*command, cwd, **options) -> str:
    """Standard output of a command; its error output is shown when it fails."""
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    process = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=clean, capture_output=True, text=True, **options
    )
    assert process.returncode == 0, f"{command} failed:\n{process.stdout[-3000:]}\n{process.stderr[-3000:]}"
    return process.stdout


def made_environment(parent: Path) -> Path:
    """A new virtual environment with nothing in it."""
    venv.create(parent / "environment", with_pip=False, symlinks=True)
    return parent / "environment"


def site_packages(environment: Path) -> Path:
    """The folder in which an environment's packages lie."""
    return Path(sysconfig.get_path("purelib", "venv", {"base": str(environment)}))


def pip(environment: Path, *arguments) -> None:
    """Install into an environment, which needs no pip of its own."""
    python = environment / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", *arguments, cwd=environment)
