"""BitGrid's specification in plain Python: sets of cells, no arrays and nothing of the package."""

import random
from collections import deque
from itertools import permutations

Cell = tuple[int, int]  # x, y

#: By action, as the specification lists them: the step in x, then in y; the middle one toggles.
STEPS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 0), (0, 1), (1, -1), (1, 0), (1, 1)]
TOGGLE = 4


class ReferenceGrid:
    """One game."""

    def __init__(self, side: int, start: Cell, goal: set[Cell], horizon: int = 50, distance_reward: bool = False):
        self.side, self.at, self.goal = side, start, goal
        self.horizon, self.distance_reward = horizon, distance_reward
        self.on: set[Cell] = set()
        self.steps = 0

    @classmethod
    def of(cls, task, **options) -> "ReferenceGrid":
        """The game of a task of the package."""
        return cls(len(task.goal), tuple(task.start.tolist()), goal_cells(task), **options)

    def step(self, action: int) -> tuple[float, bool]:
        """Reward, and whether the goal is reached."""
        self.steps += 1
        if action == TOGGLE:
            self.on ^= {self.at}
        else:
            self.at = moved(self.at, STEPS[action], self.side)
        if self.on == self.goal:
            return 1.0, True
        last = self.distance_reward and self.steps == self.horizon
        return (-float(len(self.on ^ self.goal)) if last else 0.0), False

    def observation(self) -> dict[str, list]:
        """Nested lists, indexed [y][x]."""
        cells = [[(x, y) for x in range(self.side)] for y in range(self.side)]
        return {
            "achieved_goal": [[float(cell in self.on) for cell in row] for row in cells],
            "desired_goal": [[float(cell in self.goal) for cell in row] for row in cells],
            "observation": [[[float(cell in self.on), float(cell == self.at)] for cell in row] for row in cells],
        }


def goal_cells(task) -> set[Cell]:
    """The goal of a task of the package, as cells."""
    return {(x, y) for y, row in enumerate(task.goal.tolist()) for x, bit in enumerate(row) if bit}


def moved(cell: Cell, step: Cell, side: int) -> Cell:
    """Where a step leads; off the grid, the coordinate stays."""
    return tuple(sorted((0, place + shift, side - 1))[1] for place, shift in zip(cell, step))


def breadth_first_length(grid: ReferenceGrid) -> int | None:
    """Length of the shortest solution, by search over all states (for small grids); ``None``: over the horizon."""
    start = (grid.at, frozenset())
    lengths, queue = {start: 0}, deque([start])
    while queue:
        at, on = state = queue.popleft()
        if on == grid.goal:
            return lengths[state]
        if lengths[state] == grid.horizon:
            return None
        for action, step in enumerate(STEPS):
            reached = (at, on ^ {at}) if action == TOGGLE else (moved(at, step, grid.side), on)
            if reached not in lengths:
                lengths[reached] = lengths[state] + 1
                queue.append(reached)
    return None


def permutation_length(start: Cell, goal: set[Cell]) -> int:
    """Length of the shortest solution, by trying every order of a few bits."""

    def length(order) -> int:
        return sum(max(abs(x - u), abs(y - v)) for (x, y), (u, v) in zip((start, *order), order))

    return len(goal) + min(length(order) for order in permutations(goal))


def wandered_goal(side: int, rng: random.Random) -> set[Cell]:
    """A goal as the specification makes it: 8 steps, another direction every 1 to 4, toggling each cell entered."""
    on: set[Cell] = set()
    while not on:
        at, steps_left = (rng.randrange(side), rng.randrange(side)), 0
        for _ in range(8):
            if not steps_left:
                steps_left = rng.randint(1, 4)
                inside = [s for s in STEPS if s != (0, 0) and all(0 <= p + d < side for p, d in zip(at, s))]
                step = rng.choice(inside)
            at = moved(at, step, side)
            on ^= {at}
            steps_left -= 1
    return on
