"""MuJoCo's state as arrays that can be copied and pickled, and from which physics goes on bit for bit.

MuJoCo's own state vectors know nothing of what sleeps, nor do its pickles. What outlives a step lies in the data's
buffer; contacts and constraints, which lie elsewhere, are made anew by every step.
"""

from typing import NamedTuple

import mujoco
import numpy as np

#: Numbers beside the buffer: the time, and how much is awake.
_NUMBERS = ("time", "nbody_awake", "nparent_awake", "ntree_awake", "nv_awake")


class PhysicsState(NamedTuple):
    """What a model's data hold between two steps.

    Attributes:
        arrays: Copies of the buffer's arrays, by name.
        numbers: The numbers beside it, by name.
    """

    arrays: dict[str, np.ndarray]
    numbers: dict[str, float]


def save_physics(data: mujoco.MjData) -> PhysicsState:
    """Everything that decides how ``data`` go on under their model."""
    arrays = {name: array.copy() for name, array in _buffer(data).items()}
    return PhysicsState(arrays, {name: getattr(data, name) for name in _NUMBERS})


def load_physics(data: mujoco.MjData, state: PhysicsState) -> None:
    """Go on from a state of data of the same model, or of an equal one."""
    for name, array in _buffer(data).items():
        array[...] = state.arrays[name]
    for name, number in state.numbers.items():
        setattr(data, name, number)


def _buffer(data: mujoco.MjData) -> dict[str, np.ndarray]:
    """The arrays in the buffer of ``data``, which begins with the positions, by name."""
    begin = data.qpos.ctypes.data
    named = ((name, getattr(data, name)) for name in _ARRAY_NAMES)
    return {name: array for name, array in named if 0 <= array.ctypes.data - begin < data.nbuffer}


def _array_names() -> tuple[str, ...]:
    model = mujoco.MjModel.from_xml_string("<mujoco/>")
    data = mujoco.MjData(model)
    public = (name for name in dir(data) if not name.startswith("_"))
    return tuple(name for name in public if isinstance(getattr(data, name), np.ndarray))


_ARRAY_NAMES = _array_names()
