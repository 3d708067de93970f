"""The ant's physics: exactness, measures, and walls that hold.

The low-level controller: exact by row, blind to quarter turns, and shipped with its origin.
"""

import copy
import importlib.resources
import json
import pickle
from pathlib import Path

import gymnasium
import mujoco
import numpy as np
import pytest

from procgen_bench.core.errors import DivergedError
from procgen_bench.envs.ant_maze.controller import WEIGHT_SHAPES, Controller, shipped_controller, write_features
from procgen_bench.envs.ant_maze.model import FRAME_SKIP, WALL_HEIGHT, maze_model, plain_model
from procgen_bench.envs.ant_maze.physics import AntBodies
from procgen_bench.tasks.ant_maze import AntMazeTaskSpace


def standing(starts, make_model=maze_model) -> AntBodies:
    bodies = AntBodies(len(starts), make_model)
    for row, start in enumerate(starts):
        bodies.place(row, np.asarray(start, np.float64))
    return bodies


def all_of(bodies: AntBodies) -> np.ndarray:
    return np.ones(len(bodies.states), np.bool_)


def test_rows_go_as_an_undisturbed_simulation_goes():
    """Each row equals an ``MjData`` of its own that nobody ever saves or loads, bit for bit."""
    starts = [[0.0, 0.0], [10.0, 2.5], [16.0, 8.0]]
    bodies, model = standing(starts), maze_model()
    alone = [mujoco.MjData(model) for _ in starts]
    for data, state in zip(alone, bodies.states):
        data.qpos[:] = state[:15]
    rng = np.random.default_rng(0)
    for _ in range(300):
        torques = rng.uniform(-30, 30, (3, 8))
        bodies.push(all_of(bodies), torques)
        for row, data in enumerate(alone):
            data.ctrl[:] = torques[row]
            for _ in range(FRAME_SKIP):
                mujoco.mj_step(model, data)
            assert np.array_equal(bodies.positions[row], data.qpos)
            assert np.array_equal(bodies.velocities[row], data.qvel)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda bodies: pickle.loads(pickle.dumps(bodies))])
def test_copies_continue_bit_for_bit_and_apart(copied):
    bodies = standing([[0.0, 0.0]] * 4)
    torques = np.random.default_rng(1).uniform(-30, 30, (250, 4, 8))
    for one in torques[:50]:
        bodies.push(all_of(bodies), one)
    twin, before = copied(bodies), bodies.states.copy()
    for one in torques[50:]:
        bodies.push(all_of(bodies), one)
    assert np.array_equal(twin.states, before), "the copy moved with the original"
    for one in torques[50:]:
        twin.push(all_of(twin), one)
    assert np.array_equal(twin.states, bodies.states)
    assert np.shares_memory(twin.positions, twin.states)


def test_only_the_given_rows_are_pushed():
    bodies = standing([[0.0, 0.0]] * 3)
    before = bodies.states.copy()
    bodies.push(np.array([True, False, True]), np.full((3, 8), 10.0))
    assert np.array_equal(bodies.states[1], before[1])
    assert np.array_equal(bodies.states[0], bodies.states[2]) and not np.array_equal(bodies.states[0], before[0])


def test_a_diverged_row_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo writes its warning into a file there
    bodies = standing([[0.0, 0.0]] * 2)
    bodies.states[1, 20] = np.nan
    with pytest.raises(DivergedError, match="row 1 diverged"):
        bodies.push(all_of(bodies), np.zeros((2, 8)))


def test_the_ant_has_the_classic_ones_measures():
    """Gymnasium keeps the classic ant, with other torques and another order of integration."""
    ours = plain_model()
    classic = mujoco.MjModel.from_xml_path(
        str(Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets" / "ant.xml")
    )
    assert (ours.nq, ours.nv, ours.nu) == (classic.nq, classic.nv, classic.nu) == (15, 14, 8)
    np.testing.assert_allclose(ours.body_mass, classic.body_mass, rtol=1e-12)
    np.testing.assert_allclose(ours.dof_armature, classic.dof_armature)
    np.testing.assert_allclose(ours.dof_damping, classic.dof_damping)
    np.testing.assert_allclose(ours.geom_friction, classic.geom_friction)
    hips, ankles = np.deg2rad([-30, 30]), np.deg2rad([30, 70])
    np.testing.assert_allclose(ours.jnt_range[1:], np.tile([hips, ankles], (4, 1)))
    np.testing.assert_allclose(np.sort(abs(classic.jnt_range[1:]), axis=1), np.sort(abs(ours.jnt_range[1:]), axis=1))
    assert (ours.actuator_ctrlrange == [-30, 30]).all() and (ours.actuator_gear[:, 0] == 1).all()
    assert ours.actuator_trnid[:, 0].tolist() == list(range(1, 9)), "action k turns joint k"
    assert ours.opt.timestep * FRAME_SKIP == pytest.approx(0.1)


def test_a_resting_ant_stays_where_it_is():
    bodies = standing([[3.0, -1.0]])
    for _ in range(100):
        bodies.push(all_of(bodies), np.zeros((1, 8)))
    assert np.abs(bodies.positions[0, :2] - [3.0, -1.0]).max() < 0.05
    assert 0.25 < bodies.positions[0, 2] < 0.8 and np.abs(bodies.velocities).max() < 0.05


class Walls:
    """Watches that no limb's middle line is in a wall, or a quarter as high as one."""

    def __init__(self, bodies: AntBodies):
        self.bodies, self.model = bodies, maze_model()
        self.data = mujoco.MjData(self.model)
        self.limbs = np.flatnonzero(self.model.geom_bodyid > 0)
        self.half_lengths = self.model.geom_size[self.limbs, 1:2]  # 0 for the torso, a sphere

    def check(self) -> None:
        for row, position in enumerate(self.bodies.positions):
            self.data.qpos[:] = position
            mujoco.mj_kinematics(self.model, self.data)
            middles = self.data.geom_xpos[self.limbs]
            reaches = self.half_lengths * self.data.geom_xmat[self.limbs][:, 2::3]
            x, y, z = np.concatenate([middles, middles + reaches, middles - reaches]).T
            in_maze = (x > -4) & (x < 20) & (y > -4) & (y < 20)
            in_wall = (x < 12) & (y > 4) & (y < 12)
            assert in_maze.all() and not in_wall.any(), f"ant {row} reaches into a wall: {position}"
            assert z.max() < WALL_HEIGHT / 4, f"ant {row} reaches as high as {z.max()}"


def starts_at_walls() -> list[np.ndarray]:
    """Starts as close to walls and corners as tasks allow, and some anywhere."""
    places = [[-3, -3], [-3, 3], [13, 3], [19, -3], [19, 19], [13, 13], [-3, 13], [-3, 19], [13, 8], [5, 3], [5, 13]]
    rng, space = np.random.default_rng(2), AntMazeTaskSpace()
    return [*places, *(space.decode(space.sample(rng)).start for _ in range(9))]


@pytest.mark.parametrize("num_steps", [150, pytest.param(1_000, marks=pytest.mark.slow)])
def test_no_torques_get_an_ant_through_or_over_a_wall(num_steps):
    """Random steps of full torque by 20 ants, some held for long."""
    bodies, rng = standing(starts_at_walls()), np.random.default_rng(3)
    walls, held = Walls(bodies), rng.choice([-30.0, 30.0], (20, 8))
    for _ in range(num_steps):
        renewed = rng.random((20, 8)) < 0.2
        held = np.where(renewed, rng.choice([-30.0, 30.0], (20, 8)), held)
        bodies.push(all_of(bodies), held)
        walls.check()


def walk_outwards(make_model, steps: int) -> AntBodies:
    """Ants that the controller walks straight at the walls, each to a place far behind them; checked at every step."""
    starts = starts_at_walls()
    bodies = standing(starts, make_model)
    walls, torques = Walls(bodies), np.zeros((len(starts), 8))
    angles = 2 * np.pi * np.arange(len(starts)) / 8
    targets = np.array(starts) + 100 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    for _ in range(steps):
        shipped_controller().walk(bodies.positions, bodies.velocities, targets, all_of(bodies), torques)
        bodies.push(all_of(bodies), torques)
        walls.check()
    return bodies


def test_no_gait_gets_an_ant_through_or_over_a_wall():
    bodies = walk_outwards(maze_model, 300)
    moved = np.abs(bodies.positions[:, :2] - np.array(starts_at_walls())).max(axis=1)
    assert (moved > 1).sum() > 10, "hardly an ant walked, so this check saw nothing"


def test_the_check_notices_walls_that_do_not_hold():
    with pytest.raises(AssertionError, match="reaches into a wall"):
        walk_outwards(plain_model, 100)


ANTS = 64


@pytest.fixture(scope="module")
def poses() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions, velocities and targets of ants that have been pushed about."""
    rng, bodies = np.random.default_rng(0), AntBodies(ANTS, plain_model)
    every_row = np.ones(ANTS, np.bool_)
    for row in range(ANTS):
        bodies.place(row, rng.uniform(-5, 5, 2))
        angle = rng.uniform(-np.pi, np.pi)
        bodies.positions[row, 3], bodies.positions[row, 6] = np.cos(angle / 2), np.sin(angle / 2)
    for _ in range(10):
        bodies.push(every_row, rng.uniform(-30, 30, (ANTS, 8)))
    return bodies.positions.copy(), bodies.velocities.copy(), bodies.positions[:, :2] + rng.uniform(-5, 5, (ANTS, 2))


def walked(positions, velocities, targets, controller=None) -> np.ndarray:
    torques = np.zeros((len(positions), 8))
    (controller or shipped_controller()).walk(
        positions, velocities, targets, np.ones(len(positions), np.bool_), torques
    )
    return torques


def test_rows_of_a_batch_equal_single_ants(poses):
    whole = walked(*poses)
    for size in (1, 2, 3, 7):
        for first in range(0, ANTS - size, size):
            part = slice(first, first + size)
            assert np.array_equal(walked(*(array[part] for array in poses)), whole[part])


def test_only_the_given_rows_are_written(poses):
    torques, rows = np.full((ANTS, 8), 99.0), np.arange(ANTS) % 3 == 0
    shipped_controller().walk(*poses, rows, torques)
    assert (torques[~rows] == 99).all() and np.array_equal(torques[rows], walked(*poses)[rows])


def test_torques_are_the_networks(poses):
    """Against matrix products in double precision, for weights that use the whole range of torques."""
    rng = np.random.default_rng(1)
    weights = {name: rng.normal(0, 0.2, shape).astype(np.float32) for name, shape in WEIGHT_SHAPES.items()}
    found = walked(*poses, Controller(weights))
    clipped = 0
    for row in range(ANTS):
        features = np.zeros(29, np.float32)
        quarter = write_features(*(array[row] for array in poses), features)
        hidden = features.astype(np.float64)
        for number in range(3):
            hidden = hidden @ weights[f"weights_{number}"].astype(np.float64) + weights[f"bias_{number}"]
            hidden = np.maximum(hidden, 0) if number < 2 else hidden
        expected = 30 * np.roll(np.clip(hidden, -1, 1).reshape(4, 2), quarter, axis=0).ravel()
        np.testing.assert_allclose(found[row], expected, atol=1e-3)
        clipped += (np.abs(expected) == 30).sum()
    assert 0.1 < clipped / found.size < 0.9


def test_an_ant_turned_by_a_quarter_walks_the_same(poses):
    positions, velocities, targets = (array.copy() for array in poses)
    turned, turning = positions.copy(), velocities.copy()
    half = np.sqrt(0.5)
    w, x, y, z = positions[:, 3:7].T
    turned[:, 3:7] = half * np.stack([w - z, x + y, y - x, z + w], axis=1)  # then a quarter turn about its own axis
    turned[:, 7:] = np.roll(positions[:, 7:].reshape(-1, 4, 2), -1, axis=1).reshape(-1, 8)
    turning[:, 3], turning[:, 4] = velocities[:, 4], -velocities[:, 3]
    turning[:, 6:] = np.roll(velocities[:, 6:].reshape(-1, 4, 2), -1, axis=1).reshape(-1, 8)
    expected = np.roll(walked(positions, velocities, targets).reshape(-1, 4, 2), -1, axis=1).reshape(-1, 8)
    np.testing.assert_allclose(walked(turned, turning, targets), expected, atol=0.02)
    assert np.abs(expected).mean() > 5


def test_features_do_not_know_the_place(poses):
    positions, velocities, targets = (array.copy() for array in poses)
    expected = walked(positions, velocities, targets)
    positions[:, :2] += 64.0
    np.testing.assert_allclose(walked(positions, velocities, targets + 64.0), expected, atol=0.02)


def test_subgoals_come_from_ahead():
    features, position = np.zeros(29, np.float32), np.zeros(15)
    position[3] = 1.0
    for quarter, target in enumerate(([3.0, 1.0], [-1.0, 3.0], [-3.0, -1.0], [1.0, -3.0])):
        assert write_features(position, np.zeros(14), np.array(target), features) == quarter
        np.testing.assert_allclose(features[:2], np.array([3.0, 1.0]) / np.sqrt(10), rtol=1e-6)
    write_features(position, np.zeros(14), np.array([0.3, 0.1]), features)
    np.testing.assert_allclose(features[:2], [0.3, 0.1], rtol=1e-6)


def test_the_shipped_controller_tells_its_origin():
    record = json.loads(
        (importlib.resources.files("procgen_bench.envs.ant_maze") / "data" / "controller.json").read_text()
    )
    assert record["command"].startswith("python -m procgen_bench.baselines."), "as it was called at the commit"
    assert "ant_controller --out " in record["command"]
    assert {"configuration", "seed", "steps", "commit", "versions", "hardware", "scores"} <= set(record)
    assert record["scores"]["maze"]["success"] > 0.9 and record["scores"]["plain"]["approach"] > 0.7
    assert not record["commit"].endswith("+changes")
