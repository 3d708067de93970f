"""Rotations and reflections of mazes, under which they are the same but for which way is which."""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.ued_maze.task import NUM_TILES, SIDE, UEDMazeTask

#: Four rotations, then the same after a reflection that exchanges left and right.
NUM_SYMMETRIES, _NUM_ROTATIONS = 8, 4


def image(task: UEDMazeTask, symmetry: int) -> UEDMazeTask:
    """The maze as a symmetry of the square (0 to 7) shows it, its agent and the agent's direction included."""
    (goal_x, goal_y), (x, y, direction) = task.goal.tolist(), task.agent.tolist()
    walls = task.walls if symmetry < _NUM_ROTATIONS else task.walls[:, ::-1]
    faced = direction if symmetry < _NUM_ROTATIONS else (2 - direction) % 4
    return UEDMazeTask(
        walls=np.rot90(walls, -(symmetry % _NUM_ROTATIONS)),  # clockwise, as image_of turns
        goal=np.array(image_of(symmetry, goal_x, goal_y), np.int8),
        agent=np.array([*image_of(symmetry, x, y), (faced + symmetry) % 4], np.int8),
    )


@njit
def image_of(symmetry, x, y):
    """Where a symmetry of the square (0 to 7) puts a tile."""
    if symmetry >= _NUM_ROTATIONS:
        x = SIDE - 1 - x
    for _ in range(symmetry % _NUM_ROTATIONS):
        x, y = SIDE - 1 - y, x
    return x, y


@njit
def write_least_image(walls, goal, least):
    """Write the walls and the goal of that image of a maze which comes first, the same for all eight images.

    Args:
        walls, goal: As in the task.
        least: uint8 (170,), written: the walls, then the number of the goal's tile.
    """
    image = np.empty(NUM_TILES + 1, np.uint8)
    for symmetry in range(NUM_SYMMETRIES):
        for y in range(SIDE):
            for x in range(SIDE):
                to_x, to_y = image_of(symmetry, x, y)
                image[SIDE * to_y + to_x] = walls[y, x]
        to_x, to_y = image_of(symmetry, np.int64(goal[0]), np.int64(goal[1]))
        image[NUM_TILES] = SIDE * to_y + to_x
        comes_first = symmetry == 0
        for k in range(NUM_TILES + 1):
            if image[k] != least[k] and not comes_first:
                comes_first = image[k] < least[k]
                break
        if comes_first:
            for k in range(NUM_TILES + 1):
                least[k] = image[k]
