"""Code of people's own, named as ``module:attribute``: imported where a person names it, and nowhere else."""

import importlib
import os
import re
import sys
from collections.abc import Iterable
from typing import Any

from procgen_bench.core.errors import ProcgenBenchError

#: Modules that files may name code of, separated by spaces; ``procgen-bench --import`` adds to it.
TRUSTED_MODULES = "PROCGEN_BENCH_IMPORT"
_CODE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")


class OwnCodeError(ProcgenBenchError):
    """There is no such module or attribute, or it is not what it should be."""


def names_code(source: object) -> bool:
    """Whether it is of the form ``module:attribute``."""
    return isinstance(source, str) and _CODE.fullmatch(source) is not None


def import_code(source: str, error: type[ProcgenBenchError] = OwnCodeError) -> Any:
    """What ``module:attribute`` names; the folder that the process was started in is looked into, too.

    Raises:
        OwnCodeError: It is not of that form, or cannot be imported; or ``error`` in its place.
    """
    if not names_code(source):
        raise error(f"{source!r} names no code, expected module:attribute")
    module, _, name = source.partition(":")
    try:
        found = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as cause:
        raise error(f"{source} cannot be imported: {cause}") from cause
    return found


def import_module(name: str) -> Any:
    """A module by its name, also one of the folder that the process was started in."""
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)  # console scripts do not look into the folder that they are started in
    return importlib.import_module(name)


def known_code(source: str, error: type[ProcgenBenchError] = OwnCodeError) -> Any:
    """What ``module:attribute`` names, where a file says so: only of modules that a person has asked for.

    Raises:
        OwnCodeError: Nobody has imported the module yet; or :func:`import_code`'s reasons; or ``error`` in its place.
    """
    module = source.partition(":")[0]
    if names_code(source) and module not in sys.modules and module not in os.environ.get(TRUSTED_MODULES, "").split():
        raise error(
            f"{source} is code that is not imported because a file names it; if you trust it, name it yourself: "
            f"procgen-bench --import {module} ..., or import it"
        )
    return import_code(source, error)


def trust(modules: Iterable[str]) -> None:
    """Import modules, here and in the processes that are started from here when they need them.

    Raises:
        OwnCodeError: One cannot be imported.
    """
    known = os.environ.get(TRUSTED_MODULES, "").split()
    for name in modules:
        try:
            import_module(name)
        except ImportError as cause:
            raise OwnCodeError(f"module {name!r} cannot be imported: {cause}") from cause
        known += [name] if name not in known else []
    os.environ[TRUSTED_MODULES] = " ".join(known)
