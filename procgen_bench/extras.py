"""Optional dependencies: imported late, and a missing one is answered with the extra that brings it."""

import importlib
from collections.abc import Sequence
from types import ModuleType

from procgen_bench.errors import MissingExtraError


def import_extra(module: str, extra: str, packages: Sequence[str] = ()) -> ModuleType:
    """Import ``module``, or raise :class:`MissingExtraError` naming the ``extra`` to install.

    Args:
        module: A module of an optional package, or one of our own that imports such packages.
        extra: The extra that brings them.
        packages: The packages that the extra brings; by default the one that ``module`` belongs to.

    Raises:
        ModuleNotFoundError: Something else is missing; it is not the extra's to bring.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in (packages or [module.partition(".")[0]]):
            raise
        raise MissingExtraError(package, extra) from None
