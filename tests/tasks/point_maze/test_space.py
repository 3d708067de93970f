import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from procgen_bench.tasks.point_maze import PointMazeTaskSpace
from tests.tasks.point_maze.makers import varied_tasks

SPACE = PointMazeTaskSpace()

#: Raw parameters anywhere in the space: points on borders and in corners, too.
_LOGITS = st.one_of(st.floats(-10, 10, width=32), st.sampled_from([0.0, -0.0]))
_COORDINATES = st.one_of(st.floats(-0.5, 10.5), st.integers(-4, 84).map(lambda eighths: eighths / 8))
PARAMETERS = st.fixed_dictionaries(
    {
        "vertical_walls": arrays(np.float32, (11, 10), elements=_LOGITS),
        "horizontal_walls": arrays(np.float32, (10, 11), elements=_LOGITS),
        "start": arrays(np.float64, (2,), elements=_COORDINATES),
        "goal": arrays(np.float64, (2,), elements=_COORDINATES),
    }
)


@given(PARAMETERS)
def test_decode_gives_valid_tasks_and_moves_points_the_least(params):
    task = SPACE.decode(params)
    task.validate()
    assert np.array_equal(task.vertical_walls, params["vertical_walls"] > 0)
    assert np.array_equal(task.horizontal_walls, params["horizontal_walls"] > 0)
    for name in ("start", "goal"):
        moved = abs(getattr(task, name) - params[name])
        assert (moved <= 0.005 + 1e-12).all()
        cell = np.minimum(np.floor(params[name] + 0.5), 10)
        inside = (abs(params[name] - cell) <= 0.495 - 1e-12).all()
        assert not inside or not moved.any(), "a point away from all borders was moved"


def test_points_close_to_walls_are_moved_within_their_cells():
    params = SPACE.encode(varied_tasks(1, seed=0)[0])
    params |= {"vertical_walls": np.ones((11, 10), np.float32), "start": np.array([0.5, 3.2]), "goal": np.full(2, 10.5)}
    params["horizontal_walls"][:] = -1
    task = SPACE.decode(params)
    assert task.start == pytest.approx([0.505, 3.2], abs=1e-15)
    assert task.goal == pytest.approx([10.495, 10.495], abs=1e-15)


def test_samples_are_in_the_space_and_wall_every_second_place():
    rng = np.random.default_rng(0)
    samples = [SPACE.sample(rng) for _ in range(200)]
    assert all(SPACE.space.contains(params) for params in samples)
    assert 0.48 < np.mean([SPACE.decode(params).vertical_walls for params in samples]) < 0.52


def test_mutation_changes_one_thing_and_every_kind_of_thing():
    rng, kinds = np.random.default_rng(1), set()
    for task in varied_tasks(1_000, seed=2):
        neighbour = SPACE.mutate(task, rng)
        neighbour.validate()
        walls = sum(int((one != other).sum()) for one, other in zip(task.walls, neighbour.walls))
        start, goal = (abs(getattr(task, name) - getattr(neighbour, name)).max() for name in ("start", "goal"))
        if walls:
            assert walls == 1 and start <= 0.005 + 1e-12 and goal <= 0.005 + 1e-12
            kinds.add("vertical" if (task.vertical_walls != neighbour.vertical_walls).any() else "horizontal")
        else:
            assert (start > 0) != (goal > 0)
            kinds.add("start" if start else "goal")
    assert kinds == {"vertical", "horizontal", "start", "goal"}
