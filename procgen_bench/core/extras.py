"""Optional dependencies: which extra brings which module, and which versions were tested, as the metadata says."""

import importlib
import importlib.metadata
import importlib.util
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import ModuleType, TracebackType

from procgen_bench.core.errors import MissingExtraError, NoRendererError, UntestedVersionError

_NAME = "procgen-bench"
#: What a requirement says: a distribution, or other extras of ours, who asks for it, and below which Python.
_REQUIRED = re.compile(
    r"(?P<distribution>[\w.-]+)(?:\[(?P<others>[\w,.-]+)\])?(?P<versions>[^;]*);"
    r'(?: python_version < "3\.(?P<below>\d+)" and)? extra == "(?P<extra>\w+)"'
)
#: Modules whose distributions have other names.
_DISTRIBUTIONS = {"browsergym": "browsergym-core", "openenv": "openenv-core", "sklearn": "scikit-learn"}


def import_extra(module: str, extra: str | None = None) -> ModuleType:
    """Import ``module``, or raise :class:`MissingExtraError` naming the extra that brings what is missing.

    Args:
        module: A module of an optional package, or one of our own that imports such packages.
        extra: The extra of a family: see :func:`extra_of`. Its packages have to be of versions that were tested.

    Raises:
        MissingExtraError: A package is not installed.
        UntestedVersionError: A package of the extra is installed in a version that was not tested with it.
        ModuleNotFoundError: Something is missing that no extra brings.
        NoRendererError: MuJoCo cannot be loaded with the renderer that ``MUJOCO_GL`` asks for.
    """
    if extra is not None:
        check_versions(extra)
    with naming_extra(extra):
        return importlib.import_module(module)


@cache
def check_versions(extra: str) -> None:
    """Refuse packages of an extra that are installed in versions that were not tested with it; of any, if none are.

    Raises:
        UntestedVersionError: There is one; the error names both versions, and the command that mends it.
    """
    for error in untested_versions(extra):
        raise error


def check_installed(extra: str) -> None:
    """Refuse an extra of which a package is missing, or was not tested in its version; nothing is imported.

    Raises:
        MissingExtraError: There is one.
    """
    for distribution, _ in sorted(_closure(extra)):
        try:
            importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            raise MissingExtraError(distribution, extra) from None
    check_versions(extra)


def untested_versions(extra: str) -> Iterator[UntestedVersionError]:
    """One error for each package of an extra that is installed in a version that was not tested with it."""
    for distribution, tested in _closure(extra):
        try:
            found = importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            continue  # what is missing is named when it is imported
        if not _within(found, tested):
            yield UntestedVersionError(distribution, found, extra, tested)


@contextmanager
def naming_extra(extra: str | None = None) -> Iterator[None]:
    """An import inside that fails for want of a package names the extra that brings it; see :func:`extra_of`.

    Raises:
        MissingExtraError: A package of an extra is missing.
        NoRendererError: MuJoCo finds no OpenGL where ``MUJOCO_GL`` is set.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        found = extra_of(package, extra)
        if found is None:
            raise
        raise MissingExtraError(package, found) from None
    except Exception as error:
        # MuJoCo loads the renderer's library with itself, and what that raises is PyOpenGL's.
        if "MUJOCO_GL" in os.environ and "mujoco" not in sys.modules and _passed("mujoco", error.__traceback__):
            raise NoRendererError(error) from error
        raise


def check_modules(*modules: str, extra: str | None = None) -> None:
    """Refuse what will need ``modules`` before it begins; none of them is imported.

    Raises:
        MissingExtraError: One is not installed.
    """
    for module in modules:
        if not _is_installed(module):
            with naming_extra(extra):
                raise ModuleNotFoundError(f"No module named {module!r}", name=module)


def extra_of(module: str, extra: str | None = None) -> str | None:
    """The extra that brings a module; ``None``: none does.

    Of several it is ``extra``, if that is one of them (a family's, which brings what it needs besides), else the one
    that brings least.
    """
    distribution = _DISTRIBUTIONS.get(module, module.replace("_", "-"))
    closed = {name: {brought for brought, _ in _closure(name)} for name in _declared()}
    found = sorted((len(brings), name) for name, brings in closed.items() if distribution in brings)
    if any(name == extra for _, name in found):
        return extra
    return found[0][1] if found else None


def extras() -> dict[str, dict[str, str]]:
    """Extra -> the distributions that it asks for by itself under this Python, with the range of each's versions.

    Extras made of others alone are left out.
    """
    found = {
        extra: {name: versions for name, (versions, others) in asked.items() if not others}
        for extra, asked in _declared().items()
    }
    return {extra: asked for extra, asked in found.items() if asked}


def _declared() -> dict[str, dict[str, tuple[str, tuple[str, ...]]]]:
    """Extra -> the distributions that it asks for: the range of each's versions, and which extras of it."""
    try:
        requirements = importlib.metadata.requires(_NAME) or []
    except importlib.metadata.PackageNotFoundError:  # imported from its files, without being installed
        requirements = []
    found: dict[str, dict[str, tuple[str, tuple[str, ...]]]] = {}
    for requirement in requirements:
        asked = _REQUIRED.match(requirement)
        if asked is None or (asked["below"] and sys.version_info >= (3, int(asked["below"]))):
            continue
        own = _name(asked["distribution"]) == _NAME
        others = tuple(asked["others"].split(",")) if own else ()
        key = requirement if own else _name(asked["distribution"])
        versions = ",".join(sorted(asked["versions"].strip().split(","), reverse=True))  # from the least on
        found.setdefault(asked["extra"], {})[key] = (versions, others)
    return found


def _closure(extra: str) -> set[tuple[str, str]]:
    """The distributions that an extra brings, with their ranges; those of the extras that it is made of among them."""
    brings: set[tuple[str, str]] = set()
    for name, (versions, others) in _declared().get(extra, {}).items():
        brings |= set().union(*map(_closure, others)) if others else {(name, versions)}
    return brings


def _within(version: str, tested: str) -> bool:
    """Whether a version lies within a range like ``>=3.5,<4.1``; what follows its numbers does not count."""
    return all(
        _numbers(version) >= _numbers(bound) if bound.startswith(">=") else _numbers(version) < _numbers(bound)
        for bound in filter(None, tested.split(","))
    )


def _numbers(version: str) -> tuple[int, ...]:
    found = re.search(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, found[0].split("."))) if found else ()


def _name(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()


def _is_installed(module: str) -> bool:
    if module in sys.modules:
        return sys.modules[module] is not None
    return importlib.util.find_spec(module) is not None


def _passed(package: str, traceback: TracebackType | None) -> bool:
    """Whether an error came through code of a package."""
    while traceback is not None:
        if traceback.tb_frame.f_globals.get("__name__", "").partition(".")[0] == package:
            return True
        traceback = traceback.tb_next
    return False
