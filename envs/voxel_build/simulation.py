"""VoxelBuild's rows: the arrays that the compiled rules work on."""

from types import MappingProxyType

import numpy as np

from procgen_bench.engine.goal_simulation import GoalSimulation
from procgen_bench.engine.simulation import TaskArray
from procgen_bench.envs.voxel_build import kernel
from procgen_bench.envs.voxel_build.textures import paint_textures
from procgen_bench.tasks.voxel_build.task import ARENA_SHAPE, MATERIALS, VoxelBuildTask

#: The first-person picture: height, width, colours.
PICTURE_SHAPE = (80, 120, 3)

_POSE_ENTRIES = 5
TEXTURES = paint_textures()


class VoxelBuildSimulation(GoalSimulation[VoxelBuildTask]):
    """N arenas of blocks, each with an agent in it.

    Attributes:
        arenas: uint8 (N, 11, 11, 3), [y, x, z], the block types that stand.
        poses: int64 (N, 5), the agents' x, y and z (feet), heading and pitch; see
            :mod:`procgen_bench.tasks.voxel_build.rules`.
        inventories: int64 (N, 3), blocks of each type that are left.
        observations: A dict of ``observation`` (uint8 (N, 80, 120, 3)), ``achieved_goal`` (the arenas) and
            ``desired_goal`` (the goals).
        distances: int64 (N,), how many cells differ from the goal's.
        pictures: uint8 (N, 80, 120, 3), what the agents see.
        starts, goals: int8 (N, 3), uint8 (N, 11, 11, 3), of the rows' tasks.

    Args:
        num_rows: Number of rows, N.
        max_episode_steps: Steps after which an episode is truncated; ``None``: never.
        distance_step: Number of the step that is rewarded by minus the distance when it fails; 0: none is.
    """

    task_type = VoxelBuildTask
    task_arrays = MappingProxyType({"start": TaskArray((3,), np.int8), "goal": TaskArray(ARENA_SHAPE, np.uint8)})
    state_names = ("arenas", "poses", "inventories", "distances", "pictures")

    def __init__(self, num_rows: int, max_episode_steps: int | None, distance_step: int):
        super().__init__(num_rows, max_episode_steps, distance_step)
        self.arenas = np.zeros((num_rows, *ARENA_SHAPE), np.uint8)
        self.poses = np.zeros((num_rows, _POSE_ENTRIES), np.int64)
        self.inventories = np.zeros((num_rows, len(MATERIALS)), np.int64)
        self.distances = np.zeros(num_rows, np.int64)
        self.pictures = np.zeros((num_rows, *PICTURE_SHAPE), np.uint8)
        self.observations = {"achieved_goal": self.arenas, "desired_goal": self.goals, "observation": self.pictures}

    def start(self, rows: np.ndarray, fresh: np.ndarray) -> None:
        """Begin an episode in every row of ``rows``."""
        kernel.start_rows(
            rows,
            fresh,
            self.streams,
            *self.bank,
            *self.task_rows,
            self.arenas,
            self.poses,
            self.inventories,
            TEXTURES,
            self.pictures,
            self.distances,
            self.outcomes,
        )

    def step(self, actions: np.ndarray, active: np.ndarray) -> None:
        """Advance every active row by one action."""
        kernel.step_rows(
            actions,
            active,
            self.max_episode_steps,
            self.distance_step,
            self.goals,
            self.arenas,
            self.poses,
            self.inventories,
            TEXTURES,
            self.pictures,
            self.distances,
            self.outcomes,
        )

    def pursue(self, row: int, task: VoxelBuildTask) -> None:
        """Continue in ``row`` under another goal."""
        super().pursue(row, task)
        self.distances[row] = np.count_nonzero(self.observations["achieved_goal"][row] != self.goals[row])
