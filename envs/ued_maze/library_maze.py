"""The maze in the Minigrid library's own classes (needs the ``minigrid`` extra)."""

from typing import Any

import numpy as np
from minigrid.core.grid import Grid
from minigrid.core.mission import MissionSpace
from minigrid.core.world_object import Goal, Wall
from minigrid.minigrid_env import MiniGridEnv

from procgen_bench.core.errors import ResetNeededError
from procgen_bench.envs.ued_maze.observations import VIEW_SIDE
from procgen_bench.tasks.ued_maze.task import HORIZON, SIDE, UEDMazeTask

#: Tiles of the border on each side.
BORDER = 1


class ClosedGoal(Goal):
    """The library's goal, but the agent stays before it when it steps into it, as in DCD, minimax and JaxUED."""

    def can_overlap(self) -> bool:
        """Never."""
        return False


class LibraryMaze(MiniGridEnv):
    """A maze of the Minigrid library, whose own rules decide all else: rewards, ends and the view.

    It is a whole environment of the library, to which its wrappers can be applied. ``reset(options={"task": task})``
    puts a task into it; without one, the current task begins again.

    Attributes:
        task: The current task.
    """

    def __init__(self, task: UEDMazeTask | None = None, render_mode: str | None = None):
        super().__init__(
            MissionSpace(mission_func=_mission),
            grid_size=SIDE + 2 * BORDER,
            max_steps=HORIZON,
            see_through_walls=True,
            agent_view_size=VIEW_SIDE,
            render_mode=render_mode,
        )
        self.task = task

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Begin an episode of the task in ``options``, or of the current one.

        Raises:
            ResetNeededError: There is neither.
        """
        self.task = (options or {}).get("task", self.task)
        if self.task is None:
            raise ResetNeededError("the maze has no task yet; call reset with options={'task': ...}")
        return super().reset(seed=seed)

    def _gen_grid(self, width: int, height: int) -> None:
        assert self.task is not None  # no episode begins without one
        self.grid = Grid(width, height)
        self.grid.wall_rect(0, 0, width, height)
        for y, x in np.argwhere(self.task.walls).tolist():
            self.put_obj(Wall(), x + BORDER, y + BORDER)
        goal_x, goal_y = self.task.goal.tolist()
        self.put_obj(ClosedGoal(), goal_x + BORDER, goal_y + BORDER)
        self.place(self.task.agent)
        self.mission = _mission()

    def place(self, pose: np.ndarray) -> None:
        """Put the agent where ``pose``, int (3,), says: x and y in the maze, and the direction."""
        x, y, direction = pose.tolist()
        self.agent_pos, self.agent_dir = (x + BORDER, y + BORDER), direction

    @property
    def pose(self) -> np.ndarray:
        """int64 (3,), the agent's x and y in the maze, and its direction."""
        x, y = self.agent_pos
        return np.array([x - BORDER, y - BORDER, self.agent_dir])


def _mission() -> str:
    return "get to the green goal square"
