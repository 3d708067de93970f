"""MuJoCo called from compiled code: the same bits as through Python, and its data where we look for them."""

import mujoco
import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.engine.mujoco_calls import (
    DATA,
    MODEL,
    contacts_of,
    has_memory,
    mj_step,
    physics_addresses,
    warnings_of,
)

BALLS = "".join(f"<body pos='{k * 0.15} 0 {0.3 + k * 0.2}'><freejoint/><geom size='0.1'/></body>" for k in range(4))
WORLD = f"<mujoco><worldbody><geom type='plane' size='1 1 1'/>{BALLS}</worldbody></mujoco>"


@njit
def _play(addresses, count):
    for _ in range(count):
        mj_step(addresses[MODEL], addresses[DATA])
    return contacts_of(addresses).copy(), has_memory(addresses)


def test_steps_and_contacts_are_those_of_the_bindings():
    model = mujoco.MjModel.from_xml_string(WORLD)
    ours, theirs = mujoco.MjData(model), mujoco.MjData(model)
    most = 0
    for count in (1, 20, 30, 40, 50):
        contacts, has_room = _play(physics_addresses(model, ours), count)
        mujoco.mj_step(model, theirs, count)
        np.testing.assert_array_equal(ours.qpos, theirs.qpos)
        np.testing.assert_array_equal(ours.qvel, theirs.qvel)
        for name in ("dist", "pos", "frame", "geom"):
            np.testing.assert_array_equal(contacts[name], getattr(theirs.contact, name))
        assert has_room and len(contacts) == theirs.ncon
        most = max(most, len(contacts))
    assert most >= 3


def test_memory_and_warnings_are_reported():
    for memory, has_room in (("64K", True), ("24K", False)):
        model = mujoco.MjModel.from_xml_string(WORLD.replace("<worldbody>", f"<size memory='{memory}'/><worldbody>"))
        data = mujoco.MjData(model)
        assert _play(physics_addresses(model, data), 300)[1] is has_room
        assert (2 * data.maxuse_arena <= data.narena) is has_room
    warnings = warnings_of(data)
    assert not warnings.any()
    data.warning[2].number = 3
    assert warnings[2].tolist() == [0, 3]
