"""MuJoCo's C functions as compiled code calls them, without Python and without its lock.

Python's bindings turn MuJoCo's errors into exceptions; here an error ends the process. In steps of a sound state there
is one: that memory runs out. :func:`has_memory` says so long before.
"""

import ctypes
import math
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import mujoco
import numpy as np
from mujoco.introspect.ast_nodes import ArrayType, PointerType
from mujoco.introspect.structs import STRUCTS
from numba import types

from procgen_bench.core.compiled import njit
from procgen_bench.core.pointers import vector_at

_VERSION = mujoco.__version__  # another version that was installed before may have left its library behind
_LIBRARIES = (f"libmujoco.so.{_VERSION}", f"libmujoco.{_VERSION}.dylib", "mujoco.dll")
_FOLDER = Path(mujoco.__file__).parent
llvm.load_library_permanently(str(next(path for name in _LIBRARIES if (path := _FOLDER / name).exists())))

#: ``(model, data)``, both by :func:`physics_addresses`.
mj_step: Any = types.ExternalFunction("mj_step", types.void(types.intp, types.intp))
mj_fwd_position: Any = types.ExternalFunction("mj_fwdPosition", types.void(types.intp, types.intp))
#: ``(model, data, start, direction, groups, with static ones, left-out body, geom met, its normal)``: arrays by their
#: addresses; returns the distance, -1 if nothing is met.
mj_ray: Any = types.ExternalFunction(
    "mj_ray", types.float64(*(types.intp,) * 5, types.boolean, types.int32, types.intp, types.intp)
)

_BYTES = {
    "int": ctypes.c_int32,
    "mjtBool": ctypes.c_uint8,
    "mjtByte": ctypes.c_uint8,
    "mjtNum": ctypes.c_double,
    "mjtSize": ctypes.c_int64,
    "size_t": ctypes.c_size_t,
    "uint64_t": ctypes.c_uint64,
    "uintptr_t": ctypes.c_void_p,
}


def _laid_out(name: str) -> Any:
    """A C structure of the installed MuJoCo, as its bindings describe it: versions differ."""
    return type(
        name, (ctypes.Structure,), {"_fields_": [(one.name, _type_of(one.type)) for one in STRUCTS[name].fields]}
    )


def _type_of(written: Any) -> Any:
    if isinstance(written, PointerType):
        return ctypes.c_void_p
    if isinstance(written, ArrayType):
        return _type_of(written.inner_type) * math.prod(written.extents)
    return _BYTES[written.name] if written.name in _BYTES else _laid_out(written.name)


_Data, _Contact = _laid_out("mjData"), _laid_out("mjContact")
#: A contact as MuJoCo has it.
CONTACT = np.dtype(_Contact)
#: Of data's memory, in eights of a byte: how much there is, and the most that was used.
_MEMORY, _MOST_USED = _Data.narena.offset // 8, _Data.maxuse_arena.offset // 8
MODEL, DATA, NUM_CONTACTS, CONTACTS = range(4)


def physics_addresses(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    """int64 (4,): where the model, the data, its number of contacts, and its contacts lie, as long as these live."""
    layout = _Data.from_address(data._address)
    return np.array([model._address, data._address, data._address + _Data.ncon.offset, layout.contact], np.int64)


def warnings_of(data: mujoco.MjData) -> np.ndarray:
    """int32 (warnings, 2), a view: what each of MuJoCo's warnings said last, and how often it was given."""
    kinds: Any = data.warning.number
    memory: Any = (ctypes.c_int32 * (2 * len(kinds))).from_address(data.warning.lastinfo.ctypes.data)
    return np.frombuffer(memory, np.int32).reshape(-1, 2)


@njit
def contacts_of(addresses):
    """CONTACT (contacts,), a view of what was found last; ``addresses`` are those of :func:`physics_addresses`."""
    return vector_at(addresses[CONTACTS], vector_at(addresses[NUM_CONTACTS], 1, np.int32)[0], CONTACT)


@njit
def has_memory(addresses):
    """Whether steps have used at most half of the memory that they may: no step suddenly needs twice as much."""
    head = vector_at(addresses[DATA], _MOST_USED + 1, np.int64)
    return 2 * head[_MOST_USED] <= head[_MEMORY]


def _check_layout() -> None:
    """Raise :class:`ImportError` where this MuJoCo lays out its data differently from what its bindings say."""
    ball = "<body pos='0 0 0.09'><freejoint/><geom size='0.1'/></body>"
    ground = "<geom type='plane' size='1 1 1'/>"
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{ground}{ball}</worldbody></mujoco>")
    data: Any = mujoco.MjData(model)
    addresses = physics_addresses(model, data).tolist()
    head = (ctypes.c_int64 * (_MOST_USED + 1)).from_address(addresses[DATA])
    count = ctypes.c_int32.from_address(addresses[NUM_CONTACTS])
    found = [count.value == 0]
    mujoco.mj_step(model, data)
    memory: Any = (ctypes.c_byte * CONTACT.itemsize).from_address(addresses[CONTACTS])
    contact = np.frombuffer(memory, CONTACT)[0]
    found += [count.value == 1, head[_MEMORY] == data.narena, head[_MOST_USED] == data.maxuse_arena > 0]
    found += [
        np.array_equal(contact[name], getattr(data.contact, name)[0]) for name in ("dist", "pos", "frame", "geom")
    ]
    found += [CONTACT.itemsize == data.contact.dist.strides[0]]
    if not all(found):
        raise ImportError(f"MuJoCo {mujoco.__version__} lays out its data differently from what its bindings say")


_check_layout()
