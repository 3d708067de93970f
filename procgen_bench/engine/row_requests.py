"""What a user asks of the rows of a vector environment: checked, and given row by row.

Everything is refused by :class:`~procgen_bench.core.errors.InvalidOptionError`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv

from procgen_bench.core.checks import check_count
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.seeding import checked_seed
from procgen_bench.core.task import Task
from procgen_bench.engine.saved_state import SavedState


@dataclass(frozen=True)
class RowRequests:
    """What a reset asks of the rows, checked.

    Attributes:
        rows: bool (N,), the rows that begin an episode.
        seeds: One per row; ``None``: the row's random generator continues.
        tasks: By row, the task that it was given, its parts replaced already; the others draw one.
        further: By row, reset's further options.
        states: By row, the saved episode that it goes on with instead, one of ``further``.
    """

    rows: np.ndarray
    seeds: list[int | None]
    tasks: dict[int, Task]
    further: dict[int, dict[str, Any]]
    states: dict[int, SavedState]

    def row_numbers(self) -> list[int]:
        """Of the rows that begin, in order."""
        return np.flatnonzero(self.rows).tolist()


def checked_limit(num_envs: object, max_episode_steps: int | None) -> int | None:
    """Check how many rows there are to be; returns after how many steps their episodes end, if at all.

    Raises:
        InvalidOptionError: One of them is no whole number from 1 on.
    """
    check_count("num_envs", num_envs)
    if max_episode_steps is None or max_episode_steps == -1:  # Gymnasium's number for none
        return None
    check_count("max_episode_steps", max_episode_steps)
    return max_episode_steps


def checked_autoreset_mode(mode: object) -> AutoresetMode:
    """``mode`` as Gymnasium's; :class:`InvalidOptionError` where there is no such mode."""
    try:
        return AutoresetMode(mode)
    except ValueError:
        known = [known.value for known in AutoresetMode]
        raise InvalidOptionError(f"autoreset_mode is {mode!r}, expected one of {known}") from None


def checked_mask(mask: np.ndarray, num_rows: int) -> np.ndarray:
    """``mask``, reset's option ``reset_mask``, as it was given: bool (N,), at least one of them true.

    Raises:
        InvalidOptionError: It is another kind of array, or selects no row.
    """
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (num_rows,):
        raise InvalidOptionError(f"reset_mask is {mask!r}, expected a bool array of shape ({num_rows},)")
    if not mask.any():
        raise InvalidOptionError("reset_mask selects no row, expected at least one true entry")
    return mask


def checked_rows(rows: Sequence[int] | None, num_rows: int) -> list[int]:
    """Numbers of rows, 0 to ``num_rows`` - 1; all of them for ``None``.

    Raises:
        InvalidOptionError: One of them is no such integer.
    """
    if rows is None:
        return list(range(num_rows))
    for row in rows:
        if not isinstance(row, int | np.integer) or not 0 <= row < num_rows:
            raise InvalidOptionError(f"rows hold {row!r}, expected integers from 0 to {num_rows - 1}")
    return [int(row) for row in rows]


def further_options(options: dict[str, Any], rows: np.ndarray) -> dict[int, dict[str, Any]]:
    """By row of ``rows`` (bool (N,)): what ``options`` ask beside ``task``; the single environment is yet to check it.

    A list holds an entry per row, ``None`` where there is nothing to ask; all else, a tuple too, is for every row.

    Raises:
        InvalidOptionError: A list has another number of entries than there are rows.
    """
    asked = {name: value for name, value in options.items() if name not in ("task", "reset_mask")}
    further: dict[int, dict[str, Any]] = {}
    for name, value in asked.items():
        if isinstance(value, list) and len(value) != len(rows):
            expected = f"one per row ({len(rows)}); a tuple is for every row"
            raise InvalidOptionError(f"{name} lists {len(value)} entries, expected {expected}")
        for row in np.flatnonzero(rows).tolist():
            own = value[row] if isinstance(value, list) else value
            if own is not None:
                further.setdefault(row, {})[name] = own
    return further


def row_seeds(seed: int | Sequence[int | None] | None, num_rows: int) -> list[int | None]:
    """A seed per row: those of a list, or consecutive ones from a number on; ``None``: the row's stream continues.

    Raises:
        InvalidOptionError: A list has another number of seeds than there are rows.
    """
    if not isinstance(seed, Sequence) and not (isinstance(seed, np.ndarray) and seed.ndim == 1):
        first = checked_seed(seed)
        return [None if first is None else first + row for row in range(num_rows)]
    if len(seed) != num_rows:
        raise InvalidOptionError(f"seed lists {len(seed)} seeds, expected one per row ({num_rows})")
    return [checked_seed(row_seed) for row_seed in seed]


def seed_own_generator(env: VectorEnv, seed: int | Sequence[int | None] | None) -> None:
    """Seed ``env.np_random``, which no row draws from, by the checked seed of a reset, as Gymnasium's environments do.

    A number is the seed, and ``np_random_seed`` gives it back. A list seeds the generator by its numbers together, and
    ``np_random_seed`` is -1: there is no one seed. ``None``, or a list of nothing else, leaves the generator alone.
    """
    if seed is None:
        return
    if not isinstance(seed, Sequence | np.ndarray):
        env._np_random, env._np_random_seed = seeding.np_random(int(seed))
    elif given := [int(row_seed) for row_seed in seed if row_seed is not None]:
        env.np_random = np.random.default_rng(given)  # also makes np_random_seed -1
