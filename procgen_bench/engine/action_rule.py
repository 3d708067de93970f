"""ActionRule: what environments take as actions, alike in single environments and in rows."""

from typing import Any

import numpy as np
from gymnasium import spaces

from procgen_bench.core.errors import InvalidActionError

_SINGLE_INTEGERS = (int, np.int64)


class ActionRule:
    """What is taken as an action of a space, or as N rows of actions.

    Numbers of the right shape and inside the bounds, as an array, a list or a tuple, that can be cast to the space's
    type without loss of kind: integers of all sizes, and reals of all sizes where the space is of reals. Booleans are
    no numbers, and reals no integers.

    Args:
        space: Of one action: a ``Discrete``, a ``MultiDiscrete`` or a ``Box``.
        num_rows: Number of rows, N; ``None``: one action without rows.

    Raises:
        TypeError: ``space`` is of another kind.
    """

    def __init__(self, space: spaces.Space, num_rows: int | None = None):
        one = space.shape or ()
        self.space, self.dtype = space, np.dtype(space.dtype)
        self._in_rows = num_rows is not None
        self.shape = one if num_rows is None else (num_rows, *one)
        low, high = _bounds(space)
        # A row's bounds that are broadcast compare slowly.
        self._low, self._high = (np.full(self.shape, bound) if one else int(bound) for bound in (low, high))
        self._is_number = self.shape == ()

    def checked(self, action: Any, name: str = "action") -> Any:
        """The action as a number or an array of ``dtype`` and ``shape``; a single integer as it is.

        Args:
            action: What a user handed over.
            name: What errors call it.

        Raises:
            InvalidActionError: It is none.
        """
        if self._is_number and type(action) in _SINGLE_INTEGERS and self._low <= action <= self._high:
            return action
        try:
            given = np.asarray(action)
        except ValueError:  # lists of different lengths
            raise self._refused(name, action) from None
        if given.shape != self.shape:
            raise self._refused(name, action, f"have shape {given.shape}, expected {self.shape}")
        taken = self._cast(given)
        if taken is None:
            raise self._refused(name, action, f"have dtype {given.dtype}, expected {self.dtype}")
        # A cast may wrap integers round into the bounds, and round reals onto them: these are meant to be inside.
        compared = given if given.dtype.kind in "iu" else taken
        inside = (compared >= self._low) & (compared <= self._high)
        if np.count_nonzero(inside) < inside.size:
            if not self._in_rows:
                raise self._refused(name, action)
            row = int(np.argwhere(~inside)[0][0])
            found = given[row].tolist()
            raise InvalidActionError(f"{name} of row {row} is {found!r}, expected a member of {self.space}")
        return taken[()]

    def _cast(self, given: np.ndarray) -> np.ndarray | None:
        """``given`` as ``dtype``; ``None`` where that loses its kind."""
        if given.dtype == self.dtype:
            return given
        if given.dtype == np.bool_ or not np.can_cast(given.dtype, self.dtype, "same_kind"):
            return None
        with np.errstate(over="ignore"):  # to infinity, which is outside
            return given.astype(self.dtype)

    def _refused(self, name: str, action: Any, fault_of_rows: str | None = None) -> InvalidActionError:
        if self._in_rows and fault_of_rows is not None:
            return InvalidActionError(f"{name}s {fault_of_rows}")
        found = " ".join(repr(action).split())
        if self._in_rows:
            return InvalidActionError(f"{name}s are {found}, expected an array of shape {self.shape}")
        return InvalidActionError(f"{name} is {found}, expected a member of {self.space}")


def _bounds(space: spaces.Space) -> tuple[Any, Any]:
    """Least and greatest numbers of an action."""
    if isinstance(space, spaces.Box):
        return space.low, space.high
    if isinstance(space, spaces.Discrete):
        return space.start, space.start + space.n - 1
    if isinstance(space, spaces.MultiDiscrete):
        return space.start, space.start + (space.nvec - 1)
    raise TypeError(f"actions are of a {type(space).__name__} space, expected a Discrete, a MultiDiscrete or a Box")
