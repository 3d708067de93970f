"""The worlds that SparsePointMaze's agent can be in: what each has of its own."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from procgen_bench.core.checks import check_choice
from procgen_bench.core.task_space import TaskSpace
from procgen_bench.envs.point_maze import rendering
from procgen_bench.envs.point_maze.point_simulation import PointSimulation
from procgen_bench.envs.point_maze.simulation import PointMazeSimulation
from procgen_bench.envs.point_maze.track import rendering as track_rendering
from procgen_bench.envs.point_maze.track.simulation import TrackSimulation
from procgen_bench.tasks.point_maze import HORIZON, PointMazeTaskSpace
from procgen_bench.tasks.point_maze.task import placed_in_square
from procgen_bench.tasks.point_maze.track import TRACK_HORIZON, TrackTaskSpace
from procgen_bench.tasks.point_maze.track.ring import OUTER_RADIUS
from procgen_bench.tasks.point_maze.track.task import placed_on_track
from procgen_bench.tasks.point_maze.walls import HIGH, LOW


class World(NamedTuple):
    """One kind of world.

    Attributes:
        task_space: Its tasks.
        simulation_type: Its rules over rows.
        observation_space: Its observations.
        horizon: Steps of an episode.
        placed: Called with a name and a point (numbers of any dtype, (2,)): the point as the world's tasks keep it,
            float64 (2,); it raises
            ``InvalidTaskError``, which names it, when it is none of the world's.
        draw_frame, draw_text: Its pictures, uint8 (height, width, 3) or text, of a simulation and a row.
    """

    task_space: TaskSpace
    simulation_type: type[PointSimulation]
    observation_space: spaces.Dict
    horizon: int
    placed: Callable[[str, np.ndarray], np.ndarray]
    draw_frame: Callable[[Any, int], np.ndarray]
    draw_text: Callable[[Any, int], str]


def _observation_space(low: float, high: float) -> spaces.Dict:
    place = spaces.Box(low, high, (2,), np.float32)
    return spaces.Dict({"achieved_goal": place, "desired_goal": place, "observation": place})


MAZE = World(
    task_space=PointMazeTaskSpace(),
    simulation_type=PointMazeSimulation,
    observation_space=_observation_space(LOW, HIGH),
    horizon=HORIZON,
    placed=placed_in_square,
    draw_frame=rendering.draw_frame,
    draw_text=rendering.draw_text,
)
TRACK = World(
    task_space=TrackTaskSpace(),
    simulation_type=TrackSimulation,
    observation_space=_observation_space(-OUTER_RADIUS, OUTER_RADIUS),
    horizon=TRACK_HORIZON,
    placed=placed_on_track,
    draw_frame=track_rendering.draw_frame,
    draw_text=track_rendering.draw_text,
)
WORLDS = {"maze": MAZE, "track": TRACK}


def world_of(kind: str) -> World:
    """The world called ``kind``.

    Raises:
        InvalidOptionError: There is none.
    """
    check_choice("kind", kind, WORLDS)
    return WORLDS[kind]
