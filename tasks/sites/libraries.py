"""Libraries of primitives by name, or by file."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.sites.library import PUBLISHED_LIBRARY, PrimitiveLibrary, read_library
from procgen_bench.tasks.sites.suites import invented_libraries

#: What makes each library that has a name: the published primitives, and, besides these, invented ones to train with.
_MADE: Mapping[str, Callable[[], PrimitiveLibrary]] = MappingProxyType(
    {"published": lambda: PUBLISHED_LIBRARY, "invented": lambda: invented_libraries()[0]}
)
NAMES = tuple(_MADE)


def library_of(given: PrimitiveLibrary | Path | str) -> PrimitiveLibrary:
    """A library from what a user may hand over: itself, its name, or its file, ``NAME.json``.

    Raises:
        InvalidTaskError: There is no such library.
    """
    if isinstance(given, PrimitiveLibrary):
        return given
    if isinstance(given, str) and given in _MADE:
        return _MADE[given]()
    if isinstance(given, Path) or (isinstance(given, str) and given.endswith(".json")):
        return read_library(Path(given))
    raise InvalidTaskError("library", given, f"a PrimitiveLibrary, a file NAME.json, or one of {', '.join(NAMES)}")
