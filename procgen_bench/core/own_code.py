"""Users' own code, named as ``module:attribute``: imported where a user names it, and nowhere else."""

import importlib
import os
import re
import sys
import traceback
from collections.abc import Iterable
from contextlib import ContextDecorator
from typing import Any

from procgen_bench.core.errors import ProcgenBenchError

#: Modules that files may name code of, separated by spaces; ``procgen-bench --import`` adds to it.
TRUSTED_MODULES = "PROCGEN_BENCH_IMPORT"
_CODE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")


class OwnCodeError(ProcgenBenchError):
    """There is no such module or attribute, or it is not what it should be."""


class EndedProgramError(ProcgenBenchError):
    """Code that this package was given, an agent, a teacher, a network or an environment, would end the program.

    Attributes:
        reason: What it raised, like ``"SystemExit: 3"``; the error's text also says where.
    """

    reason = ""


class ExitsAreErrors(ContextDecorator):
    """Whatever is inside may fail and not end the program: SystemExit, and all else that is no Exception, become its
    errors. (KeyboardInterrupt remains: it is the user's, who ends the program.)

    It stands around all code that this package was given. Elsewhere ``except Exception`` then suffices, for that code
    fails as any other does: in its row, its worker, its job, or as the command's one line.

    Args:
        but_of: Libraries that may end the program.
    """

    def __init__(self, *but_of: str):
        self._but_of = but_of

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        if error is not None and not isinstance(error, Exception | KeyboardInterrupt):
            *_, (frame, _) = traceback.walk_tb(trace)
            if frame.f_globals.get("__name__", "").partition(".")[0] in self._but_of:
                return
            file, line, *_ = traceback.extract_tb(trace)[-1]
            said = f"{type(error).__name__}: {error}".removesuffix(": ")
            ended = EndedProgramError(f"may not end the program: {said} ({file}, line {line})")
            ended.reason = said
            raise ended.with_traceback(trace) from error


exits_are_errors = ExitsAreErrors()


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
    except Exception as cause:  # whatever their module raises
        raise error(f"{source} cannot be imported: {_reason(cause)}") from cause
    return found


def import_module(name: str) -> Any:
    """A module by its name, also one of the folder that the process was started in."""
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)  # console scripts do not look into the folder that they are started in
    with exits_are_errors:
        return importlib.import_module(name)


def known_code(source: str, error: type[ProcgenBenchError] = OwnCodeError) -> Any:
    """What ``module:attribute`` names, where a file says so: only of modules that the user has imported.

    Raises:
        OwnCodeError: The module has not been imported yet; or :func:`import_code`'s reasons; or ``error`` in its place.
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
        except Exception as cause:  # whatever their module raises
            raise OwnCodeError(f"module {name!r} cannot be imported: {_reason(cause)}") from cause
        known += [name] if name not in known else []
    os.environ[TRUSTED_MODULES] = " ".join(known)


def _reason(cause: Exception) -> str:
    """What an import raised, and the last line of their code on the way there, if any."""
    if isinstance(cause, EndedProgramError):
        return str(cause)
    passed = [frame for frame in traceback.extract_tb(cause.__traceback__) if not _is_importing(frame.filename)]
    place = f" ({passed[-1].filename}, line {passed[-1].lineno})" if passed else ""
    kind = "" if isinstance(cause, ImportError) or not passed else f"{type(cause).__name__}: "
    return f"{kind}{cause}{place}"


def _is_importing(file: str) -> bool:
    return file in (__file__, importlib.__file__) or file.startswith("<frozen importlib")
