"""UEDMazeTaskSpace: a sequence of placements between a teacher and the mazes."""

import hashlib
from typing import ClassVar

import numpy as np
from gymnasium import spaces

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.task_batch import TaskBatch
from procgen_bench.core.task_count import TaskCount
from procgen_bench.core.task_space import Parameters, TaskSpace
from procgen_bench.tasks.ued_maze.layout import are_valid, draw_level, edit_level
from procgen_bench.tasks.ued_maze.solver import draw_solvable_levels, lengthen, solve, wander
from procgen_bench.tasks.ued_maze.suites import SUITES
from procgen_bench.tasks.ued_maze.symmetries import write_least_image
from procgen_bench.tasks.ued_maze.task import DIRECTIONS, EMPTY, NUM_TILES, NUM_WALLS, SIDE, WALL, UEDMazeTask

#: Most walls: two tiles are the agent's and the goal's.
MOST_WALLS = NUM_TILES - 2


class UEDMazeTaskSpace(TaskSpace[UEDMazeTask]):
    """UEDMaze's task space: what PAIRED's adversary places, one thing after the other.

    Raw parameters; tiles are numbers 0 to 168, row by row from the upper left:

    - ``num_walls``: int16 (1,) in [0, 167], how many of the following are placed.
    - ``walls``: int16 (167,) in [0, 168], tiles of the walls, in their order; a second one on a tile changes nothing.
    - ``goal``: int16 (1,) in [0, 168], the goal's tile. A wall there goes.
    - ``agent``: int16 (1,) in [0, 168], the agent's; on the goal's, the next tile (after the last, the first). A wall
      there goes.
    - ``direction``: int8 (1,), which way the agent faces: 0 right, 1 down, 2 left, 3 up.

    ``sample`` and ``sample_task`` draw levels as JaxUED does: ``num_walls`` walls on uniform tiles, with replacement,
    so that there are at most so many; the agent and the goal on two of the tiles left; a uniform direction.

    Args:
        num_walls: How many walls are drawn, 0 to 167: 60, or 25 as in DCD's and minimax's easier mazes.

    Raises:
        InvalidOptionError: ``num_walls`` is no integer from 0 to 167.
    """

    task_type = UEDMazeTask
    task_count = TaskCount(10**55, 10**51)  # 2 ** 167 sets of walls for each goal, agent and direction
    told_apart_by = "their walls and goals, up to rotation and reflection"
    draws_solvable_quickly = True
    searches_quickly = True
    suites = SUITES
    space: ClassVar[spaces.Dict] = spaces.Dict(
        {
            "agent": spaces.Box(0, NUM_TILES - 1, (1,), np.int16),
            "direction": spaces.Box(0, len(DIRECTIONS) - 1, (1,), np.int8),
            "goal": spaces.Box(0, NUM_TILES - 1, (1,), np.int16),
            "num_walls": spaces.Box(0, MOST_WALLS, (1,), np.int16),
            "walls": spaces.Box(0, NUM_TILES - 1, (MOST_WALLS,), np.int16),
        }
    )

    def __init__(self, num_walls: int = NUM_WALLS):
        if (
            not isinstance(num_walls, int | np.integer)
            or isinstance(num_walls, bool)
            or not 0 <= num_walls <= MOST_WALLS
        ):
            raise InvalidOptionError(f"num_walls is {num_walls!r}, expected an integer in [0, {MOST_WALLS}]")
        super().__init__()
        self.num_walls = int(num_walls)

    def sample_task(self, rng: np.random.Generator) -> UEDMazeTask:
        """A level as the environment's resets draw it; see the class. It need not be solvable."""
        walls, goal, agent = _empty_levels(1)
        draw_level(rng.integers(2**64, dtype=np.uint64), self.num_walls, walls[0], goal[0], agent[0])
        return UEDMazeTask(walls[0], goal[0], agent[0])

    def sample(self, rng: np.random.Generator) -> Parameters:
        """Those of :meth:`sample_task`."""
        return self.encode(self.sample_task(rng))

    def _decode(self, params: Parameters) -> UEDMazeTask:
        walls = np.full(NUM_TILES, EMPTY, np.int8)
        walls[params["walls"][: params["num_walls"].item()]] = WALL
        goal, start = params["goal"].item(), params["agent"].item()
        if start == goal:
            start = (start + 1) % NUM_TILES
        walls[[goal, start]] = EMPTY
        return UEDMazeTask(
            walls=walls.reshape(SIDE, SIDE),
            goal=np.array([goal % SIDE, goal // SIDE], np.int8),
            agent=np.array([start % SIDE, start // SIDE, params["direction"].item()], np.int8),
        )

    def encode(self, task: UEDMazeTask) -> Parameters:
        """The walls in reading order, then zeros, which are not placed; shapes and dtypes are those of the class."""
        placed, walls = np.flatnonzero(task.walls), np.zeros(MOST_WALLS, np.int16)
        walls[: len(placed)] = placed
        (goal_x, goal_y), (x, y, direction) = task.goal.tolist(), task.agent.tolist()
        return {
            "agent": np.array([SIDE * y + x], np.int16),
            "direction": np.array([direction], np.int8),
            "goal": np.array([SIDE * goal_y + goal_x], np.int16),
            "num_walls": np.array([len(placed)], np.int16),
            "walls": walls,
        }

    def mutate(self, task: UEDMazeTask, rng: np.random.Generator) -> UEDMazeTask:
        """One of ACCEL's edits: a wall built or torn down, or the goal put elsewhere, equally likely.

        minimax and JaxUED draw from these two and nothing at all, so that five of theirs are three and a third of ours.
        The agent stays where it is.
        """
        walls, goal = task.walls.copy(), task.goal.copy()
        edit_level(rng, walls, goal, task.agent)
        return UEDMazeTask(walls, goal, task.agent)

    def draw_solvable(self, rng: np.random.Generator, count: int) -> TaskBatch[UEDMazeTask]:
        """As :meth:`TaskSpace.draw_solvable`, compiled."""
        walls, goals, agents = _empty_levels(count)
        draw_solvable_levels(rng.integers(2**64, dtype=np.uint64), self.num_walls, walls, goals, agents)
        return TaskBatch(UEDMazeTask, {"walls": walls, "goal": goals, "agent": agents})

    def wander(
        self, task: UEDMazeTask, rng: np.random.Generator, mutations: int, shortest: int, longest: int
    ) -> UEDMazeTask:
        """As :meth:`TaskSpace.wander`, compiled."""
        walls, goal = task.walls.copy(), task.goal.copy()
        wander(rng, walls, goal, task.agent, mutations, shortest, longest)
        return UEDMazeTask(walls, goal, task.agent)

    def lengthen(self, task: UEDMazeTask, rng: np.random.Generator, longest: int, patience: int) -> UEDMazeTask:
        """As :meth:`TaskSpace.lengthen`, compiled."""
        walls, goal = task.walls.copy(), task.goal.copy()
        lengthen(rng, walls, goal, task.agent, longest, patience)
        return UEDMazeTask(walls, goal, task.agent)

    def hold_out_marks(self, task: UEDMazeTask) -> frozenset[str]:
        """One of the walls and the goal: from every start, and rotated or reflected, it is the same maze."""
        least = np.zeros(NUM_TILES + 1, np.uint8)
        write_least_image(task.walls, task.goal, least)
        return frozenset((hashlib.sha256(least.tobytes()).hexdigest(),))

    def validate_batch(self, tasks: TaskBatch[UEDMazeTask]) -> None:
        """As :meth:`TaskSpace.validate_batch`, compiled."""
        arrays = tasks.arrays
        if not are_valid(arrays["walls"], arrays["goal"], arrays["agent"]):
            super().validate_batch(tasks)

    def solve(self, task: UEDMazeTask) -> np.ndarray | None:
        """A shortest solution, int64 (steps,), by breadth-first search; ``None`` when there is none."""
        return solve(task)


def _empty_levels(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Walls (count, 13, 13), goals (count, 2) and agents (count, 3), int8, to be written."""
    return np.empty((count, SIDE, SIDE), np.int8), np.empty((count, 2), np.int8), np.empty((count, 3), np.int8)
