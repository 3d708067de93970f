"""The low-level controller: exact by row, blind to quarter turns, and shipped with its origin."""

import importlib.resources
import json

import numpy as np
import pytest

from procgen_bench.envs.ant_maze.controller import WEIGHT_SHAPES, Controller, shipped_controller, write_features
from procgen_bench.envs.ant_maze.model import plain_model
from procgen_bench.envs.ant_maze.physics import AntBodies

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
