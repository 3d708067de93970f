"""Points in a task's text, and the checks of its arrays."""

import numpy as np

from procgen_bench.errors import InvalidTaskError


def point_line(name: str, point: np.ndarray) -> str:
    """``name X Y``, from which :func:`read_point` reads exactly these numbers."""
    x, y = point.tolist()
    return f"{name} {x!r} {y!r}"


def read_point(name: str, line: str) -> np.ndarray:
    """The point (float64 (2,)) of a line ``name X Y``.

    Raises:
        InvalidTaskError: The line is another.
    """
    try:
        found, x, y = line.split()
        point = np.array([float(x), float(y)])
    except ValueError:
        raise InvalidTaskError(f"line of the {name}", line, f"'{name} X Y' with two numbers") from None
    if found != name:
        raise InvalidTaskError(f"line of the {name}", line, f"'{name} X Y' with two numbers")
    return point


def check_array(name: str, array: np.ndarray, dtype: type, shape: tuple[int, ...]) -> None:
    """Raise :class:`InvalidTaskError` unless ``array``, called ``name``, is an array of this type and shape."""
    if not isinstance(array, np.ndarray) or array.dtype != dtype:
        raise InvalidTaskError(
            f"{name}'s type", str(getattr(array, "dtype", type(array).__name__)), f"an array of {np.dtype(dtype)}"
        )
    if array.shape != shape:
        raise InvalidTaskError(f"{name}'s shape", array.shape, str(shape))
