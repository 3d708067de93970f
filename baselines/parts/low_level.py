"""The ant's low level in torch, shipped or learned, as policies of subgoals play it and are exported with it.

:mod:`procgen_bench.envs.ant_maze.controller` tells what the network sees and why; its kernel walks the ant in training.
"""

import torch
from torch.nn import functional

from procgen_bench.baselines.parts.distributions import actions_of
from procgen_bench.baselines.parts.goal_networks import Actor
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.envs.ant_maze import SparseAntMazeEnv, controller
from procgen_bench.envs.ant_maze.model import MAX_TORQUE, NUM_JOINTS

_JOINTS = torch.arange(NUM_JOINTS)


class AntController:
    """The shipped controller, which learns nothing more and draws nothing."""

    network, noise_width = None, 0

    def __init__(self):
        self._layers = [torch.as_tensor(array) for array in controller.shipped_controller().layers]

    def torques(self, states: torch.Tensor, places: torch.Tensor, noise: torch.Tensor) -> torch.Tensor:
        """Torques that walk ants to places.

        Args:
            states: float32 (n, 30), as SparseAntMaze-v0's ``observation``.
            places: float32 (n, 2), x and y.
            noise: Not looked at.

        Returns:
            float32 (n, 8), newton metres in [-30, 30].
        """
        weights_0, bias_0, weights_1, bias_1, weights_2, bias_2 = self._layers
        features, quarter = encode(states, places)
        hidden = functional.relu(features @ weights_0 + bias_0)
        hidden = functional.relu(hidden @ weights_1 + bias_1)
        efforts = (hidden @ weights_2 + bias_2).clamp(-1.0, 1.0)
        return MAX_TORQUE * torch.gather(efforts, 1, renamed(-quarter))


def encode(states: torch.Tensor, places: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """What the network sees (n, 29), and the quarter int64 (n, 1) that the place is in, as ``write_features`` does."""
    w, x, y, z = (states[:, 3 + i : 4 + i] for i in range(4))
    # Rows of the rotation from the torso's frame to the world's.
    x_row = (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y))
    y_row = (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x))
    z_row = (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y))

    to_x, to_y = places[:, 0:1] - states[:, 0:1], places[:, 1:2] - states[:, 1:2]
    ahead, left = (x_row[i] * to_x + y_row[i] * to_y for i in range(2))
    quarter = torch.where(-ahead >= left.abs(), 2, 3)
    quarter = torch.where(left >= ahead.abs(), 1, quarter)
    quarter = torch.where(ahead >= left.abs(), 0, quarter)
    cosine = (quarter == 0).float() - (quarter == 2).float()
    sine = (quarter == 1).float() - (quarter == 3).float()

    def turned(forward: torch.Tensor, sideward: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return cosine * forward + sine * sideward, cosine * sideward - sine * forward

    distance = torch.sqrt(to_x * to_x + to_y * to_y)
    near = distance.clamp(min=1.0)
    velocity, turning = ([states[:, k + i : k + i + 1] for i in range(3)] for k in (15, 18))
    forward, sideward, upward = (
        x_row[i] * velocity[0] + y_row[i] * velocity[1] + z_row[i] * velocity[2] for i in range(3)
    )
    turning = [part / controller.TURNING_SCALE for part in turning]
    legs = renamed(quarter)
    joints = (states[:, 7:15] - _middles()) / _scales()
    speeds = states[:, 21:29] / controller.JOINT_SPEED_SCALE
    features = (
        *turned(ahead / near, left / near),
        (states[:, 2:3] - controller.MIDDLE_HEIGHT) / controller.HEIGHT_SCALE,
        *turned(z_row[0], z_row[1]),
        z_row[2],
        *turned(forward, sideward),
        upward,
        *turned(turning[0], turning[1]),
        turning[2],
        torch.gather(joints, 1, legs),
        torch.gather(speeds, 1, legs),
        distance.clamp(max=controller.FARTHEST) / controller.FARTHEST,
    )
    return torch.cat(features, dim=1), quarter


def renamed(quarters: torch.Tensor) -> torch.Tensor:
    """int64 (n, 8): the joint that plays each joint's part when legs are counted from as many legs (n, 1) further."""
    return (_JOINTS + NUM_JOINTS + 2 * quarters) % NUM_JOINTS


def _middles() -> torch.Tensor:
    """float32 (8,), what the angles of hip and ankle of every leg lie around."""
    return torch.tensor([0.0, controller.MIDDLE_ANKLE] * controller.NUM_LEGS, dtype=torch.float32)


def _scales() -> torch.Tensor:
    """float32 (8,), what they are divided by."""
    return torch.tensor([controller.HIP_SCALE, controller.ANKLE_SCALE] * controller.NUM_LEGS, dtype=torch.float32)


#: What the low level sees, with the subgoal's place (x, y) in the place of the goal, and what it does: torques.
OBSERVATION_SPACE, ACTION_SPACE = SparseAntMazeEnv.observation_space, SparseAntMazeEnv.action_space
#: Of its layers: the published source's; the paper has 128.
WIDTH = 256


class LowLevelPolicy:
    """The low level's policy, ready to play.

    Attributes:
        network: The actor, with any weights.
        noise_width: Uniform numbers that drawing torques takes.
    """

    def __init__(self):
        self._actions = actions_of(ACTION_SPACE)
        self.network = Actor(OBSERVATION_SPACE, self._actions.num_outputs, WIDTH)
        self.noise_width = self._actions.noise_width

    def torques(self, states: torch.Tensor, places: torch.Tensor, noise: torch.Tensor) -> torch.Tensor:
        """Torques that walk ants to places.

        Args:
            states: float32 (n, 30), as SparseAntMaze-v0's ``observation``.
            places: float32 (n, 2), x and y.
            noise: float32 (n, ``noise_width``), uniform in [0, 1), or (n, 0): then torques are means.

        Returns:
            float32 (n, 8), newton metres in [-30, 30].
        """
        seen: Tensors = {"observation": states, "desired_goal": places}
        return self._actions.play(self.network(seen), noise if noise.shape[1] else None)
