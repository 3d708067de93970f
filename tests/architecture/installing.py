"""Environments made for tests, and what is installed into them."""

import os
import subprocess
import sys
import sysconfig
import venv
from importlib.metadata import Distribution, distribution, distributions
from pathlib import Path

from packaging.requirements import Requirement


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
    """Install into an environment, which needs no pip of its own. What is imported is compiled then."""
    python = environment / "bin" / "python"
    options = ("install", "--quiet", "--no-compile")
    run(sys.executable, "-m", "pip", "--python", python, *options, *arguments, cwd=environment)


def lend_requirements(environment: Path, name: str) -> None:
    """Link what an installed distribution requires, and what that does, into its environment from ours."""
    (start,) = distributions(name=name, path=[str(site_packages(environment))])
    known, waiting = {name}, [start]
    while waiting:
        for required in requirements(waiting.pop()) - known:
            known.add(required)
            waiting.append(distribution(required))
            for entry in {file.parts[0] for file in waiting[-1].files} - {"..", "__pycache__"}:
                if not (site_packages(environment) / entry).exists():
                    (site_packages(environment) / entry).symlink_to(waiting[-1].locate_file(entry))


def requirements(of: Distribution) -> set[str]:
    """The names of what a distribution requires here without extras."""
    wanted = map(Requirement, of.requires or [])
    return {one.name for one in wanted if one.marker is None or one.marker.evaluate({"extra": ""})}
