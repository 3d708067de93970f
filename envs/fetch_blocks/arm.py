"""The Fetch arm: gymnasium-robotics' environment class over our model, for its action, stepping and home."""

import mujoco
import numpy as np
from gymnasium_robotics.envs.fetch.fetch_env import MujocoFetchEnv

from procgen_bench.envs.fetch_blocks.model import block_name, fetch_model
from procgen_bench.tasks.fetch_blocks.table import MOST_BLOCKS

#: Steps of the physics, 0.002 s each, that one action lasts.
SUBSTEPS = 20
#: Where blocks wait, clear of the arm, while it is brought to its home (x, y, z), FetchPickAndPlace's first.
_WAITING = np.array(
    [(1.25, 0.53, 0.4), (1.15, 0.53, 0.4), (1.15, 0.97, 0.4), (1.25, 0.97, 0.4), (1.35, 0.53, 0.4), (1.35, 0.97, 0.4)]
)
assert len(_WAITING) == MOST_BLOCKS


class FetchArm(MujocoFetchEnv):
    """FetchPickAndPlace's simulation with N blocks; ``_set_action`` and ``_mujoco_step`` are the library's.

    A new one is at home: the gripper where FetchPickAndPlace's episodes begin, the blocks at rest on the table.

    Attributes:
        model, data: MuJoCo's; the model is shared.
        initial_qpos, initial_qvel: Home.
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
        self.initial_time = self.data.time
        self.initial_qpos, self.initial_qvel = self.data.qpos.copy(), self.data.qvel.copy()

    def act(self, action: np.ndarray) -> None:
        """Advance the physics by 0.04 s under an action (numbers (4,) in [-1, 1])."""
        self._set_action(action)
        self._mujoco_step(action)
        self._step_callback()
