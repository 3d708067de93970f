import numpy as np
import pytest
from scipy import stats

from procgen_bench.errors import InvalidTaskError
from procgen_bench.tasks.ant_maze import AntMazeTaskSpace
from procgen_bench.tasks.ant_maze.generate import generate
from procgen_bench.tasks.ant_maze.maze import is_free, shortest_way, way_length
from procgen_bench.tasks.ant_maze.suites import CHECKSUMS

SPACE = AntMazeTaskSpace()
LEAST_P = 1e-3


def test_every_parameter_decodes_to_a_valid_task_and_back():
    rng = np.random.default_rng(0)
    moved = 0
    for _ in range(1_000):
        params = SPACE.sample(rng)
        task = SPACE.decode(params)
        task.validate()
        assert SPACE.decode(SPACE.encode(task)) == task
        assert SPACE.decode(SPACE.unflatten(SPACE.flatten(SPACE.encode(task)))) == task
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
        neighbour.validate()
        different = [name for name in ("start", "goal") if (getattr(task, name) != getattr(neighbour, name)).any()]
        assert len(different) == 1
        changed += different
    assert 60 < changed.count("start") < 140


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"start": np.array([0.0, 20.5])}, "start[1] is 20.5, expected a number in [-4.0, 20.0]"),
        ({"goal": np.array([np.nan, 1.0])}, "goal[0] is nan"),
        ({"goal": np.zeros(3)}, "goal's shape is (3,), expected (2,)"),
        ({"goal": np.array(["a", "b"])}, "goal's dtype is '<U1', expected numbers"),
        ({"heading": np.zeros(1)}, "parameter name is 'heading'"),
    ],
)
def test_parameters_outside_the_space_are_refused(changes, part):
    with pytest.raises(InvalidTaskError) as caught:
        SPACE.decode(SPACE.sample(np.random.default_rng(0)) | changes)
    assert part in str(caught.value)


def test_a_list_of_torques_cannot_be_told_without_the_physics():
    with pytest.raises(NotImplementedError, match="has no solver"):
        SPACE.solve(SPACE.suite("test").tasks[0])


def test_test_suite_is_of_the_papers_distribution():
    suite = SPACE.suite("test")
    assert len(suite) == len(set(suite.tasks)) == len(set(suite.task_names)) == 500
    for task, length in zip(suite, suite.records["length"]):
        task.validate()
        assert (abs(task.start) <= 0.1).all()
        assert -3.5 <= task.goal[0] <= 3.5 and 12.5 <= task.goal[1] <= 19.5
        way = shortest_way(task.start, task.goal, 1.0)
        assert length == way_length(way) and len(way) == 4
    assert 30 < suite.records["length"].min() < suite.records["length"].max() < 45


def test_generating_again_gives_the_committed_suite(tmp_path):
    assert generate(tmp_path) == CHECKSUMS
