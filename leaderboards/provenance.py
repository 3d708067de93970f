"""What produced a result: versions, commit and hardware."""

import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path

import procgen_bench
from procgen_bench.version import __version__

_PACKAGES = ("gymnasium", "numba", "numpy", "safetensors", "scipy", "stable-baselines3", "torch")


def package_versions() -> dict[str, str]:
    """Versions of Python, of this package and of the installed packages that can change a score."""
    versions = {"python": platform.python_version(), "procgen-bench": __version__}
    for package in _PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue  # an optional one that is not installed
    return versions


def commit() -> str | None:
    """Commit of this package's checkout, ``-dirty`` after it if it was changed; ``None`` for an installed package."""
    source = Path(procgen_bench.__file__)
    try:
        # Only a checkout of ours: a package installed below somebody else's repository is not tracked there.
        _git(source.parent, "ls-files", "--error-unmatch", source.name)
        return _git(source.parent, "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*")
    except (OSError, subprocess.CalledProcessError):
        return None


def hardware() -> str:
    """Processor, number of its cores, and operating system, on one line."""
    return f"{_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:  # not Linux
        return platform.processor() or "unknown processor"
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or "unknown processor")


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
