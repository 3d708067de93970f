"""Optional dependencies: imported late, and a missing one is answered with the extra that brings it."""

import importlib
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType

from procgen_bench.core.errors import MissingExtraError, NoRendererError


def import_extra(module: str, extra: str, packages: Sequence[str] = ()) -> ModuleType:
    """Import ``module``, or raise :class:`MissingExtraError` naming the ``extra`` to install.

    Args:
        module: A module of an optional package, or one of our own that imports such packages.
        extra: The extra that brings them.
        packages: The packages that the extra brings; by default the one that ``module`` belongs to.

    Raises:
        ModuleNotFoundError: Something else is missing; it is not the extra's to bring.
        NoRendererError: MuJoCo cannot be loaded with the renderer that ``MUJOCO_GL`` asks for.
    """
    with naming_extra(extra, packages or [module.partition(".")[0]]):
        return importlib.import_module(module)


@contextmanager
def naming_extra(extra: str, packages: Sequence[str]) -> Iterator[None]:
    """An import error inside, of one of the ``packages``, names the ``extra`` that brings them."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in packages:
            raise
        raise MissingExtraError(package, extra) from None
    except Exception as error:
        # MuJoCo loads the renderer's library with itself, and what that raises is PyOpenGL's.
        if "MUJOCO_GL" in os.environ and "mujoco" in packages and "mujoco" not in sys.modules:
            raise NoRendererError(error) from error
        raise
