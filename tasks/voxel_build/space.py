"""VoxelBuildTaskSpace: corners, a height, a block type and a start between a teacher and the tasks."""

from typing import ClassVar

import numpy as np
from gymnasium import spaces

from procgen_bench.core.symmetries import images_of_square, mark_of_least
from procgen_bench.core.task_count import TaskCount
from procgen_bench.core.task_space import Parameters, TaskSpace
from procgen_bench.tasks.voxel_build.goals import draw_goal, draw_start
from procgen_bench.tasks.voxel_build.solver import solve
from procgen_bench.tasks.voxel_build.suites import SMALL_SUITES, SUITES
from procgen_bench.tasks.voxel_build.task import (
    EMPTY,
    HEADINGS,
    MATERIALS,
    MAX_HEIGHT,
    SIDE,
    SMALL_SIDE,
    Rectangle,
    VoxelBuildTask,
    arena_shape,
    is_goal,
    min_length,
)


def _start_bounds(side: int) -> np.ndarray:
    return np.array([side, side, len(HEADINGS)], np.float32)


def _parameters(side: int) -> spaces.Dict:
    return spaces.Dict(
        {
            "corners": spaces.Box(0.0, side, (2, 2), np.float32),
            "height": spaces.Box(-1.0, 1.0, (MAX_HEIGHT,), np.float32),
            "material": spaces.Box(-1.0, 1.0, (len(MATERIALS),), np.float32),
            "start": spaces.Box(np.zeros(3, np.float32), _start_bounds(side), dtype=np.float32),
        }
    )


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
    task_count = TaskCount(4_806 * 484, 253, exact=True)
    suites = SUITES
    choices = frozenset({"height", "material"})
    fresh_share: ClassVar[float] = 0.25
    told_apart_by = "their goals, up to rotation, reflection and material"
    space: ClassVar[spaces.Dict] = _parameters(SIDE)
    #: Cells along the arena's sides.
    side: ClassVar[int] = SIDE

    def sample_task(self, rng: np.random.Generator) -> VoxelBuildTask:
        """A task as the environment's resets draw it: the centre, any heading, and a goal of the paper's."""
        start, goal = np.empty(3, np.int8), np.empty(arena_shape(self.side), np.uint8)
        stream = draw_start(rng.integers(2**64, dtype=np.uint64), self.side, start)
        draw_goal(np.uint64(stream), goal)
        return VoxelBuildTask(start, goal)

    def _decode(self, params: Parameters) -> VoxelBuildTask:
        first, second = np.minimum(params["corners"].astype(np.int64), self.side - 1)
        height, material = 1 + int(params["height"].argmax()), 1 + int(params["material"].argmax())
        for axis in (0, 1):
            if abs(second[axis] - first[axis]) < min_length(self.side) - 1:
                second[axis] = _lengthened(int(first[axis]), int(second[axis]), self.side)
        while not is_goal(*(sides := abs(second - first) + 1).tolist(), height, self.side):
            longer = sides.argmax()
            second[longer] -= np.sign(second[longer] - first[longer])
        (west, north), (east, south) = np.minimum(first, second).tolist(), np.maximum(first, second).tolist()
        rectangle = Rectangle(west, north, east, south, height, material)
        start = np.minimum(params["start"], _start_bounds(self.side) - 1).astype(np.int8)
        return VoxelBuildTask(start, rectangle.cuboid(self.side))

    def encode(self, task: VoxelBuildTask) -> Parameters:
        """The middles of the corners and of the start, logit 1 for the height and the type and -1 for the others, in
        the class's shapes and dtypes."""
        west, north, east, south, height, material = Rectangle.around(task.goal)
        return {
            "corners": np.array([[west, north], [east, south]], np.float32) + np.float32(0.5),
            "height": _logits(height, MAX_HEIGHT),
            "material": _logits(material, len(MATERIALS)),
            "start": task.start.astype(np.float32) + np.float32(0.5),
        }

    def mutate(self, task: VoxelBuildTask, rng: np.random.Generator) -> VoxelBuildTask:
        """A corner's x or y, the height, the block type or the start redrawn, each of the seven equally likely.

        What comes out with too short a side or more than 34 blocks is drawn again.
        """
        params = self.encode(task)
        drawn = self.sample(rng)
        changed = int(rng.integers(7))
        if changed < 4:
            params["corners"].flat[changed] = drawn["corners"].flat[changed]
        else:
            name = ("height", "material", "start")[changed - 4]
            params[name] = drawn[name]
        corners = np.minimum(params["corners"].astype(np.int64), self.side - 1)
        fits = is_goal(*(abs(corners[1] - corners[0]) + 1).tolist(), 1 + int(params["height"].argmax()), self.side)
        return self.decode(params) if fits else self.mutate(task, rng)

    def hold_out_marks(self, task: VoxelBuildTask) -> frozenset[str]:
        """One of the goal: it is the same structure from every start, rotated or reflected, and of any one material."""
        return mark_of_least(images_of_square(task.goal != EMPTY))

    def validate(self, task: VoxelBuildTask) -> None:
        """See :meth:`VoxelBuildTask.validate`."""
        task.validate(self.side)

    def solve(self, task: VoxelBuildTask) -> np.ndarray:
        """See :func:`procgen_bench.tasks.voxel_build.solver.solve`."""
        return solve(task)


class VoxelBuildSmallTaskSpace(VoxelBuildTaskSpace):
    """The task space of ``VoxelBuildSmall-v0``: an arena of 5 x 5 x 3 cells, 600 goals and 100 starts.

    Raw parameters are those of :class:`VoxelBuildTaskSpace`, places in [0, 5] in place of [0, 11]. Sides are at least 2
    long, so a goal has 4 to 32 blocks.

    ``solve`` builds every goal from every start within 56 steps.
    """

    suites = SMALL_SUITES
    task_count = TaskCount(600 * 100, 42, exact=True)
    #: A third of the structures is scored, a third fresh, a third to train on.
    fresh_share: ClassVar[float] = 0.5
    space: ClassVar[spaces.Dict] = _parameters(SMALL_SIDE)
    side: ClassVar[int] = SMALL_SIDE


def _logits(chosen: int, count: int) -> np.ndarray:
    return np.where(np.arange(1, count + 1) == chosen, 1, -1).astype(np.float32)


def _lengthened(first: int, second: int, side: int) -> int:
    """The second end of the shortest side that begins at the first; away from it in the same direction, if it fits."""
    step = min_length(side) - 1 if second >= first else 1 - min_length(side)
    return first + step if 0 <= first + step < side else first - step
