"""Masses and frictions of blocks: in tasks, in the task space, in the physics, and in saved states."""

from dataclasses import replace

import gymnasium
import mujoco
import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.envs.fetch_blocks.model import change_blocks
from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation
from procgen_bench.tasks.fetch_blocks import FetchBlocksTask, FetchBlocksTaskSpace
from tests.tasks.fetch_blocks.test_tasks import TASK

HEAVY = replace(TASK, mass=4.0, friction=0.2)
ACTION = np.array([0.2, -0.1, -0.3, -1.0], np.float32)


@pytest.mark.parametrize("task", [TASK, replace(TASK, mass=0.5), replace(TASK, friction=1.5), HEAVY])
def test_text_says_what_is_unusual(task):
    again = FetchBlocksTask.from_text(task.to_text())
    assert (again.mass, again.friction) == (task.mass, task.friction)
    assert ("mass" in task.to_text(), "friction" in task.to_text()) == (task.mass != 2.0, task.friction != 1.0)


@pytest.mark.parametrize("name, value", [("mass", 0.4), ("mass", 5.0), ("friction", 0.0), ("friction", np.nan)])
def test_what_no_block_is_made_of_is_refused(name, value):
    with pytest.raises(InvalidTaskError, match=f"{name} is .*expected a float from"):
        replace(TASK, **{name: value}).validate()


def test_parameters_hold_them_where_they_are_asked_for():
    plain, varied = FetchBlocksTaskSpace(4), FetchBlocksTaskSpace(4, materials=True)
    assert set(varied.space) - set(plain.space) == {"mass", "friction"}
    with pytest.raises(InvalidTaskError, match=r"mass is 4.0, expected 2.0.*materials=True"):
        plain.encode(HEAVY)
    rng = np.random.default_rng(0)
    for task in (varied.sample_task(rng), varied.decode(varied.sample(rng)), varied.mutate(HEAVY, rng)):
        again = varied.decode(varied.encode(task))
        assert (again.mass, again.friction) == (task.mass, task.friction) != (2.0, 1.0)


def test_the_model_is_the_one_that_mujoco_makes_of_such_blocks():
    simulation = FetchBlocksSimulation(2)
    simulation.begin(_two_blocks(), 3.0, 0.5)
    ours, scratch = simulation.model, mujoco.MjData(simulation.model)
    theirs = FetchBlocksSimulation(2).model.__copy__()
    change_blocks(theirs, 3.0, 0.5)
    mujoco.mj_setConst(theirs, scratch)
    for name in ("body_mass", "body_subtreemass", "body_inertia", "body_invweight0", "dof_invweight0", "dof_M0"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-9, err_msg=name)
    assert ours.body("object0").mass == pytest.approx(3.0)


def _two_blocks():
    return FetchBlocksTaskSpace(2).sample_task(np.random.default_rng(0)).start


def slid(friction: float) -> float:
    """How far a block slides that is pushed off at 0.5 m/s."""
    simulation = FetchBlocksSimulation(2)
    simulation.begin(_two_blocks(), friction=friction)
    simulation.place(np.array([[1.3, 0.6, 0.425], [1.3, 0.9, 0.425]]))
    simulation.data.qvel[-12] = 0.5
    simulation.forward()
    for _ in range(15):
        simulation.step(np.zeros(4))
    return simulation.positions[0, 0] - 1.3


def test_blocks_slide_as_far_as_their_friction_lets_them():
    """v^2 / (2 mu g), on a table that is none the rougher."""
    for friction in (0.2, 0.5):
        assert slid(friction) == pytest.approx(0.25 / (2 * friction * 9.81), rel=0.15)


def test_saved_states_carry_them_and_rows_equal_the_single_environment():
    env, other = (gymnasium.make("FetchBlocks-v0").unwrapped for _ in range(2))
    rows = gymnasium.make_vec("FetchBlocks-v0", 2, vectorization_mode="vector_entry_point", num_threads=2)
    env.reset(seed=0, options={"task": HEAVY})
    rows.reset(seed=[0, 1], options={"task": [HEAVY, TASK]})
    for _ in range(4):
        observation = env.step(ACTION)[0]
        in_rows = rows.step(np.stack([ACTION, ACTION]))[0]
    assert all(np.array_equal(in_rows[key][0], observation[key]) for key in observation)
    assert not np.array_equal(in_rows["observation"][1], observation["observation"])
    other.reset(seed=1)
    other.reset(options={"state": env.save_state()})
    for _ in range(3):
        here, there = env.step(ACTION)[0], other.step(ACTION)[0]
        assert np.array_equal(here["observation"], there["observation"])
    assert (other.task.mass, other.task.friction) == (4.0, 0.2)
    env.reset(options={"task": TASK})
    assert env.simulation.model is rows.simulation._rows[1].simulation.model, "usual blocks share one model"
    rows.close()
