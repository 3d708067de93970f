"""Spaces and observations as the columns of an ONNX policy."""

from collections.abc import Iterator

import numpy as np
from gymnasium import spaces

from procgen_bench.baselines.policies.onnx.column import Column
from procgen_bench.baselines.policies.onnx.form import ACTION, NESTED, OBSERVATION
from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.core.policy import Observations

_ARRAYS = (spaces.Box, spaces.Discrete, spaces.MultiDiscrete, spaces.MultiBinary)


def observation_columns(space: spaces.Space) -> list[Column]:
    """The columns of an observation space, in its order.

    Raises:
        InvalidPolicyError: A part of it is neither an array nor a dictionary.
    """
    return [_column(name or OBSERVATION, leaf) for name, leaf in _leaves(space)]


def action_column(space: spaces.Space) -> Column:
    """The column of an action space.

    Raises:
        InvalidPolicyError: It is no array.
    """
    return _column(ACTION, space)


def observation_arrays(observations: Observations, columns: list[Column]) -> list[np.ndarray]:
    """Batched observations (N, ...) as contiguous arrays, one for each column, of its dtype."""
    return [np.ascontiguousarray(_found(observations, column.name), column.dtype) for column in columns]


def _leaves(space: spaces.Space, name: str = "") -> Iterator[tuple[str, spaces.Space]]:
    if isinstance(space, spaces.Dict):
        for key, part in space.items():
            yield from _leaves(part, f"{name}{NESTED}{key}" if name else key)
    else:
        yield name, space


def _column(name: str, space: spaces.Space) -> Column:
    if not isinstance(space, _ARRAYS):
        raise InvalidPolicyError(f"{name} is of {space}, expected an array: ONNX policies know no other spaces")
    assert space.shape is not None  # as all of these have
    return Column(name, np.dtype(space.dtype).name, space.shape)


def _found(observations: Observations, name: str) -> np.ndarray:
    if not isinstance(observations, dict):
        return observations
    found = observations
    for key in name.split(NESTED):
        found = found[key]  # type: ignore[assignment]  # a dictionary, but for the last
    return found  # type: ignore[return-value]
