"""The Fetch arm: gymnasium-robotics' environment class over our model, for its home; and what its action does."""

import io
import itertools
from contextlib import redirect_stderr
from functools import cache

import mujoco
import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.envs.fetch_blocks.model import block_name, fetch_model
from procgen_bench.tasks.fetch_blocks.table import MOST_BLOCKS
from procgen_bench.tasks.programs.zones import RESTING_HEIGHT

with redirect_stderr(io.StringIO()):  # it announces that rewards of its Adroit hand have changed
    from gymnasium_robotics.envs.fetch.fetch_env import MujocoFetchEnv

#: Steps of the physics, 0.002 s each, that one action lasts.
SUBSTEPS = 20
#: Where blocks wait (x, y, z), at rest and clear of the arm, while it is brought to its home.
_WAITING = np.array([(*place, RESTING_HEIGHT) for place in itertools.product((1.25, 1.15, 1.35), (0.53, 0.97))])
assert len(_WAITING) == MOST_BLOCKS


class FetchArm(MujocoFetchEnv):
    """FetchPickAndPlace's simulation with N blocks.

    A new one is at home: the gripper where FetchPickAndPlace's episodes begin, the blocks at rest on the table.

    Attributes:
        model, data: MuJoCo's; the model is shared.
    """

    initial_qpos: np.ndarray

    def __init__(self, num_blocks: int, sleep: bool):
        self._shared_model = fetch_model(num_blocks, sleep)
        blocks = {f"{block_name(block)}:joint": [*_WAITING[block], 1.0, 0.0, 0.0, 0.0] for block in range(num_blocks)}
        super().__init__(
            model_path="fetch/pick_and_place.xml",
            has_object=True,
            block_gripper=False,
            n_substeps=SUBSTEPS,
            gripper_extra_height=0.2,
            target_in_the_air=True,
            target_offset=0.0,
            obj_range=0.15,
            target_range=0.15,
            distance_threshold=0.05,
            initial_qpos={"robot0:slide0": 0.405, "robot0:slide1": 0.48, "robot0:slide2": 0.0, **blocks},
            reward_type="sparse",
        )

    def _initialize_simulation(self) -> None:
        self.model = self._shared_model
        self.data = mujoco.MjData(self.model)
        self._model_names = self._utils.MujocoModelNames(self.model)
        self._env_setup(initial_qpos=self.initial_qpos)


@cache
def home(num_blocks: int, sleep: bool) -> mujoco.MjData:
    """The data of a new :class:`FetchArm`, its blocks asleep; never changed."""
    arm = FetchArm(num_blocks, sleep)
    model, data, robots = arm.model, arm.data, int(arm.model.jnt_dofadr[arm.model.joint("object0:joint").id])
    positions, velocities = data.qpos.copy(), data.qvel.copy()
    mujoco.mj_step(model, data, nstep=SUBSTEPS)
    data.qpos[:robots], data.qvel[:robots] = positions[:robots], velocities[:robots]
    mujoco.mj_forward(model, data)
    return data


@njit
def lead(ways, command, led_place, led_turn, fingers, leader_place, leader_turn, controls):
    """Have the arm do an action, as gymnasium-robotics' ``_set_action`` does.

    Args:
        ways: (3,), metres along x, y and z that the body that is led is to go.
        command: The fingers' command: the displacement from where they are that they are driven to.
        led_place, led_turn: float64 (3,) and (4,), place and rotation of the body that is led.
        fingers: float64 (2,), displacements of the right finger and of the left one.
        leader_place, leader_turn: float64 (3,) and (4,), of the body that leads; written. MuJoCo normalises the turn.
        controls: As :func:`grip`'s.
    """
    for axis in range(3):
        leader_place[axis] = led_place[axis] + ways[axis]
    for part in range(4):
        leader_turn[part] = led_turn[part]
    # The library's fixed rotation: fingers down, side by side along y.
    leader_turn[0] += 1.0
    leader_turn[2] += 1.0
    grip(command, fingers, controls)


@njit
def grip(command, fingers, controls):
    """Have the fingers do a command, as gymnasium-robotics' ``_set_action`` does.

    Args:
        command: The displacement from where they are that they are driven to.
        fingers: float64 (2,), displacements of the right finger and of the left one.
        controls: float64 (2 or more,), first of the left finger's motor and of the right one's; these are written.
    """
    controls[0] = fingers[1] + command
    controls[1] = fingers[0] + command
