"""Where compiled functions are kept on disk: a convenience, whose failure costs time and nothing else.

Numba's own cache ends a program where it finds no folder, where a file is damaged (numba #10434) and where the disk is
full. This one compiles in memory instead. A damaged file is a missing one, which is written again.
"""

import hashlib
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core import config
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    InTreeCacheLocator,
    UserWideCacheLocator,
)

from procgen_bench.core.compiling import is_announcing_process
from procgen_bench.core.shipped_kernels import LEVEL, ShippedFiles, is_shipped

_PACKAGE = Path(__file__).parents[1]
_REMEDY = "set NUMBA_CACHE_DIR to a folder that can be written and has room"


class UnkeptWarning(RuntimeWarning):
    """What is compiled is not kept on disk, so that every process compiles for itself."""


class _Keeping:
    """Whether this process keeps what it compiles.

    Attributes:
        problem: Why something could not be kept, or ``None``.
    """

    problem: str | None = None

    def fail(self, problem: str) -> None:
        """Warn, once in a program: workers leave it to the process that started them."""
        first, self.problem = self.problem is None, problem
        if first and is_announcing_process():
            text = f"compiled functions are not kept, and every process compiles them again: {problem}; {_REMEDY}"
            warnings.warn_explicit(text, UnkeptWarning, "procgen_bench", 0)  # no line of code is to blame


_KEEPING = _Keeping()


def describe_cache() -> str:
    """Where this process keeps what it compiles, or why it does not, in one line."""
    cache = KernelCache(describe_cache, str)
    if not cache.is_writable:
        _KEEPING.problem = cache.unwritable
    if _KEEPING.problem is not None:
        return f"nothing new is kept on disk: {_KEEPING.problem}; {_REMEDY}"
    beside = ", beside the source files" if cache.is_in_tree else ""
    return f"kept in {cache.place}{beside}" + (f"; the package's own came compiled for {LEVEL}" if is_shipped() else "")


class _UserLocator(UserWideCacheLocator):
    """The user's cache folder, where the user has a home: ``~`` is none."""

    @classmethod
    def from_function(cls, py_func: Callable, py_file: str) -> UserWideCacheLocator | None:
        """One that can be written, or ``None``."""
        folder = cls(py_func, py_file).get_cache_path()
        return super().from_function(py_func, py_file) if os.path.isabs(folder) else None


class _UnwritableLocator(InTreeCacheLocator):
    """The last resort: a folder that cannot be written, but may hold what was compiled at installation."""

    @classmethod
    def from_function(cls, py_func: Callable, py_file: str) -> "_UnwritableLocator":
        """Always one."""
        return cls(py_func, py_file)

    def get_source_stamp(self) -> str:
        """Nothing: entries carry a stamp of their own, and there may be no file."""
        return ""


class _KernelFiles(CompileResultCacheImpl):
    _locator_classes = [
        *(
            _UserLocator if locator is UserWideCacheLocator else locator
            for locator in CompileResultCacheImpl._locator_classes
        ),
        _UnwritableLocator,
    ]


class _PartFiles(_KernelFiles):
    """Where the form that compiled functions call is kept: beside the other one."""

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        return "part-" + super().get_filename_base(fullname, abiflags)


class _StampedFiles(IndexDataCacheFile):
    """One function's index and data files in one folder.

    Numba numbers data files and writes the index first: where it then fails, or is killed, the index names the code of
    an older stamp. Here a data file has a name that no other content has, and is there before the index names it.
    """

    def __init__(self, folder: str, base: str):
        super().__init__(folder, base, source_stamp=None)
        self._base = base

    def use_stamp(self, stamp: str) -> None:
        """From now on, entries of this stamp hold."""
        self._source_stamp = stamp

    def save(self, key: Any, data: Any) -> None:
        """Save an entry.

        Raises:
            OSError: It cannot be written. What was kept before is as it was.
        """
        overloads = self._load_index()
        content = hashlib.sha256(f"{self._source_stamp} {key!r}".encode()).hexdigest()[:16]
        name = overloads.setdefault(key, f"{self._base}.{content}.nbc")
        self._save_data(name, data)
        self._save_index(overloads)
        for path in Path(self._cache_path).glob(f"{self._base}.*.nbc"):  # of older stamps
            if path.name not in overloads.values():
                path.unlink(missing_ok=True)

    def _load_index(self) -> dict:
        try:
            return super()._load_index()
        except Exception:  # a damaged pickle raises anything, and so does one of classes that are no more
            return {}


class KernelCache(FunctionCache):
    """The entries of one function, which hold as long as its stamp is the same.

    Args:
        function: The function.
        stamp: What gives the stamp; called when the function is used, because by then every name is bound.
    """

    _impl_class: Any = _KernelFiles

    def __init__(self, function: Callable, stamp: Callable[[], str]):
        super().__init__(function)
        self._stamp = stamp
        base = self._impl.filename_base
        self._cache_file = _StampedFiles(self._cache_path, base)
        in_tree = os.path.join(os.path.dirname(function.__code__.co_filename), "__pycache__")
        #: What is read: an installation that cannot be written may have been compiled by who installed it, or before.
        self._read: list[_StampedFiles | ShippedFiles] = [self._cache_file]
        self.folder = Path(self._cache_path)
        self.is_in_tree = self._cache_path == in_tree
        if not self.is_in_tree:
            self._read.append(_StampedFiles(in_tree, base))
        self._read.append(ShippedFiles(function.__module__, base))

    @property
    def is_writable(self) -> bool:
        """Whether there is a folder in which entries are kept."""
        return not isinstance(self._impl.locator, _UnwritableLocator)

    @property
    def unwritable(self) -> str:
        """Which folders were tried."""
        flags: Any = config  # whose names are made when it is imported
        asked = f"{flags.CACHE_DIR}, " if flags.CACHE_DIR else ""
        return f"none of {asked}{self.place} and the user's cache folder can be written"

    @property
    def place(self) -> Path:
        """The folder of all functions, as a person knows it."""
        if not self.is_in_tree:
            return self.folder.parent
        return _PACKAGE if _PACKAGE in self.folder.parents else self.folder.parent

    @property
    def is_kept(self) -> bool:
        """Whether what is compiled will be kept, as far as is known."""
        return self.is_writable and _KEEPING.problem is None

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        if not self._enabled:
            return None
        stamp, key = self._stamp(), self._index_key(sig, target_context.codegen())
        for files in self._read:
            files.use_stamp(stamp)  # before anything is compiled and saved
            try:
                data = files.load(key)
                if data is not None:
                    return self._impl.rebuild(target_context, data)
            except Exception:  # as in the index
                continue
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled for these types of arguments, or warn once that it cannot be kept."""
        if not self.is_writable:
            _KEEPING.fail(self.unwritable)
            return
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _KEEPING.fail(f"{self.place}: {error.strerror or error}")


class PartCache(KernelCache):
    """The entries of the form of a function that compiled functions call."""

    _impl_class = _PartFiles
