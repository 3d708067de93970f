"""A MuJoCo simulation's state as the few numbers that decide how it goes on, bit for bit.

All else in MuJoCo's data, of which the tree of boxes for collisions is the most, is made again from them.
"""

from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np

#: Where a step sets out from. The smooth accelerations are read where something sleeps.
_MOVING = ("qpos", "qvel", "act", "ctrl", "mocap_pos", "mocap_quat", "qacc_warmstart", "qacc_smooth")
#: Who sleeps, and lists of who is awake, with their lengths.
_SLEEPING = ("tree_asleep", "tree_awake", "body_awake", "body_awake_ind", "parent_awake_ind", "dof_awake_ind")
_COUNTS = ("nbody_awake", "nparent_awake", "ntree_awake", "nv_awake")
#: What names begin with, among what else is saved.
_PREFIX = "physics."


def save_compact(data: mujoco.MjData) -> dict[str, np.ndarray | float]:
    """What decides how ``data`` go on under their model, by name (``"physics.qpos"``): copies of MuJoCo's arrays in
    their shapes and dtypes, ``"physics.counts"`` (int32 (4,), how much is awake), and ``"physics.time"`` in seconds.

    Forces from outside and constraints that are switched off are not in it: there must be none.
    """
    arrays = {f"{_PREFIX}{name}": getattr(data, name).copy() for name in (*_MOVING, *_SLEEPING)}
    counts = np.array([getattr(data, name) for name in _COUNTS], np.int32)
    return arrays | {f"{_PREFIX}time": data.time, f"{_PREFIX}counts": counts}


def load_compact(model: mujoco.MjModel, data: mujoco.MjData, saved: Mapping[str, Any]) -> None:
    """Continue from what :func:`save_compact` gave of data of ``model``, or of an equal one, whatever ``data`` hold.

    What a step leaves behind for people to look at, contacts say, is as the step after would find it.
    """
    mujoco.mj_resetData(model, data)
    for name in _MOVING:
        getattr(data, name)[...] = saved[f"{_PREFIX}{name}"]
    data.time = saved[f"{_PREFIX}time"]
    # Of what sleeps, steps read what they computed when it was awake. Everything is awake here.
    mujoco.mj_fwdPosition(model, data)
    for name in _SLEEPING:
        getattr(data, name)[...] = saved[f"{_PREFIX}{name}"]
    for name, count in zip(_COUNTS, saved[f"{_PREFIX}counts"].tolist(), strict=True):
        setattr(data, name, count)
