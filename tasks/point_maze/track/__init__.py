"""The track (Sibling Rivalry, figures 1 and 2): an open ring whose ends lie close together, and far apart to go."""

from procgen_bench.tasks.point_maze.track.space import TrackTaskSpace
from procgen_bench.tasks.point_maze.track.task import TRACK_HORIZON, TrackTask

__all__ = ["TRACK_HORIZON", "TrackTask", "TrackTaskSpace"]
