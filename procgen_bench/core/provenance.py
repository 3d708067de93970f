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
    "gymnasium-robotics",
    "pybullet",
    "minigrid",
    "playwright",
)
#: What a processor can do that decides which variant of a mathematical function a library takes, and so last bits.
_PROCESSOR_FEATURES = ("fma", "avx2", "avx512f")
_PROCESSOR_FILE = Path("/proc/cpuinfo")
#: Stands behind a commit that the code differs from.
CHANGED = "+changes"


def provenance() -> dict[str, Any]:
    """Commit of the checkout (``None`` outside one), versions of what decides results, and the machine in words."""
    return {"commit": commit(), "versions": package_versions(), "hardware": hardware()}


def package_versions() -> dict[str, str]:
    """Versions of Python, the C library and the installed packages that can change a result."""
    versions = {"python": platform.python_version()}
    if (libc := _libc()) is not None:
        versions["libc"] = libc
    for package in _PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue  # an extra that is not installed decides nothing
    return versions


def commit() -> str | None:
    """Commit of the checkout that this code runs from, ``+changes`` when files differ from it; ``None`` outside one."""
    folder = Path(__file__).resolve().parents[2]
    if not (folder / ".git").exists():
        return None
    try:
        revision = _git(folder, "rev-parse", "HEAD")
        changes = _git(folder, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.CalledProcessError):
        return None  # no git here, or no commit that it would tell
    return revision + CHANGED if changes else revision


def hardware() -> str:
    """Processor, number of cores, and those of the processor's features that can change a result."""
    described = _described_processor()
    name = described.get("model name") or platform.processor() or platform.machine()
    features = [feature for feature in _PROCESSOR_FEATURES if feature in described.get("flags", "").split()]
    return ", ".join([name, f"{os.cpu_count()} cores", *([" ".join(features)] if features else [])])


def _libc() -> str | None:
    """Name and version of the C library, whose mathematical functions physics rests on; ``None`` where it tells none.

    The library that runs is asked: the interpreter's file names one that it was built for.
    """
    try:
        running = os.confstr("CS_GNU_LIBC_VERSION")
    except (ValueError, OSError):  # another library than GNU's
        running = None
    return running or " ".join(part for part in platform.libc_ver() if part) or None


def _described_processor() -> dict[str, str]:
    """What Linux says of the first processor, by name; nothing elsewhere."""
    if not _PROCESSOR_FILE.exists():
        return {}
    first, _, _ = _PROCESSOR_FILE.read_text("utf-8").partition("\n\n")
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in first.splitlines())}


def _git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True).stdout.strip()
