"""VoxelBuild's rows: the arrays that the compiled rules work on."""

import numpy as np

from procgen_bench.engine.goal_simulation import GoalSimulation
from procgen_bench.engine.simulation import TaskArray
from procgen_bench.envs.voxel_build import kernel
from procgen_bench.envs.voxel_build.textures import paint_textures
from procgen_bench.tasks.voxel_build.rules import pose_space
from procgen_bench.tasks.voxel_build.task import (
    MATERIALS,
    SIDE,
    SMALL_SIDE,
    VoxelBuildTask,
    arena_shape,
)

#: The first-person picture: height, width, colours.
PICTURE_SHAPE = (80, 120, 3)

TEXTURES = paint_textures(SIDE)
#: What an agent may observe of the world, and what stands in place of the picture's shape where it observes its pose.
OBSERVATIONS = (PICTURE, POSE, BOTH) = ("picture", "pose", "picture+pose")
_NO_PICTURE = (0, 0, 3)


class VoxelBuildSimulation(GoalSimulation[VoxelBuildTask]):
    """N arenas of blocks, each with an agent in it.

    Attributes:
        arenas: uint8 (N, 11, 11, 3), [y, x, z], the block types that stand.
        poses: int64 (N, 5), the agents' x, y and z (feet), heading and pitch; see
            :mod:`procgen_bench.tasks.voxel_build.rules`.
        inventories: int64 (N, 3), blocks of each type that are left.
        observations: A dict of ``observation`` (the pictures or the observed poses), ``achieved_goal`` (the arenas) and
            ``desired_goal`` (the goals); with ``"picture+pose"`` also ``pose``.
        distances: int64 (N,), how many cells differ from the goal's.
        pictures: uint8 (N, 80, 120, 3), what the agents see; (N, 0, 0, 3), and not drawn, where they observe poses.
        observed_poses: int8 (N, 5), the poses within the bounds of :func:`pose_space`; zeros where nobody sees them.
        starts, goals: int8 (N, 3), uint8 (N, 11, 11, 3), of the rows' tasks.

    Args:
        num_rows: Number of rows, N.
        max_episode_steps: Steps after which an episode is truncated; ``None``: never.
        distance_step: Number of the step that is rewarded by minus the distance when it fails; 0: none is.
        observation: One of :data:`OBSERVATIONS`.
    """

    task_type = VoxelBuildTask
    state_names = ("arenas", "poses", "inventories", "distances", "pictures", "observed_poses")
    #: Cells along the arenas' sides, and what pictures are painted with.
    side, textures = SIDE, TEXTURES

    def __init__(self, num_rows: int, max_episode_steps: int | None, distance_step: int, observation: str):
        shape = arena_shape(self.side)
        self.task_arrays = {"start": TaskArray((3,), np.int8), "goal": TaskArray(shape, np.uint8)}
        super().__init__(num_rows, max_episode_steps, distance_step)
        self.arenas = np.zeros((num_rows, *shape), np.uint8)
        bounds = pose_space(self.side)
        self._lowest_pose, self._highest_pose = bounds.low, bounds.high
        self.poses = np.zeros((num_rows, *bounds.shape), np.int64)
        self.observed_poses = np.zeros(self.poses.shape, np.int8)
        self.inventories = np.zeros((num_rows, len(MATERIALS)), np.int64)
        self.distances = np.zeros(num_rows, np.int64)
        self._observes_pose = observation != PICTURE
        self.pictures = np.zeros((num_rows, *(_NO_PICTURE if observation == POSE else PICTURE_SHAPE)), np.uint8)
        shown = self.observed_poses if observation == POSE else self.pictures
        self.observations = {"achieved_goal": self.arenas, "desired_goal": self.goals, "observation": shown}
        if observation == BOTH:
            self.observations["pose"] = self.observed_poses

    def start(self, rows: np.ndarray, fresh: np.ndarray) -> None:
        """Begin an episode in every row of ``rows``; those that are ``fresh`` draw their task first; both bool (N,)."""
        kernel.start_rows(
            rows,
            fresh,
            self.streams,
            *self.bank,
            *self.task_rows,
            self.arenas,
            self.poses,
            self.inventories,
            self.textures,
            self.pictures,
            self.distances,
            self.outcomes,
        )
        self._observe_poses()

    def step(self, actions: np.ndarray, active: np.ndarray) -> None:
        """Advance every row of ``active`` (bool (N,)) by its action of ``actions`` (int64 (N,))."""
        kernel.step_rows(
            actions,
            active,
            self.max_episode_steps,
            self.distance_step,
            self.goals,
            self.arenas,
            self.poses,
            self.inventories,
            self.textures,
            self.pictures,
            self.distances,
            self.outcomes,
        )
        self._observe_poses()

    def pursue(self, row: int, task: VoxelBuildTask) -> None:
        """Continue in ``row`` under another goal."""
        super().pursue(row, task)
        self.distances[row] = np.count_nonzero(self.observations["achieved_goal"][row] != self.goals[row])

    def _observe_poses(self) -> None:
        if self._observes_pose:
            np.clip(self.poses, self._lowest_pose, self._highest_pose, out=self.observed_poses, casting="unsafe")


class VoxelBuildSmallSimulation(VoxelBuildSimulation):
    """N small arenas, of 5 x 5 x 3 cells."""

    side, textures = SMALL_SIDE, paint_textures(SMALL_SIDE)
