"""The episodes of a vector environment's rows as arrays and plain values, which files hold, and back."""

from typing import Any

import numpy as np

from procgen_bench.engine.saved_state import SavedState
from procgen_bench.engine.task_vector_env import TaskVectorEnv


def save_rows(rows: TaskVectorEnv) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The episodes of all rows as they are.

    Values that have one shape in all rows are stacked: ``"name"`` (N, ...); others are ``"row/name"``.
    """
    states = rows.save_states()
    arrays: dict[str, np.ndarray] = {}
    plain: list[dict[str, Any]] = [{} for _ in states]
    types: dict[str, Any] = {}
    for name in states[0].values:
        values = [state.values[name] for state in states]
        if not isinstance(values[0], np.ndarray | np.generic):
            for own, value in zip(plain, values):
                own[name] = value
            continue
        columns = [np.asarray(value) for value in values]
        if columns[0].dtype.names:
            types[name] = np.lib.format.dtype_to_descr(columns[0].dtype)
            columns = [_as_bytes(column) for column in columns]
        if len({column.shape for column in columns}) == 1:
            arrays[name] = np.stack(columns)
        else:
            arrays |= {f"{row}/{name}": column for row, column in enumerate(columns)}
    tasks = [rows.task_space.plain(state.task) for state in states]
    episodes = [[state.elapsed, state.ended] for state in states]
    return arrays, {"kind": states[0].kind, "tasks": tasks, "episodes": episodes, "plain": plain, "types": types}


def can_be_kept(rows: TaskVectorEnv) -> bool:
    """Whether the rows, which have begun, consist of arrays and plain values; scripted co-players, say, do not."""
    return all(_can_be_kept(value) for value in rows.save_states([0])[0].values.values())


def restore_rows(rows: TaskVectorEnv, arrays: dict[str, np.ndarray], values: dict[str, Any]) -> Any:
    """Continue where :func:`save_rows` was called; returns the observations."""
    types = {name: np.lib.format.descr_to_dtype([*map(_as_tuples, descr)]) for name, descr in values["types"].items()}
    states = []
    for row, (task, (elapsed, ended), plain) in enumerate(zip(values["tasks"], values["episodes"], values["plain"])):
        own = {name: array[row] for name, array in arrays.items() if "/" not in name}
        own |= {name.partition("/")[2]: a for name, a in arrays.items() if name.partition("/")[0] == str(row)}
        for name, dtype in types.items():
            own[name] = own[name].view(dtype)[..., 0]
        own |= {name: _as_tuples(value) for name, value in plain.items()}
        states.append(SavedState(values["kind"], rows.task_space.resolve(task), elapsed, ended, own))
    return rows.reset(options={"state": states})[0]


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
