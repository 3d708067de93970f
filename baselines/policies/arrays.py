"""Arrays, tensors and observations by name, as policies and learners read and keep them."""

import hashlib
from typing import TYPE_CHECKING

import numpy as np
from gymnasium import spaces

from procgen_bench.baselines.policies.onnx.form import OBSERVATION
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.core.policy import Observations

if TYPE_CHECKING:
    from torch import nn


Arrays = dict[str, np.ndarray]


def below(arrays: Arrays, prefix: str) -> Arrays:
    """The arrays, of any shape and dtype, whose names begin with ``prefix`` and a dot, by the rest of their names."""
    return {name.removeprefix(f"{prefix}."): a for name, a in arrays.items() if name.startswith(f"{prefix}.")}


def network_arrays(network: "nn.Module") -> Arrays:
    """A network's weights by name, copied: NumPy arrays of their shapes and dtypes."""
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in network.state_dict().items()}


class UnreadableObservationsError(ProcgenBenchError, TypeError):
    """Observations of a space that no learner reads."""

    def __init__(self, name: str, leaf: spaces.Space):
        super().__init__(
            f"{name} is of {' '.join(str(leaf).split())}, expected Box, Discrete, MultiDiscrete, MultiBinary, "
            "or a flat Dict of these; let the environment show arrays, side by side in one Dict"
        )


def named_space(space: spaces.Space) -> spaces.Dict:
    """What :func:`named` makes of observations of a space: a flat ``Dict`` of boxes; one that is such stays itself.

    Raises:
        UnreadableObservationsError: A part of it is no array, or it has none.
    """
    leaves = dict(space.items()) if isinstance(space, spaces.Dict) else {OBSERVATION: space}
    if not leaves:
        raise UnreadableObservationsError(OBSERVATION, space)
    if isinstance(space, spaces.Dict) and all(isinstance(leaf, spaces.Box) for leaf in leaves.values()):
        return space
    return spaces.Dict({name: _box(name, leaf) for name, leaf in leaves.items()})


def named(observations: Observations) -> Arrays:
    """Observations by name, (N, ...) of any dtype, one row's or many's."""
    return observations if isinstance(observations, dict) else {OBSERVATION: observations}


def _box(name: str, leaf: spaces.Space) -> spaces.Box:
    """The same arrays as a box; a number from a range is an array without axes."""
    match leaf:
        case spaces.Box():
            return leaf
        case spaces.Discrete():
            return spaces.Box(int(leaf.start), int(leaf.start + leaf.n - 1), (), leaf.dtype.type)
        case spaces.MultiDiscrete():
            return spaces.Box(leaf.start, leaf.start + leaf.nvec - 1, dtype=leaf.dtype.type)
        case spaces.MultiBinary():
            return spaces.Box(0, 1, leaf.shape, np.int8)
    raise UnreadableObservationsError(name, leaf)


def content_address(text: str, arrays: Arrays) -> str:
    """SHA-256 (hexadecimal) over a description and every array: its name, dtype, shape and numbers."""
    digest = hashlib.sha256(text.encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name}|{array.dtype.str}|{array.shape}|".encode() + array.tobytes())
    return digest.hexdigest()
