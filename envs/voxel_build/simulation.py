"""VoxelBuild's rows: the arrays that the compiled rules work on."""

from collections.abc import Sequence

import numpy as np

from procgen_bench.envs.voxel_build import kernel
from procgen_bench.envs.voxel_build.textures import paint_textures
from procgen_bench.simulation import NativeSimulation
from procgen_bench.tasks.voxel_build.task import ARENA_SHAPE, MATERIALS, VoxelBuildTask

#: The first-person picture: height, width, colours.
PICTURE_SHAPE = (80, 120, 3)

_POSE_ENTRIES = 5
TEXTURES = paint_textures()


class VoxelBuildSimulation(NativeSimulation):
    """N arenas of blocks, each with an agent in it.

    Attributes:
        arenas: uint8 (N, 11, 11, 3), [y, x, z], the block types that stand.
        poses: int64 (N, 5), the agents' x, y and z (feet), heading and pitch; see
            :mod:`procgen_bench.tasks.voxel_build.rules`.
        inventories: int64 (N, 3), blocks of each type that are left.
        observations: A dict of ``observation`` (uint8 (N, 80, 120, 3)), ``achieved_goal`` (the arenas) and
            ``desired_goal`` (the goals).
        distances: int64 (N,), how many cells differ from the goal's.

    Args:
        num_rows: Number of rows, N.
        max_episode_steps: Steps after which an episode is truncated; ``None``: never.
        distance_step: Number of the step that is rewarded by minus the distance when it fails; 0: none is.
    """

    def __init__(self, num_rows: int, max_episode_steps: int | None, distance_step: int):
        super().__init__(num_rows, max_episode_steps)
        self.distance_step = distance_step
        self.arenas = np.zeros((num_rows, *ARENA_SHAPE), np.uint8)
        self.poses = np.zeros((num_rows, _POSE_ENTRIES), np.int64)
        self.inventories = np.zeros((num_rows, len(MATERIALS)), np.int64)
        self.distances = np.zeros(num_rows, np.int64)
        self._starts = np.zeros((num_rows, 3), np.int8)
        self._goals = np.zeros((num_rows, *ARENA_SHAPE), np.uint8)
        self._pictures = np.zeros((num_rows, *PICTURE_SHAPE), np.uint8)
        self.observations = {"achieved_goal": self.arenas, "desired_goal": self._goals, "observation": self._pictures}
        self.use_tasks(())

    def use_tasks(self, tasks: Sequence[VoxelBuildTask]) -> None:
        """Draw from ``tasks`` when a row resets without a task; none: from the paper's distribution."""
        self._bank_starts = np.array([task.start for task in tasks], np.int8).reshape(-1, 3)
        self._bank_goals = np.array([task.goal for task in tasks], np.uint8).reshape(-1, *ARENA_SHAPE)

    def load(self, row: int, task: VoxelBuildTask) -> None:
        """Put ``task`` into ``row``."""
        self._starts[row] = task.start
        self._goals[row] = task.goal

    def task(self, row: int) -> VoxelBuildTask:
        """The task in ``row``."""
        return VoxelBuildTask(self._starts[row], self._goals[row])

    def start(self, rows: np.ndarray, fresh: np.ndarray) -> None:
        """Begin an episode in every row of ``rows``."""
        kernel.start_rows(
            rows,
            fresh,
            self.streams,
            self._bank_starts,
            self._bank_goals,
            self._starts,
            self._goals,
            self.arenas,
            self.poses,
            self.inventories,
            TEXTURES,
            self._pictures,
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
            self._goals,
            self.arenas,
            self.poses,
            self.inventories,
            TEXTURES,
            self._pictures,
            self.distances,
            self.outcomes,
        )

    def state_arrays(self) -> dict[str, np.ndarray]:
        """The arrays that together decide the future, and the picture of the present."""
        return super().state_arrays() | {
            "arenas": self.arenas,
            "poses": self.poses,
            "inventories": self.inventories,
            "distances": self.distances,
            "starts": self._starts,
            "goals": self._goals,
            "pictures": self._pictures,
        }
