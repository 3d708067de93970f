"""Makers of point maze tasks for tests, and a player of actions."""

from itertools import pairwise

import numpy as np

from procgen_bench.envs.point_maze.simulation import PointMazeSimulation
from procgen_bench.tasks.point_maze import PointMazeTask, PointMazeTaskSpace
from procgen_bench.tasks.point_maze.mazes import spanning_tree
from procgen_bench.tasks.point_maze.walls import Walls, closed_walls, open_between

SPACE = PointMazeTaskSpace()
ONE_ROW = np.ones(1, np.bool_)


def scattered_task(rng: np.random.Generator, density: float) -> PointMazeTask:
    """Every wall stands with probability ``density``; start and goal anywhere."""
    return SPACE.decode(
        {
            "vertical_walls": np.where(rng.random((11, 10)) < density, 1.0, -1.0).astype(np.float32),
            "horizontal_walls": np.where(rng.random((10, 11)) < density, 1.0, -1.0).astype(np.float32),
            "start": rng.uniform(-0.5, 10.5, 2),
            "goal": rng.uniform(-0.5, 10.5, 2),
        }
    )


def varied_tasks(count: int, seed: int) -> list[PointMazeTask]:
    """Spanning trees, and walls scattered thinly to thickly, in turn."""
    rng = np.random.default_rng(seed)
    densities = (None, 0.1, 0.3, 0.5, 0.7)
    chosen = [densities[number % len(densities)] for number in range(count)]
    return [spanning_tree(rng).draw_task(rng) if one is None else scattered_task(rng, one) for one in chosen]


def snake() -> tuple[Walls, list[tuple[int, int]]]:
    """One corridor through the lower left 10 x 10 cells, row by row, and its cells in order."""
    path = [(column if row % 2 == 0 else 9 - column, row) for row in range(10) for column in range(10)]
    walls = closed_walls()
    for one, other in pairwise(path):
        open_between(walls, one, other)
    return walls, path


def transposed(task: PointMazeTask) -> PointMazeTask:
    """The task with x and y exchanged."""
    return PointMazeTask(task.horizontal_walls.T, task.vertical_walls.T, task.start[::-1], task.goal[::-1])


def begun(tasks: list[PointMazeTask], max_episode_steps: int | None = 50) -> PointMazeSimulation:
    """A simulation with a row per task, all started."""
    simulation = PointMazeSimulation(len(tasks), max_episode_steps)
    for row, task in enumerate(tasks):
        simulation.load(row, task)
    every = np.ones(len(tasks), np.bool_)
    simulation.start(every, ~every)
    return simulation


def assert_solves(task: PointMazeTask, actions: np.ndarray) -> None:
    """Played, ``actions`` reach the goal with the last of them and not before, within the horizon."""
    assert actions.dtype == np.float32 and actions.ndim == 2 and 1 <= len(actions) <= 50
    assert (abs(actions) <= np.float32(0.95)).all()
    simulation = begun([task])
    for number, action in enumerate(actions, start=1):
        simulation.step(action[np.newaxis], ONE_ROW)
        done = number == len(actions)
        assert (simulation.successes[0], simulation.terminations[0], simulation.rewards[0]) == (done, done, done)
    assert np.hypot(*(simulation.positions[0] - task.goal)) <= 0.15 + 1e-6
