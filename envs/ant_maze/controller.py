"""The low-level controller: a small network that walks an ant towards a subgoal.

An ant turned by a quarter is the same ant with its legs renamed, so the network only knows subgoals ahead of it, at
most 45 degrees to either side; the legs take its parts in the order in which they stand towards the subgoal.

All sums run in one order, in float32, whatever the number of rows: a row of a batch gives what it gives alone.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import numpy as np
from safetensors.numpy import load

from procgen_bench.core.compiled import njit
from procgen_bench.envs.ant_maze.model import MAX_TORQUE, NUM_JOINTS
from procgen_bench.envs.ant_maze.physics import NUM_POSITIONS, NUM_VELOCITIES

#: Numbers that the network sees, and of its two hidden layers.
NUM_FEATURES, NUM_HIDDEN = 29, 128
#: Its arrays by name, each layer's weights (inputs, outputs) and bias (outputs,).
WEIGHT_SHAPES = {
    "weights_0": (NUM_FEATURES, NUM_HIDDEN),
    "bias_0": (NUM_HIDDEN,),
    "weights_1": (NUM_HIDDEN, NUM_HIDDEN),
    "bias_1": (NUM_HIDDEN,),
    "weights_2": (NUM_HIDDEN, NUM_JOINTS),
    "bias_2": (NUM_JOINTS,),
}

NUM_LEGS, _FIRST_JOINT, _FIRST_JOINT_VELOCITY = 4, 7, 6
#: Where the features begin: the subgoal (2), the height, what is up (3), the velocity (3), the turning (3), and hip and
#: ankle of every leg (8) with their velocities (8); all as the ant sees them.
_SUBGOAL, _HEIGHT, _UP, _VELOCITY, _TURNING, _JOINTS, _JOINT_VELOCITIES = 0, 2, 3, 6, 9, 12, 20
#: The height of the torso's upward axis: 1 upright, negative on its back.
UP_FEATURE = _UP + 2
#: The last: how far the subgoal is, at most 5.
_FARNESS, FARTHEST = 28, 5.0
#: What features lie around and are divided by, so that all are of the order of 1.
MIDDLE_HEIGHT, HEIGHT_SCALE = 0.5, 0.25
TURNING_SCALE, JOINT_SPEED_SCALE = 2.0, 4.0
HIP_SCALE, MIDDLE_ANKLE, ANKLE_SCALE = np.deg2rad(30.0), np.deg2rad(50.0), np.deg2rad(20.0)


class Controller:
    """The network, ready to walk many ants.

    Args:
        weights: float32 arrays by the names and with the shapes of ``WEIGHT_SHAPES``.

    Attributes:
        layers: The arrays in that order.
    """

    def __init__(self, weights: Mapping[str, np.ndarray]):
        self.layers = tuple(np.ascontiguousarray(weights[name], np.float32) for name in WEIGHT_SHAPES)

    def walk(
        self,
        positions: np.ndarray,
        velocities: np.ndarray,
        targets: np.ndarray,
        rows: np.ndarray,
        torques: np.ndarray,
    ) -> None:
        """Write the torques that walk ants to their targets.

        Args:
            positions: float64 (N, 15), as :class:`~.physics.AntBodies` keeps them.
            velocities: float64 (N, 14), as :class:`~.physics.AntBodies` keeps them.
            targets: float64 (N, 2), x and y of the places to walk to.
            rows: bool (N,), the ants that walk.
            torques: float64 (N, 8), newton metres in [-30, 30]; written for ``rows``, the others stay as they are.
        """
        walk_rows(positions, velocities, targets, rows, *self.layers, torques)

    def torques(self, states: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """Torques that walk ants as they are observed.

        Args:
            states: (N, 30), as SparseAntMaze-v0's ``observation``.
            targets: float64 (N, 2), x and y of the places to walk to.

        Returns:
            float32 (N, 8), newton metres in [-30, 30].
        """
        states = states.astype(np.float64)
        positions, velocities = np.split(states, [NUM_POSITIONS, NUM_POSITIONS + NUM_VELOCITIES], axis=1)[:2]
        torques = np.empty((len(states), NUM_JOINTS), np.float64)
        self.walk(positions, velocities, targets, np.ones(len(states), np.bool_), torques)
        return torques.astype(np.float32)


@cache
def shipped_controller() -> Controller:
    """The controller that the package brings; ``data/controller.json`` tells where it comes from."""
    return Controller(load((files("procgen_bench.envs.ant_maze") / "data" / "controller.safetensors").read_bytes()))


@njit
def write_features(position, velocity, target, features):
    """Write what the network sees of one ant (float32 (29,)); returns the quarter (0 to 3) that the subgoal is in.

    Quarter 0 is ahead (along the torso's own x), 1 to the left, 2 behind, 3 to the right.
    """
    w, x, y, z = position[3], position[4], position[5], position[6]
    # Rows of the rotation from the torso's frame to the world's.
    x_row = (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y))
    y_row = (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x))
    z_row = (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y))

    to_x, to_y = target[0] - position[0], target[1] - position[1]
    ahead, left = x_row[0] * to_x + y_row[0] * to_y, x_row[1] * to_x + y_row[1] * to_y
    if ahead >= abs(left):
        quarter = 0
    elif left >= abs(ahead):
        quarter = 1
    elif -ahead >= abs(left):
        quarter = 2
    else:
        quarter = 3
    distance = np.sqrt(to_x * to_x + to_y * to_y)
    near = max(distance, 1.0)
    _write_turned(features, _SUBGOAL, ahead / near, left / near, quarter)
    features[_FARNESS] = min(distance, FARTHEST) / FARTHEST
    features[_HEIGHT] = (position[2] - MIDDLE_HEIGHT) / HEIGHT_SCALE
    _write_turned(features, _UP, z_row[0], z_row[1], quarter)
    features[UP_FEATURE] = z_row[2]
    forward = x_row[0] * velocity[0] + y_row[0] * velocity[1] + z_row[0] * velocity[2]
    sideward = x_row[1] * velocity[0] + y_row[1] * velocity[1] + z_row[1] * velocity[2]
    _write_turned(features, _VELOCITY, forward, sideward, quarter)
    features[_VELOCITY + 2] = x_row[2] * velocity[0] + y_row[2] * velocity[1] + z_row[2] * velocity[2]
    _write_turned(features, _TURNING, velocity[3] / TURNING_SCALE, velocity[4] / TURNING_SCALE, quarter)
    features[_TURNING + 2] = velocity[5] / TURNING_SCALE
    for part in range(NUM_LEGS):
        leg = (part + quarter) % NUM_LEGS
        joint, joint_velocity = _FIRST_JOINT + 2 * leg, _FIRST_JOINT_VELOCITY + 2 * leg
        features[_JOINTS + 2 * part] = position[joint] / HIP_SCALE
        features[_JOINTS + 2 * part + 1] = (position[joint + 1] - MIDDLE_ANKLE) / ANKLE_SCALE
        features[_JOINT_VELOCITIES + 2 * part] = velocity[joint_velocity] / JOINT_SPEED_SCALE
        features[_JOINT_VELOCITIES + 2 * part + 1] = velocity[joint_velocity + 1] / JOINT_SPEED_SCALE
    return quarter


@njit
def write_torques(efforts, quarter, torques):
    """Hand the network's efforts (8,), cut to [-1, 1], to the legs that play their parts, as torques (8,)."""
    for part in range(NUM_LEGS):
        leg = (part + quarter) % NUM_LEGS
        for joint in range(2):
            effort = min(max(efforts[2 * part + joint], np.float32(-1)), np.float32(1))
            torques[2 * leg + joint] = MAX_TORQUE * effort


@njit
def walk_rows(positions, velocities, targets, rows, weights_0, bias_0, weights_1, bias_1, weights_2, bias_2, torques):
    """See :meth:`Controller.walk`."""
    features = np.empty(NUM_FEATURES, np.float32)
    first, second = np.empty_like(bias_0), np.empty_like(bias_1)
    efforts = np.empty_like(bias_2)
    for i in range(positions.shape[0]):
        if rows[i]:
            quarter = write_features(positions[i], velocities[i], targets[i], features)
            _write_layer(features, weights_0, bias_0, first)
            _rectify(first)
            _write_layer(first, weights_1, bias_1, second)
            _rectify(second)
            _write_layer(second, weights_2, bias_2, efforts)
            write_torques(efforts, quarter, torques[i])


@njit
def _write_turned(features, place, x, y, quarter):
    """Write a vector as an ant sees it that looks towards ``quarter``."""
    if quarter == 1:
        x, y = y, -x
    elif quarter == 2:
        x, y = -x, -y
    elif quarter == 3:
        x, y = -y, x
    features[place] = x
    features[place + 1] = y


@njit
def _write_layer(inputs, weights, bias, outputs):
    for k in range(outputs.shape[0]):
        outputs[k] = bias[k]
    for j in range(inputs.shape[0]):
        for k in range(outputs.shape[0]):
            outputs[k] += inputs[j] * weights[j, k]


@njit
def _rectify(values):
    for k in range(values.shape[0]):
        values[k] = max(values[k], np.float32(0))
