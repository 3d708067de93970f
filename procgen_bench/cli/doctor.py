"""``doctor``: what this machine has of all that environments, learners and boards can use."""

import ctypes
import importlib.metadata
import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import typer

from procgen_bench.core.errors import MissingChromiumError
from procgen_bench.core.extras import extras, untested_versions

_NAME = "procgen-bench"
#: In a process of its own, which a driver's fault may end.
_DRAW = """
import mujoco
from procgen_bench.engine.mujoco_rendering import OffscreenRenderer
OffscreenRenderer(mujoco.MjModel.from_xml_string("<mujoco/>")).close()
"""
_DRAW_SECONDS = 60
_CUDA_DRIVER = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"


def register(app: typer.Typer) -> None:
    """Add this module's command to ``app``."""
    app.command()(doctor)


def doctor() -> None:
    """Say what is installed and usable here: versions, extras, Chromium, OpenGL, a GPU, and where things are kept.

    What is missing is no error until something needs it; its line says how to get it. Nothing is changed.

    **Examples**

    ```
    procgen-bench doctor
    ```
    """
    for what, found in _findings():
        typer.echo(f"{what:<20} {found}")


def _findings() -> Iterator[tuple[str, str]]:
    from procgen_bench.core.kernel_cache import describe_cache
    from procgen_bench.core.provenance import commit, hardware, package_versions

    versions = package_versions()
    yield "versions", ", ".join(f"{name} {version}" for name, version in versions.items())
    yield "commit", commit() or "not a checkout"
    yield "machine", hardware()
    for extra, packages in sorted(extras().items()):
        yield f"extra {extra}", _installed(extra, packages)
    yield "windows", _windows()
    yield "Chromium", _chromium()
    yield "MuJoCo's pictures", _drawing()
    yield "GPU", _gpu()
    yield "compiled functions", describe_cache()
    yield "free disk here", f"{shutil.disk_usage(Path.cwd()).free / 1e9:.0f} GB"


def _installed(extra: str, packages: Iterable[str]) -> str:
    """Versions of an extra's packages, or which are missing and what installs them."""
    versions, missing = [], []
    for package in packages:
        try:
            versions.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            missing.append(package)
    if missing:
        return f"missing: {', '.join(missing)}; pip install '{_NAME}[{extra}]'"
    return "; ".join(map(str, untested_versions(extra))) or ", ".join(versions)


def _windows() -> str:
    from procgen_bench.engine.rendering import WrongPygameError, import_pygame

    try:
        return f"pygame-ce {import_pygame().version.ver}"
    except WrongPygameError as error:
        return str(error)


def _chromium() -> str:
    from procgen_bench.envs.web.chromium import find_chromium

    try:
        return find_chromium()
    except MissingChromiumError as error:
        return str(error)


def _drawing() -> str:
    """Whether MuJoCo draws without a screen, and if not, what it says."""
    command = [sys.executable, "-c", _DRAW]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_DRAW_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"no answer within {_DRAW_SECONDS} s"
    if done.returncode == 0:
        return "drawn without a screen"
    reason = (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1]
    return f"cannot be drawn: {reason}"


def _gpu() -> str:
    """What PyTorch, which takes seconds to import, has found where there is a driver."""
    if importlib.util.find_spec("torch") is None:
        return f"PyTorch is not installed; pip install '{_NAME}[baselines]'"
    try:
        ctypes.CDLL(_CUDA_DRIVER)
    except OSError:
        return "none: there is no CUDA driver"
    import torch

    if not torch.cuda.is_available():
        return f"none that PyTorch {torch.__version__} can use"
    names = (torch.cuda.get_device_name(device) for device in range(torch.cuda.device_count()))
    return ", ".join(names)
