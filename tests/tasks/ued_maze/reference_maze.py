"""The rules in plain Python, after the published ones: a second opinion for the compiled solver and kernels."""

from collections import deque

import numpy as np

from procgen_bench.tasks.ued_maze import UEDMazeTask

LEFT, RIGHT, FORWARD = range(3)
_STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))
_SIDE = 13

#: x, y and direction.
Pose = tuple[int, int, int]


class ReferenceMaze:
    """One task's transitions, and what is seen."""

    def __init__(self, task: UEDMazeTask):
        self.walls = {(x, y) for y, x in np.argwhere(task.walls).tolist()}
        self.goal = tuple(task.goal.tolist())
        self.start: Pose = tuple(task.agent.tolist())

    def step(self, pose: Pose, action: int) -> tuple[Pose, bool]:
        """The next pose, and whether the goal was reached, which the agent does not enter."""
        x, y, direction = pose
        if action == LEFT:
            return (x, y, (direction - 1) % 4), False
        if action == RIGHT:
            return (x, y, (direction + 1) % 4), False
        if action != FORWARD:
            return pose, False
        front = (x + _STEPS[direction][0], y + _STEPS[direction][1])
        if front == self.goal:
            return pose, True
        return ((*front, direction) if self._is_empty(front) else pose), False

    def _is_empty(self, tile: tuple[int, int]) -> bool:
        return all(0 <= part < _SIDE for part in tile) and tile not in self.walls

    def image(self, pose: Pose) -> np.ndarray:
        """What is seen: uint8 (5, 5, 3), [column from the left, row from the far end]."""
        x, y, direction = pose
        (ahead_x, ahead_y), (right_x, right_y) = _STEPS[direction], _STEPS[(direction + 1) % 4]
        seen = np.zeros((5, 5, 3), np.uint8)
        for column in range(5):
            for row in range(5):
                ahead, right = 4 - row, column - 2
                tile = (x + ahead * ahead_x + right * right_x, y + ahead * ahead_y + right * right_y)
                code = (8, 1, 0) if tile == self.goal else (1, 0, 0) if self._is_empty(tile) else (2, 5, 0)
                seen[column, row] = code
        return seen

    def shortest_length(self) -> int | None:
        """Steps of a shortest solution, by breadth-first search; ``None``: there is none."""
        lengths, queue = {self.start: 0}, deque([self.start])
        while queue:
            pose = queue.popleft()
            for action in range(3):
                following, solved = self.step(pose, action)
                if solved:
                    return lengths[pose] + 1
                if following not in lengths:
                    lengths[following] = lengths[pose] + 1
                    queue.append(following)
        return None
