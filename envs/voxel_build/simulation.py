"""VoxelBuild's rows: the arrays that the compiled rules work on."""

import numpy as np

from procgen_bench.engine.goal_simulation import GoalSimulation
from procgen_bench.engine.simulation import TaskArray
from procgen_bench.envs.voxel_build import kernel
from procgen_bench.envs.voxel_build.textures import paint_textures
from procgen_bench.tasks.voxel_build.rules import PITCHES
from procgen_bench.tasks.voxel_build.task import (
    HEADINGS,
    LAYERS,
    MATERIALS,
    SIDE,
    SMALL_SIDE,
    VoxelBuildTask,
    arena_shape,
)

#: The first-person picture: height, width, colours.
PICTURE_SHAPE = (80, 120, 3)

_POSE_ENTRIES = 5
TEXTURES = paint_textures(SIDE)
#: What is seen where no picture is drawn.
_NO_PICTURE = (0, 0, 3)
#: Bounds of a pose as an agent in the small arena observes it. From outside of the bounds no cell is in reach.
POSE_LOW = np.array([-SMALL_SIDE, -SMALL_SIDE, 0, 0, 0], np.int8)
POSE_HIGH = np.array([2 * SMALL_SIDE - 1, 2 * SMALL_SIDE - 1, LAYERS, len(HEADINGS) - 1, len(PITCHES) - 1], np.int8)


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
    state_names = ("arenas", "poses", "inventories", "distances", "pictures")
    #: Cells along the arenas' sides, the shape of the pictures, and what they are painted with.
    side, picture_shape, textures = SIDE, PICTURE_SHAPE, TEXTURES

    def __init__(self, num_rows: int, max_episode_steps: int | None, distance_step: int):
        shape = arena_shape(self.side)
        self.task_arrays = {"start": TaskArray((3,), np.int8), "goal": TaskArray(shape, np.uint8)}
        super().__init__(num_rows, max_episode_steps, distance_step)
        self.arenas = np.zeros((num_rows, *shape), np.uint8)
        self.poses = np.zeros((num_rows, _POSE_ENTRIES), np.int64)
        self.inventories = np.zeros((num_rows, len(MATERIALS)), np.int64)
        self.distances = np.zeros(num_rows, np.int64)
        self.pictures = np.zeros((num_rows, *self.picture_shape), np.uint8)
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
            self.textures,
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
            self.textures,
            self.pictures,
            self.distances,
            self.outcomes,
        )

    def pursue(self, row: int, task: VoxelBuildTask) -> None:
        """Continue in ``row`` under another goal."""
        super().pursue(row, task)
        self.distances[row] = np.count_nonzero(self.observations["achieved_goal"][row] != self.goals[row])


class VoxelBuildSmallSimulation(VoxelBuildSimulation):
    """N small arenas, whose agents observe where they are instead of a picture.

    Attributes:
        observed_poses: int8 (N, 5), the poses within ``POSE_LOW`` and ``POSE_HIGH``: the ``observation``.
    """

    state_names = ("arenas", "poses", "inventories", "distances", "observed_poses")
    side, picture_shape, textures = SMALL_SIDE, _NO_PICTURE, paint_textures(SMALL_SIDE)

    def __init__(self, num_rows: int, max_episode_steps: int | None, distance_step: int):
        super().__init__(num_rows, max_episode_steps, distance_step)
        self.observed_poses = np.zeros((num_rows, _POSE_ENTRIES), np.int8)
        self.observations["observation"] = self.observed_poses

    def start(self, rows: np.ndarray, fresh: np.ndarray) -> None:
        """Begin an episode in every row of ``rows``."""
        super().start(rows, fresh)
        self._observe()

    def step(self, actions: np.ndarray, active: np.ndarray) -> None:
        """Advance every active row by one action."""
        super().step(actions, active)
        self._observe()

    def _observe(self) -> None:
        np.clip(self.poses, POSE_LOW, POSE_HIGH, out=self.observed_poses, casting="unsafe")
