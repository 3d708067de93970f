"""Optional dependencies: imported late, and a missing one is answered with the extra that brings it."""

import importlib
from types import ModuleType

from procgen_bench.errors import MissingExtraError


def import_extra(module: str, extra: str) -> ModuleType:
    """Import ``module``, or raise :class:`MissingExtraError` naming the ``extra`` to install."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != package:
            raise  # the package is there, something it needs is not: say that, not ours
        raise MissingExtraError(package, extra) from None
