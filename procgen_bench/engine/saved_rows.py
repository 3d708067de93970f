"""Saved states as arrays and plain values, which files hold, and back."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from procgen_bench.core.task_space import TaskSpace
from procgen_bench.engine.saved_state import SavedState
from procgen_bench.engine.task_vector_env import TaskVectorEnv


def pack_states(states: Sequence[SavedState], task_space: TaskSpace) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """N states, at least one, of rows of one environment, as arrays and plain values.

    Values that have one shape in all of them are stacked: ``"name"`` (N, ...); others are ``"place/name"``. They keep
    their dtypes, except records: each of these is uint8, with a last axis of a record's bytes.
    """
    arrays: dict[str, np.ndarray] = {}
    plain: list[dict[str, Any]] = [{} for _ in states]
    types: dict[str, Any] = {}
    for name in dict.fromkeys(name for state in states for name in state.values):
        columns: dict[int, np.ndarray] = {}
        for row, state in enumerate(states):
            value = state.values.get(name)
            if isinstance(value, np.ndarray | np.generic):
                columns[row] = np.asarray(value)
            elif name in state.values:
                plain[row][name] = value
        for row, column in columns.items():
            if column.dtype.names:
                types[name] = np.lib.format.dtype_to_descr(column.dtype)
                columns[row] = _as_bytes(column)
        if len(columns) == len(states) and len({column.shape for column in columns.values()}) == 1:
            arrays[name] = np.stack(list(columns.values()))
        else:
            arrays |= {f"{row}/{name}": column for row, column in columns.items()}
    tasks = [task_space.plain(state.task) for state in states]
    episodes = [[state.elapsed, state.ended] for state in states]
    return arrays, {"kind": states[0].kind, "tasks": tasks, "episodes": episodes, "plain": plain, "types": types}


def can_be_kept(rows: TaskVectorEnv) -> bool:
    """Whether the rows, which have begun, consist of arrays and plain values; scripted co-players, say, do not.

    Where several rows play one task, others may sit at each; elsewhere one row tells of all.
    """
    asked = range(0, rows.num_envs, rows.rows_per_task) if rows.rows_per_task > 1 else [0]
    return all(_can_be_kept(value) for state in rows.save_states(asked) for value in state.values.values())


def unpack_states(
    arrays: dict[str, np.ndarray], values: dict[str, Any], task_space: TaskSpace, rows_per_task: int = 1
) -> list[SavedState]:
    """The states of the arrays and values that :func:`pack_states` gave; ``rows_per_task`` neighbouring rows, at least
    1, play one task and share a state."""
    types = {name: np.lib.format.descr_to_dtype([*map(_as_tuples, descr)]) for name, descr in values["types"].items()}
    states: list[SavedState] = []
    for row, (task, (elapsed, ended), plain) in enumerate(zip(values["tasks"], values["episodes"], values["plain"])):
        own = {name: array[row] for name, array in arrays.items() if "/" not in name}
        own |= {name.partition("/")[2]: a for name, a in arrays.items() if name.partition("/")[0] == str(row)}
        for name, dtype in types.items():
            own[name] = own[name].view(dtype)[..., 0]
        own |= {name: _as_tuples(value) for name, value in plain.items()}
        of_others = row % rows_per_task > 0  # rows of one task continue from one state
        states.append(
            states[-1] if of_others else SavedState(values["kind"], task_space.resolve(task), elapsed, ended, own)
        )
    return states


def _as_bytes(column: np.ndarray) -> np.ndarray:
    """uint8 (..., bytes of an entry): safetensors knows no records."""
    return np.ascontiguousarray(column)[..., np.newaxis].view(np.uint8)


def _can_be_kept(value: Any) -> bool:
    return isinstance(value, np.ndarray | np.generic) or _is_plain(value)


def _is_plain(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, bool | int | float | str)


def _as_tuples(value: Any) -> Any:
    """Lists, as JSON gives them back, as the tuples that they were."""
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value
