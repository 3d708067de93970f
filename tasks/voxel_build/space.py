"""VoxelBuildTaskSpace: corners, a height, a block type and a start between a teacher and the tasks."""

from typing import ClassVar

import numpy as np
from gymnasium import spaces

from procgen_bench.core.task_space import Parameters, TaskSpace
from procgen_bench.tasks.voxel_build.goals import draw_goal, draw_start
from procgen_bench.tasks.voxel_build.solver import solve
from procgen_bench.tasks.voxel_build.suites import SUITES
from procgen_bench.tasks.voxel_build.task import (
    ARENA_SHAPE,
    HEADINGS,
    MATERIALS,
    MAX_HEIGHT,
    MIN_LENGTH,
    SIDE,
    Rectangle,
    VoxelBuildTask,
    is_goal,
)

_START_BOUNDS = np.array([SIDE, SIDE, len(HEADINGS)], np.float32)


class VoxelBuildTaskSpace(TaskSpace[VoxelBuildTask]):
    """VoxelBuild's task space (Sibling Rivalry, section 4 and appendix F): 4,806 goals and 484 starts.

    Raw parameters, all float32:

    - ``corners``: (2, 2) in [0, 11], x and y of two points; the cells that hold them are the goal's opposite corners.
    - ``height``: (2,) in [-1, 1], logits of one and of two blocks.
    - ``material``: (3,) in [-1, 1], logits of the block types.
    - ``start``: (3,) in [0, 11], [0, 11] and [0, 4], x, y and heading; the agent starts in the cell that holds the
      point, facing north, east, south or west for a heading below 1, 2, 3 or 4.

    A side below 4 is lengthened at the second corner, where the arena ends over the first. Walls of more than 34 blocks
    are cut: the longer side (of equals, the one along x) loses a line at the second corner until 34 are enough. The
    paper draws such goals again, and starts in the centre; so do ``sample_task`` and the environment's resets.
    ``sample`` is uniform over the numbers.

    ``solve`` builds every goal from every start within 90 steps.
    """

    task_type = VoxelBuildTask
    suites = SUITES
    choices = frozenset({"height", "material"})
    space: ClassVar[spaces.Dict] = spaces.Dict(
        {
            "corners": spaces.Box(0.0, SIDE, (2, 2), np.float32),
            "height": spaces.Box(-1.0, 1.0, (MAX_HEIGHT,), np.float32),
            "material": spaces.Box(-1.0, 1.0, (len(MATERIALS),), np.float32),
            "start": spaces.Box(np.zeros(3, np.float32), _START_BOUNDS, dtype=np.float32),
        }
    )

    def sample_task(self, rng: np.random.Generator) -> VoxelBuildTask:
        """A task as the environment's resets draw it: the centre, any heading, and a goal of the paper's."""
        start, goal = np.empty(3, np.int8), np.empty(ARENA_SHAPE, np.uint8)
        stream = draw_start(rng.integers(2**64, dtype=np.uint64), start)
        draw_goal(np.uint64(stream), goal)
        return VoxelBuildTask(start, goal)

    def _decode(self, params: Parameters) -> VoxelBuildTask:
        first, second = np.minimum(params["corners"].astype(np.int64), SIDE - 1)
        height, material = 1 + int(params["height"].argmax()), 1 + int(params["material"].argmax())
        for axis in (0, 1):
            if abs(second[axis] - first[axis]) < MIN_LENGTH - 1:
                second[axis] = _lengthened(int(first[axis]), int(second[axis]))
        while not is_goal(*(sides := abs(second - first) + 1).tolist(), height):
            longer = sides.argmax()
            second[longer] -= np.sign(second[longer] - first[longer])
        (west, north), (east, south) = np.minimum(first, second).tolist(), np.maximum(first, second).tolist()
        rectangle = Rectangle(west, north, east, south, height, material)
        start = np.minimum(params["start"], _START_BOUNDS - 1).astype(np.int8)
        return VoxelBuildTask(start, rectangle.cuboid())

    def encode(self, task: VoxelBuildTask) -> Parameters:
        """The middles of the corners and of the start, logit 1 for the height and the type and -1 for the others."""
        west, north, east, south, height, material = Rectangle.around(task.goal)
        return {
            "corners": np.array([[west, north], [east, south]], np.float32) + np.float32(0.5),
            "height": _logits(height, MAX_HEIGHT),
            "material": _logits(material, len(MATERIALS)),
            "start": task.start.astype(np.float32) + np.float32(0.5),
        }

    def mutate(self, task: VoxelBuildTask, rng: np.random.Generator) -> VoxelBuildTask:
        """A corner's x or y, the height, the block type or the start redrawn, each of the seven equally likely.

        What comes out with a side below 4 or more than 34 blocks is drawn again.
        """
        params = self.encode(task)
        drawn = self.sample(rng)
        changed = int(rng.integers(7))
        if changed < 4:
            params["corners"].flat[changed] = drawn["corners"].flat[changed]
        else:
            name = ("height", "material", "start")[changed - 4]
            params[name] = drawn[name]
        corners, height = np.minimum(params["corners"].astype(np.int64), SIDE - 1), 1 + int(params["height"].argmax())
        fits = is_goal(*(abs(corners[1] - corners[0]) + 1).tolist(), height)
        return self.decode(params) if fits else self.mutate(task, rng)

    def validate(self, task: VoxelBuildTask) -> None:
        """See :meth:`VoxelBuildTask.validate`."""
        task.validate()

    def solve(self, task: VoxelBuildTask) -> np.ndarray:
        """See :func:`procgen_bench.tasks.voxel_build.solver.solve`."""
        return solve(task)


def _logits(chosen: int, count: int) -> np.ndarray:
    return np.where(np.arange(1, count + 1) == chosen, 1, -1).astype(np.float32)


def _lengthened(first: int, second: int) -> int:
    """The second end of a side of 4 cells that begins at the first; away from it in the same direction, if it fits."""
    step = MIN_LENGTH - 1 if second >= first else 1 - MIN_LENGTH
    return first + step if 0 <= first + step < SIDE else first - step
