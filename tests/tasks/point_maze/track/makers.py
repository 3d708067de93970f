"""Makers of tasks and places on the track for tests, and players of actions."""

import numpy as np

from procgen_bench.envs.point_maze.track.simulation import TrackSimulation
from procgen_bench.tasks.point_maze.track import TrackTask
from tests.tasks.point_maze.track.reference_track import polar

ONE_ROW = np.ones(1, np.bool_)
MAX_STEP = np.float32(0.95)


def varied_places(rng: np.random.Generator, count: int) -> np.ndarray:
    """Places (count, 2) inside, on both arcs, at both ends and in the corners."""
    radii = rng.choice([0.85, 1.15, 1.0], count)
    degrees = rng.choice([18.0, 342.0, 180.0], count, p=[0.1, 0.1, 0.8])
    radii[radii == 1.0] = rng.uniform(0.85, 1.15, (radii == 1.0).sum())
    degrees[degrees == 180.0] = rng.uniform(18, 342, (degrees == 180.0).sum())
    return polar(radii, degrees)


def random_actions(rng: np.random.Generator, count: int) -> np.ndarray:
    """Actions (count, 2) of the whole range."""
    return rng.uniform(-MAX_STEP, MAX_STEP, (count, 2)).astype(np.float32)


def begun(tasks: list[TrackTask], max_episode_steps: int | None = 5) -> TrackSimulation:
    """A simulation with a row per task, all started."""
    simulation = TrackSimulation(len(tasks), max_episode_steps)
    for row, task in enumerate(tasks):
        simulation.load(row, task)
    every = np.ones(len(tasks), np.bool_)
    simulation.start(every, ~every)
    return simulation


def travelled(places: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """Where the compiled rules lead from ``places`` (N, 2)."""
    simulation = begun([TrackTask(polar(1.0, 90), polar(1.0, 180))] * len(places))
    simulation.positions[:] = places
    simulation.step(actions, np.ones(len(places), np.bool_))
    return simulation.positions
