"""TrackTaskSpace: four parameters, a start and a goal, between a teacher and the track's tasks."""

import math
from typing import ClassVar

import numpy as np
from gymnasium import spaces

from procgen_bench.core.task_space import Parameters, TaskSpace
from procgen_bench.tasks.point_maze.track.ring import END_ANGLE, INNER_RADIUS, OUTER_RADIUS, nearest_on_track
from procgen_bench.tasks.point_maze.track.solver import solve
from procgen_bench.tasks.point_maze.track.task import TRACK_HORIZON, TrackTask


class TrackTaskSpace(TaskSpace[TrackTask]):
    """The track's task space: any start and any goal on it.

    Raw parameters: ``start`` and ``goal``, float64 (2,) in [-1.15, 1.15], x and y; a point off the track is moved to
    the nearest one on it. There are no suites: an environment draws its tasks around two fixed places.
    """

    task_type = TrackTask
    space: ClassVar[spaces.Dict] = spaces.Dict(
        {name: spaces.Box(-OUTER_RADIUS, OUTER_RADIUS, (2,), np.float64) for name in ("goal", "start")}
    )

    def sample(self, rng: np.random.Generator) -> Parameters:
        """A start and a goal, float64 (2,), drawn uniformly from the track (most of ``space`` lies off it)."""
        return {name: _drawn(rng) for name in self.space}

    def _decode(self, params: Parameters) -> TrackTask:
        return TrackTask(nearest_on_track(params["start"]), nearest_on_track(params["goal"]))

    def encode(self, task: TrackTask) -> Parameters:
        """The start and the goal as they are, float64 (2,)."""
        return {"goal": task.goal.copy(), "start": task.start.copy()}

    def mutate(self, task: TrackTask, rng: np.random.Generator) -> TrackTask:
        """The start or the goal redrawn, each equally likely."""
        if rng.integers(2):
            return TrackTask(_drawn(rng), task.goal)
        return TrackTask(task.start, _drawn(rng))

    def solve(self, task: TrackTask) -> np.ndarray:
        """Actions (float32 (steps, 2)) that walk along the track to the goal; see :func:`.solver.solve`."""
        return solve(task)

    def is_solvable(self, task: TrackTask) -> bool:
        """Whether the solver's walk takes at most 5 steps."""
        return len(self.solve(task)) <= TRACK_HORIZON


def _drawn(rng: np.random.Generator) -> np.ndarray:
    """A point uniform over the track's area."""
    radius = math.sqrt(rng.uniform(INNER_RADIUS**2, OUTER_RADIUS**2))
    angle = rng.uniform(END_ANGLE, math.tau - END_ANGLE)
    return radius * np.array([math.cos(angle), math.sin(angle)])
