"""AntMazeTaskSpace: four parameters (a start and a goal) between a teacher and the tasks."""

from typing import ClassVar

import numpy as np
from gymnasium import spaces

from procgen_bench.core.task_count import more_than
from procgen_bench.core.task_space import Parameters, TaskSpace
from procgen_bench.tasks.ant_maze.maze import GOAL_X, GOAL_Y, HIGH, LOW, START_NOISE, nearest_free
from procgen_bench.tasks.ant_maze.suites import SUITES
from procgen_bench.tasks.ant_maze.task import GOAL_GAP, START_GAP, AntMazeTask

#: The paper's distribution: least x and y, greatest x and y.
START_REGION = np.array([[-START_NOISE, -START_NOISE], [START_NOISE, START_NOISE]])
GOAL_REGION = np.array([[GOAL_X[0], GOAL_Y[0]], [GOAL_X[1], GOAL_Y[1]]])


class AntMazeTaskSpace(TaskSpace[AntMazeTask]):
    """SparseAntMaze's task space: a start and a goal anywhere in the U-maze.

    Raw parameters:

    - ``start``, ``goal``: float64 (2,) in [-4, 20], x and y; one in a wall, or closer to it than 1.0 (the start) or 0.5
      (the goal), is moved to the nearest point that is not. Float64, so that every task has parameters that decode to
      it.

    ``sample`` is uniform over these numbers. The paper's tasks, which ``sample_task`` and the environment's resets
    draw, are the start at most 0.1 off the origin and the goal at the other end: x in [-3.5, 3.5], y in [12.5, 19.5].

    The maze is connected, so that a way leads to every goal; there is no list of torques that walks it without the
    physics to tell where they lead, so ``solve`` is not implemented. The policy ``ant-expert`` walks the suite.
    """

    task_type = AntMazeTask
    task_count = more_than(40)  # places in float64
    suites = SUITES
    space: ClassVar[spaces.Dict] = spaces.Dict(
        {"goal": spaces.Box(LOW, HIGH, (2,), np.float64), "start": spaces.Box(LOW, HIGH, (2,), np.float64)}
    )

    def sample_task(self, rng: np.random.Generator) -> AntMazeTask:
        """A task of the paper's distribution."""
        return AntMazeTask(rng.uniform(*START_REGION), rng.uniform(*GOAL_REGION))

    def _decode(self, params: Parameters) -> AntMazeTask:
        return AntMazeTask(nearest_free(params["start"], START_GAP), nearest_free(params["goal"], GOAL_GAP))

    def encode(self, task: AntMazeTask) -> Parameters:
        """The start and the goal as they are, float64 (2,)."""
        return {"goal": task.goal.copy(), "start": task.start.copy()}

    def mutate(self, task: AntMazeTask, rng: np.random.Generator) -> AntMazeTask:
        """The start or the goal redrawn from the whole maze, each equally likely."""
        changed = "start" if rng.integers(2) else "goal"
        return self._decode(self.encode(task) | {changed: rng.uniform(LOW, HIGH, 2)})

    def is_solvable(self, task: AntMazeTask) -> bool:
        """True: from every start a way leads to every goal."""
        return True
