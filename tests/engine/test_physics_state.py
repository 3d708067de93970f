"""Numbers that one MuJoCo world takes over from another: what moves is moved, what sleeps sleeps on."""

import mujoco
import numpy as np
import pytest

from procgen_bench.engine.physics_state import physics_vector, take_over, vector_scales

#: A box that comes to rest, one that swings on a ball joint, one on a rail and a motor with a state of its own.
WORLD = """
<mujoco>
  <option><flag sleep="enable"/></option>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <body name="resting" pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
    <body pos="2 0 2"><joint type="ball"/><geom type="capsule" size="0.05" fromto="0 0 0 0.5 0 0"/></body>
    <body pos="-2 0 1"><joint name="rail" type="slide" axis="1 0 0"/><geom size="0.1"/></body>
  </worldbody>
  <actuator><general joint="rail" dyntype="integrator" gainprm="1" biasprm="0"/></actuator>
</mujoco>
"""


@pytest.fixture(scope="module")
def model():
    return mujoco.MjModel.from_xml_string(WORLD)


@pytest.fixture
def under_way(model):
    """under_way() -> data in which the box sleeps and the rest moves, always the same."""

    def data() -> mujoco.MjData:
        data = mujoco.MjData(model)
        data.ctrl[:] = 0.3
        mujoco.mj_step(model, data, 300)
        assert data.tree_awake.tolist() == [0, 1, 1]
        return data

    return data


def test_the_vector_is_all_that_a_step_sets_out_from(model, under_way):
    data = under_way()
    vector = physics_vector(data)
    assert (model.nq, model.nv, model.na) == (12, 10, 1)
    assert len(vector) == len(vector_scales(model.nq, model.nv)) + model.na
    assert vector[: model.nq].tobytes() == data.qpos.tobytes()
    assert vector[-model.nv :].tobytes() == data.qacc_warmstart.tobytes()


def test_what_is_awake_goes_on_as_it_did_there(model, under_way):
    there, here = under_way(), under_way()
    mujoco.mj_step(model, there, 5)
    vector = physics_vector(there)
    mujoco.mj_step(model, here, 3)
    take_over(model, here, vector)
    assert physics_vector(here).tobytes() == vector.tobytes()
    for data in (there, here):
        mujoco.mj_step(model, data, 20)
    assert physics_vector(here).tobytes() == physics_vector(there).tobytes()


def test_what_sleeps_stays_as_it_lies(model, under_way):
    """A single other bit in its position would wake it, and it would not come to lie where it lay."""
    data = under_way()
    vector = physics_vector(data)
    lies = vector[:7].copy()
    vector[:3] += 1e-12
    take_over(model, data, vector)
    np.testing.assert_array_equal(data.qpos[:7], lies)
    mujoco.mj_step(model, data, 20)
    assert data.tree_awake.tolist() == [0, 1, 1]
    np.testing.assert_array_equal(data.qpos[:7], lies)
