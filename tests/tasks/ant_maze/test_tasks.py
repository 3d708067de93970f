from itertools import pairwise

import networkx
import numpy as np
import pytest
from scipy import stats

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.ant_maze import AntMazeTask, AntMazeTaskSpace, goal_distance
from procgen_bench.tasks.ant_maze.maze import HIGH, LOW, is_free, nearest_free, shortest_way, way_length

GAPS = (0.0, 0.5, 1.0, 1.5)


def free_by_hand(x: float, y: float, gap: float) -> bool:
    """The paper's picture: three corridors of width 8 that make a U open to the left."""
    corridors = ((-4, 20, -4, 4), (12, 20, -4, 20), (-4, 20, 12, 20))

    def inside(left: float, right: float, low: float, high: float) -> bool:
        # A corridor's side is a wall where the map ends or the wall inside stands; elsewhere it opens to another.
        return left + gap <= x <= right - (gap if right == 20 else 0) and low + gap <= y <= high - gap

    return any(inside(*corridor) for corridor in corridors)


@pytest.mark.parametrize("gap", GAPS)
def test_free_points_are_those_of_the_three_corridors(gap):
    rng = np.random.default_rng(0)
    points = rng.uniform(-6, 22, (20_000, 2))
    found = [is_free(point, gap) for point in points]
    assert found == [free_by_hand(*point, gap) for point in points.tolist()]
    assert 0.1 < np.mean(found) < 0.9


@pytest.mark.parametrize("gap", GAPS[1:])
def test_nearest_free_point_is_free_and_no_other_is_nearer(gap):
    rng = np.random.default_rng(1)
    lattice = [np.array([x, y]) for x in np.arange(-4, 20.01, 0.25) for y in np.arange(-4, 20.01, 0.25)]
    free = np.array([point for point in lattice if is_free(point, gap)])
    for point in rng.uniform(LOW, HIGH, (500, 2)):
        nearest = nearest_free(point, gap)
        assert is_free(nearest, gap)
        assert np.linalg.norm(nearest - point) <= np.linalg.norm(free - point, axis=1).min() + 1e-12
        assert not is_free(point, gap) or np.array_equal(nearest, point)


def lattice_graph(gap: float) -> networkx.Graph:
    """Lattice points at distance 0.5, joined to those within two steps wherever the straight line between is free."""
    coordinates = np.arange(-8, 41)  # halves
    graph = networkx.Graph()
    nodes = {(x, y) for x in coordinates for y in coordinates if is_free(np.array([x, y]) / 2, gap)}
    moves = [(1, 0), (0, 1), (1, 1), (1, -1), (2, 1), (1, 2), (2, -1), (-1, 2), (3, 1), (1, 3), (3, -1), (-1, 3)]
    for x, y in nodes:
        for dx, dy in moves:
            line = np.array([x, y]) / 2 + np.outer(np.linspace(0, 1, 9), [dx, dy]) / 2
            if (x + dx, y + dy) in nodes and all(is_free(point, gap) for point in line):
                graph.add_edge((x, y), (x + dx, y + dy), weight=np.hypot(dx, dy) / 2)
    return graph


def test_shortest_ways_keep_off_the_wall_and_are_as_short_as_a_lattices():
    gap, graph, rng = 1.0, lattice_graph(1.0), np.random.default_rng(2)
    nodes = sorted(graph)
    turns = set()
    for start in rng.choice(nodes, 12):
        lengths = networkx.single_source_dijkstra_path_length(graph, tuple(start))
        for goal in rng.choice(nodes, 12):
            way = shortest_way(start / 2, goal / 2, gap)
            assert np.array_equal(way[0], start / 2) and np.array_equal(way[-1], goal / 2)
            for one, other in pairwise(way):
                for share in np.linspace(0, 1, 50):
                    assert is_free(np.round(one + share * (other - one), 9), gap)
            lattice = lengths[tuple(goal)]
            # Twelve directions to a half turn are at most 2.8 % longer than straight lines.
            assert way_length(way) <= lattice + 1e-9 and lattice <= 1.03 * way_length(way) + 1e-9
            turns.add(len(way) - 2)
    assert turns == {0, 1, 2}


def test_ways_from_points_that_are_not_free_begin_at_the_nearest_that_are():
    way = shortest_way(np.array([0.0, 3.9]), np.array([0.0, 12.1]), 1.5)
    assert way.tolist() == [[0.0, 2.5], [13.5, 2.5], [13.5, 13.5], [0.0, 13.5]]
    assert way_length(way) == 38.0


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


TASK = AntMazeTask(np.array([0.1, -0.05]), np.array([1.0, 16.25]))
TEXT = "start 0.1 -0.05\ngoal 1.0 16.25"


def with_points(start=(0.0, 0.0), goal=(0.0, 16.0)) -> AntMazeTask:
    return AntMazeTask(np.array(start, np.float64), np.array(goal, np.float64))


def test_text_is_readable():
    assert TASK.to_text() == TEXT


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "number of lines is 0, expected 2"),
        (TEXT + "\nmore", "number of lines is 3, expected 2"),
        ("start 1\ngoal 1 2", "line of the start is 'start 1', expected 'start' and 2 numbers"),
        ("goal 1 2\nstart 1 2", "line of the start is 'goal 1 2'"),
        ("start 1 2\ngoal one 2", "line of the goal is 'goal one 2', expected 'goal' and 2 numbers"),
    ],
)
def test_bad_text_is_refused(text, part):
    with pytest.raises(InvalidTaskError) as caught:
        AntMazeTask.from_text(text)
    assert part in str(caught.value)


@pytest.mark.parametrize(
    ("task", "part"),
    [
        (with_points(start=(-3.1, 0)), "x of start is -3.1, expected a number in [-3.0, 19.0]"),
        (with_points(start=(0, np.nan)), "y of start is nan, expected a number in [-3.0, 19.0]"),
        (with_points(goal=(np.inf, 0)), "x of goal is inf, expected a number in [-3.5, 19.5]"),
        (with_points(goal=(0, 19.6)), "y of goal is 19.6, expected a number in [-3.5, 19.5]"),
        (
            with_points(start=(12.9, 8)),
            "start is (12.9, 8.0), expected a point 1.0 off the wall: x at least 13.0, or y at most 3.0 or at least 13",
        ),
        (with_points(goal=(0, 8)), "goal is (0.0, 8.0), expected a point 0.5 off the wall: x at least 12.5, or y at"),
        (with_points(goal=(0, 12.4)), "goal is (0.0, 12.4), expected a point 0.5 off the wall"),
    ],
)
def test_points_in_walls_and_outside_are_refused(task, part):
    with pytest.raises(InvalidTaskError) as caught:
        task.validate()
    assert part in str(caught.value) and "\n" not in str(caught.value)


def test_points_may_touch_the_gap():
    with_points(start=(13, 8), goal=(12.5, 8)).validate()
    with_points(start=(-3, 3), goal=(-3.5, 19.5)).validate()


def test_goal_distance_is_the_l2_norm_in_double_precision():
    one, other = np.random.default_rng(0).uniform(-4, 20, (2, 7, 5, 2)).astype(np.float32)
    expected = np.linalg.norm(one.astype(np.float64) - other, axis=-1)
    assert goal_distance(one, other).dtype == np.float64
    np.testing.assert_allclose(goal_distance(one, other), expected, rtol=1e-15)
