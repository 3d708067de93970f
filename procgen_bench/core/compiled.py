"""The only module that uses Numba directly: functions that are compiled once, kept on disk, and never out of date.

Numba looks at a kernel's own file to see whether what it has kept still holds. But a kernel contains the functions that
it calls and the constants that it reads, wherever they are written. So what is kept here carries a stamp of all of it:
the bytecode, constants and options of the function itself and of everything that it calls. Comments, times of files and
the folder of the checkout do not count. Where it is kept, and what happens where it cannot be, is in
:mod:`procgen_bench.core.kernel_cache`. (Importing this loads Numba.)
"""

import enum
import functools
import hashlib
import pkgutil
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np
from numba.core import config, event
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic
from numba.core.registry import CPUDispatcher

from procgen_bench.core.compiling import ANNOUNCER
from procgen_bench.core.kernel_cache import KernelCache, PartCache

event.register("numba:compile", ANNOUNCER)

#: Packages whose functions Numba writes again: their names say what they do, and Numba's version is part of the cache.
_KNOWN_TO_NUMBA = {"builtins", "cmath", "math", "numba", "numpy"}
_VALUES = (bool, int, float, complex, str, bytes, np.generic, np.dtype, types.NoneType, types.EllipsisType)


def njit(function: Callable | None = None, **options: Any) -> Any:
    """Compile a function when it is first called, and keep the result on disk.

    It is kept in ``NUMBA_CACHE_DIR``, else in the source's ``__pycache__``, else, where that cannot be written, in the
    user's cache folder. Where nothing can be kept, a warning says so once, and every process compiles for itself.

    Args:
        function: The function; without one, a decorator is returned.
        options: Numba's: ``inline``, ``error_model``, ``nogil``. None that lets equal inputs give different bits
            (``fastmath``, ``parallel``).
    """
    if function is None:
        return functools.partial(njit, **options)
    return _Kernel(function, targetoptions={"nopython": True, "boundscheck": None, **options})


def remade(function: Callable, from_python: bool = False, **globals_: Any) -> Any:
    """A function compiled with others in the place of these global names; without any, just compiled.

    For functions that are put together while a program runs, like those of a user's own library: what they contain
    differs from one to the next, so nothing of them is kept on disk.

    Args:
        function: A function, compiled or not.
        from_python: Whether Python calls it, too, and not compiled functions alone.
        globals_: What it is to find under these names.
    """
    written: Any = function.py_func if isinstance(function, Dispatcher) else function
    twin = types.FunctionType(
        written.__code__, written.__globals__ | globals_, written.__name__, written.__defaults__, written.__closure__
    )
    options: Any = {"no_cpython_wrapper": not from_python, "no_cfunc_wrapper": True}
    return numba.njit(**options)(twin)


class _Kernel(CPUDispatcher):
    """A compiled function in two forms: Python calls the one, compiled functions the other.

    What lets Python call a function (unpacking every array of its arguments) takes much of the time that compiling it
    takes, and most functions are called by compiled ones alone. So those get a form without it.
    """

    def __init__(self, py_func: Callable, locals: dict | None = None, targetoptions: dict | None = None) -> None:
        super().__init__(py_func, locals, targetoptions)
        self._cache = KernelCache(py_func, lambda: stamp(self))

    def __reduce__(self) -> Any:
        """A module's function is the same one wherever it is unpickled: it goes by its name."""
        module, name = self.py_func.__module__, self.py_func.__qualname__
        if "<locals>" not in name and getattr(sys.modules.get(module), name, None) is self:
            return pkgutil.resolve_name, (f"{module}:{name}",)
        return super().__reduce__()

    @functools.cached_property
    def _part(self) -> "_Part":
        return _Part(self.py_func, self.locals, self.targetoptions)

    @property
    def _numba_type_(self) -> Any:
        return numba.types.Dispatcher(self._part)


class _Part(CPUDispatcher):
    """The form of a function that compiled functions call."""

    def __init__(self, py_func: Callable, locals: dict | None, targetoptions: dict) -> None:
        super().__init__(py_func, locals, {**targetoptions, "no_cpython_wrapper": True, "no_cfunc_wrapper": True})
        self._cache = PartCache(py_func, lambda: stamp(self))


def stamp(dispatcher: Dispatcher) -> str:
    """A hash of all that a compiled function contains: its code and options, and what it calls and reads.

    Raises:
        TypeError: It reads a global value whose content cannot be hashed.
    """
    reached, left = {}, [dispatcher]
    while left:
        function = left.pop()
        if function not in reached:
            reached[function], called = _own_part(function)
            left.extend(called)
    flags: Any = config  # whose names are made when it is imported
    settings = repr((flags.OPT, flags.BOUNDSCHECK)).encode()
    return hashlib.sha256(settings + b"".join(sorted(reached.values()))).hexdigest()


@functools.cache
def _own_part(function: Dispatcher | types.FunctionType) -> tuple[bytes, list]:
    """The hash of a function without what it calls, and what it calls."""
    called: list = []
    digest = hashlib.sha256()
    for part in _parts(function, called):
        digest.update(part.encode() + b"\0")
    return digest.digest(), called


def _parts(function: Dispatcher | types.FunctionType, called: list) -> Iterator[str]:
    if isinstance(function, Dispatcher):
        yield repr(sorted(function.targetoptions.items()))
    written: Any = function.py_func if isinstance(function, Dispatcher) else function
    yield _name(written)
    yield _content(written.__defaults__, called)
    yield _content(tuple(cell.cell_contents for cell in written.__closure__ or ()), called)
    codes = [written.__code__]
    for code in codes:
        yield repr((code.co_code, code.co_names, code.co_varnames, code.co_freevars))
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                codes.append(constant)
            elif constant != written.__doc__:
                yield _content(constant, called)
        for name in code.co_names:
            if name in written.__globals__:
                yield f"{name} = {_content(written.__globals__[name], called, code.co_names)}"


def _content(value: Any, called: list, attributes: tuple[str, ...] = ()) -> str:
    """What a value says, in words that are the same in every process; functions are added to those ``called``.

    Args:
        value: A constant, or what a global name stands for.
        called: A list to append to.
        attributes: Where ``value`` is a module: what may be read of it.
    """
    if isinstance(value, _VALUES):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return f"{value.dtype!r} {value.shape} {value.strides} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, tuple | list):
        return f"{type(value).__name__} ({', '.join(_content(part, called) for part in value)})"
    if isinstance(value, frozenset):
        return f"frozenset ({', '.join(sorted(_content(part, called) for part in value))})"
    if isinstance(value, types.ModuleType):
        if _root(value.__name__) in _KNOWN_TO_NUMBA:
            return value.__name__
        return ", ".join(
            f"{name} = {_content(vars(value)[name], called)}" for name in attributes if name in vars(value)
        )
    if isinstance(value, _Intrinsic):
        return f"intrinsic {_content(value._defn, called)}"
    if _root(getattr(value, "__module__", None) or type(value).__module__) in _KNOWN_TO_NUMBA:
        return getattr(value, "__qualname__", None) or repr(value)
    if isinstance(value, Dispatcher | types.FunctionType):
        called.append(value)
        return _name(value)
    if isinstance(value, enum.EnumType):
        members: list[enum.Enum] = list(value)
        return f"{_name(value)} {[(member.name, member.value) for member in members]}"
    if isinstance(value, type) and issubclass(value, tuple):
        return f"{_name(value)} {getattr(value, '_fields', ())}"
    raise TypeError(f"a compiled function reads {value!r}, and {__name__} does not know how to hash its content")


def _name(value: Any) -> str:
    return f"{value.__module__}.{value.__qualname__}"


def _root(module: str) -> str:
    return module.partition(".")[0]
