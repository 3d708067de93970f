"""Lines of a task's text that are a name and some numbers."""

from collections.abc import Iterable

import numpy as np

from procgen_bench.core.errors import InvalidTaskError


def number_line(name: str, numbers: Iterable[float]) -> str:
    """``name`` and the numbers, from which :func:`read_numbers` reads exactly these."""
    return " ".join([name, *(repr(float(number)) for number in numbers)])


def read_numbers(name: str, line: str, count: int) -> np.ndarray:
    """The numbers (float64 (count,)) of a line that begins with ``name``.

    Raises:
        InvalidTaskError: The line reads otherwise.
    """
    first, *words = line.split() or [""]
    try:
        numbers = np.array([float(word) for word in words])
    except ValueError:
        numbers = np.empty(0)
    if first != name or len(numbers) != count:
        raise InvalidTaskError(f"line of the {name}", line, f"{name!r} and {count} numbers")
    return numbers
