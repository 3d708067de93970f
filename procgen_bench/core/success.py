"""Success: what an info says of it, and the one function by which everybody reads it."""

from collections.abc import Mapping
from typing import Any


def counted_success(info: Mapping[str, Any]) -> Any:
    """What counts as success, of one info or of rows', to whoever scores, learns, teaches or plays.

    It is ``stands``, where an environment tells whether its success lasts, else ``success``. Infos also hold it under
    the name that stable-baselines3 reads, ``is_success``.
    """
    return info["stands"] if "stands" in info else info["success"]


def success_info(success: bool, **lasting: bool) -> dict[str, Any]:
    """What the info of a reset or a step says of success.

    Args:
        success: Whether the task has been solved.
        lasting: Where the environment tells whether that lasts: ``stands``, which counts, and ``settled``, which
            counted in versions of benchmarks before.
    """
    info = {"success": success, **lasting}
    return info | {"is_success": counted_success(info)}


def count_rows(infos: dict[str, Any]) -> None:
    """Have rows' infos hold ``is_success`` (bool (N,)), with the mask of the rows that it is told of."""
    infos["is_success"], infos["_is_success"] = counted_success(infos).copy(), infos["_success"].copy()


#: Entries that :class:`.RowEnvironments` leaves out of what it sends: an array of all rows holds the one, and the
#: vector environment makes the other.
OF_EVERY_ROW = frozenset({"success", "is_success"})
