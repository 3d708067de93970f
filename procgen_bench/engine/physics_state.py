"""MuJoCo's state as arrays that can be copied and pickled, and from which physics goes on bit for bit.

MuJoCo's own state vectors know nothing of what sleeps, nor do its pickles. What outlives a step lies in the data's
buffer; contacts and constraints, which lie elsewhere, are made again by every step.
"""

from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np

#: Numbers beside the buffer: the time, and how much is awake.
_NUMBERS = ("time", "nbody_awake", "nparent_awake", "ntree_awake", "nv_awake")
#: Newtons, and metres per second squared, that weigh as much as a metre: contacts are stiff.
FORCE_SCALE = 100.0
#: Positions by a joint's type: free, ball, slide, hinge.
_NUM_POSITIONS = np.array([7, 4, 1, 1])
#: What names begin with, among what else is saved.
_PREFIX = "physics."


def save_physics(data: mujoco.MjData) -> dict[str, np.ndarray | float]:
    """Everything that decides how ``data`` go on under their model, by name (``"physics.qpos"``): copies of MuJoCo's
    arrays in their shapes and dtypes, the time in seconds, and counts of what is awake."""
    arrays = {f"{_PREFIX}{name}": array.copy() for name, array in _buffer(data).items()}
    return arrays | {f"{_PREFIX}{name}": getattr(data, name) for name in _NUMBERS}


def load_physics(data: mujoco.MjData, saved: Mapping[str, Any]) -> None:
    """Continue from what :func:`save_physics` gave of data of the same model, or of an equal one."""
    for name, array in _buffer(data).items():
        array[...] = saved[f"{_PREFIX}{name}"]
    for name in _NUMBERS:
        setattr(data, name, saved[f"{_PREFIX}{name}"])


def vector_scales(num_positions: int, num_velocities: int) -> np.ndarray:
    """Scales of :func:`physics_vector` for a model without activations, float64 (positions + 2 * velocities,); see
    :class:`PhysicsEnv`."""
    return np.repeat([1.0, 1.0, FORCE_SCALE], [num_positions, num_velocities, num_velocities])


def physics_vector(data: mujoco.MjData) -> np.ndarray:
    """State that a step sets out from, float64 (numbers,): positions, velocities, activations, and the accelerations at
    which the solver begins, in SI units. That something sleeps is left out."""
    return np.concatenate([data.qpos, data.qvel, data.act, data.qacc_warmstart])


def take_over(model: mujoco.MjModel, data: mujoco.MjData, vector: np.ndarray) -> None:
    """Take over ``vector``, float64 (numbers,), that :func:`physics_vector` gave of data of an equal model.

    What sleeps here stays as it lies: MuJoCo wakes it where a single bit of its position changes.
    """
    of_dofs = data.tree_awake[model.dof_treeid] == 1
    of_positions = np.repeat(of_dofs[model.jnt_dofadr], _NUM_POSITIONS[model.jnt_type])
    everywhere = np.ones(model.na, np.bool_)
    parts = data.qpos, data.qvel, data.act, data.qacc_warmstart
    ends = np.cumsum([len(part) for part in parts])
    for part, numbers, taken in zip(
        parts, np.split(vector, ends[:-1]), (of_positions, of_dofs, everywhere, of_dofs), strict=True
    ):
        part[taken] = numbers[taken]


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
