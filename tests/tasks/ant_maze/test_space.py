import numpy as np
from scipy import stats

from procgen_bench.tasks.ant_maze import AntMazeTaskSpace
from procgen_bench.tasks.ant_maze.maze import is_free, shortest_way, way_length

SPACE = AntMazeTaskSpace()
LEAST_P = 1e-3


def test_points_by_walls_are_moved_and_others_stay():
    rng = np.random.default_rng(0)
    moved = 0
    for _ in range(1_000):
        params = SPACE.sample(rng)
        task = SPACE.decode(params)
        for name, gap in (("start", 1.0), ("goal", 0.5)):
            point = getattr(task, name)
            assert np.array_equal(point, params[name]) == is_free(params[name], gap)
            moved += not np.array_equal(point, params[name])
        assert SPACE.is_solvable(task)
    assert 400 < moved < 1_200


def test_draws_are_the_papers():
    rng = np.random.default_rng(1)
    tasks = [SPACE.sample_task(rng) for _ in range(3_000)]
    for values, low, high in (
        (np.array([task.start for task in tasks]), [-0.1, -0.1], [0.1, 0.1]),
        (np.array([task.goal for task in tasks]), [-3.5, 12.5], [3.5, 19.5]),
    ):
        for axis in range(2):
            unit = (values[:, axis] - low[axis]) / (high[axis] - low[axis])
            assert stats.kstest(unit, "uniform").pvalue > LEAST_P


def test_mutation_moves_the_start_or_the_goal():
    rng, changed = np.random.default_rng(2), []
    for _ in range(200):
        task = SPACE.sample_task(rng)
        neighbour = SPACE.mutate(task, rng)
        different = [name for name in ("start", "goal") if (getattr(task, name) != getattr(neighbour, name)).any()]
        assert len(different) == 1
        changed += different
    assert 60 < changed.count("start") < 140


def test_test_suite_is_of_the_papers_distribution():
    suite = SPACE.suite("test")
    for task, length in zip(suite, suite.records["length"]):
        assert (abs(task.start) <= 0.1).all()
        assert -3.5 <= task.goal[0] <= 3.5 and 12.5 <= task.goal[1] <= 19.5
        way = shortest_way(task.start, task.goal, 1.0)
        assert length == way_length(way) and len(way) == 4
    assert 30 < suite.records["length"].min() < suite.records["length"].max() < 45
