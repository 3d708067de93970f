"""What produced a result: commit, versions, hardware."""

import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

_PACKAGES = (
    "procgen-bench",
    "gymnasium",
    "numpy",
    "numba",
    "torch",
    "stable-baselines3",
    "mujoco",
    "pybullet",
    "minigrid",
    "playwright",
)


def provenance() -> dict[str, Any]:
    """Commit of the checkout (``None`` outside one), versions of what decides results, and the machine in words."""
    return {"commit": commit(), "versions": package_versions(), "hardware": hardware()}


def package_versions() -> dict[str, str]:
    """Versions of Python and of the installed packages that can change a result."""
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue  # an extra that is not installed decides nothing
    return versions


def commit() -> str | None:
    """Commit of the checkout that this code runs from, ``+changes`` when files differ from it; ``None`` outside one."""
    folder = Path(__file__).parent
    if not (folder.parent / ".git").exists():
        return None
    try:
        revision = _git(folder, "rev-parse", "HEAD")
        changes = _git(folder, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.CalledProcessError):
        return None  # no git here, or no commit that it would tell
    return f"{revision}+changes" if changes else revision


def hardware() -> str:
    """Processor and number of cores."""
    return f"{_processor()}, {os.cpu_count()} cores"


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True).stdout.strip()
