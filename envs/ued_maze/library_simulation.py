"""Rows played by the Minigrid library, one environment of the library each (needs the ``minigrid`` extra)."""

from collections.abc import Sequence

import numpy as np

from procgen_bench.engine.outcomes import begin, count_steps
from procgen_bench.envs.ued_maze.library_maze import LibraryMaze
from procgen_bench.envs.ued_maze.simulation import MazeSimulation
from procgen_bench.tasks.ued_maze.task import NUM_WALLS

_NOT_BEGUN = -1


class LibrarySimulation(MazeSimulation):
    """N mazes of the library.

    Attributes:
        mazes: The library's environments, one a row.
        poses: int64 (N, 3), the agents' x, y and direction; -1 before a row begins.
    """

    state_names = (*MazeSimulation.state_names, "poses")

    def __init__(self, num_rows: int, max_episode_steps: int | None, num_walls: int = NUM_WALLS):
        super().__init__(num_rows, max_episode_steps, num_walls)
        self.mazes = [LibraryMaze() for _ in range(num_rows)]
        self.poses = np.full((num_rows, 3), _NOT_BEGUN, np.int64)

    def _begin(self, rows: np.ndarray) -> None:
        begin(self.outcomes, rows)
        for row in np.flatnonzero(rows).tolist():
            observation, _ = self.mazes[row].reset(options={"task": self.task(row)})
            self._observe(row, observation)

    def step(self, actions: np.ndarray, active: np.ndarray) -> None:
        """Advance every row of ``active`` (bool (N,)) by its action of ``actions`` (int64 (N,))."""
        count_steps(self.outcomes, active, self.max_episode_steps)
        for row in np.flatnonzero(active).tolist():
            observation, self.rewards[row], terminated, _, _ = self.mazes[row].step(int(actions[row]))
            self.terminations[row] = self.successes[row] = terminated
            self._observe(row, observation)

    def _observe(self, row: int, observation: dict) -> None:
        self.observations["image"][row] = observation["image"]
        self.observations["direction"][row] = np.arange(4) == observation["direction"]
        self.poses[row] = self.mazes[row].pose

    def resumed(self, rows: Sequence[int]) -> None:
        """These rows' mazes continue from their poses, if they have begun."""
        for row in rows:
            if self.poses[row, 0] != _NOT_BEGUN:
                maze = self.mazes[row]
                maze.reset(options={"task": self.task(row)})
                maze.place(self.poses[row])
                maze.step_count = int(self.elapsed[row])


def draw_frame(simulation: LibrarySimulation, row: int) -> np.ndarray:
    """The library's picture of ``row``: uint8 (480, 480, 3), what the agent sees lighter."""
    maze = simulation.mazes[row]
    return maze.get_frame(maze.highlight, maze.tile_size)


def draw_text(simulation: LibrarySimulation, row: int) -> str:
    """The library's text of ``row``'s map."""
    return simulation.mazes[row].pprint_grid()
