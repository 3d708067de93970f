"""Tasks of the track: their text and checks, their space, and walks that solve them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.point_maze.track import TrackTask, TrackTaskSpace
from procgen_bench.tasks.point_maze.track.ring import nearest_on_track
from tests.tasks.point_maze.track.makers import ONE_ROW, begun, varied_places
from tests.tasks.point_maze.track.reference_track import polar

SPACE = TrackTaskSpace()
TASK = TrackTask(polar(1.0, 30), polar(1.0, 330))
#: The track, densely.
TRACK = polar(*np.meshgrid(np.linspace(0.85, 1.15, 61), np.linspace(18, 342, 1_621))).reshape(-1, 2)

COORDINATES = st.one_of(st.floats(-1.15, 1.15), st.sampled_from([0.0, -0.0, 1.15, -1.15, 0.85]))
POINTS = st.tuples(COORDINATES, COORDINATES).map(np.array)


def tasks(count: int, seed: int) -> list[TrackTask]:
    rng = np.random.default_rng(seed)
    return [TrackTask(*pair) for pair in varied_places(rng, 2 * count).reshape(-1, 2, 2)]


def test_text_is_readable():
    assert TrackTask(np.array([0.0, 1.0]), np.array([-1.0, 0.25])).to_text() == "start 0.0 1.0\ngoal -1.0 0.25"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("start 0 1", "number of lines is 1, expected 2: the start and the goal"),
        ("goal 0 1\nstart 0 1", "line of the start is 'goal 0 1', expected 'start' and 2 numbers"),
        ("start 0 1\ngoal 0 one", "line of the goal is 'goal 0 one'"),
    ],
)
def test_bad_text_is_refused(text, part):
    with pytest.raises(InvalidTaskError) as caught:
        TrackTask.from_text(text)
    assert part in str(caught.value) and "\n" not in str(caught.value)


@given(POINTS)
def test_nearest_points_are_on_the_track_and_none_is_nearer(point):
    nearest = nearest_on_track(point)
    radius, degrees = np.hypot(*nearest), np.degrees(np.arctan2(nearest[1], nearest[0])) % 360
    assert 0.85 - 1e-12 <= radius <= 1.15 + 1e-12 and 18 - 1e-9 <= degrees <= 342 + 1e-9
    assert np.hypot(*(nearest - point)) <= np.hypot(*(TRACK - point).T).min() + 1e-12
    assert np.array_equal(nearest_on_track(nearest), nearest)


def test_samples_are_uniform_over_the_track():
    rng = np.random.default_rng(0)
    samples = [SPACE.sample(rng) for _ in range(4_000)]
    assert all(SPACE.space.contains(params) for params in samples)
    for name in ("start", "goal"):
        points = np.array([params[name] for params in samples])
        radii, degrees = np.hypot(*points.T), np.degrees(np.arctan2(*points.T[::-1])) % 360
        assert stats.kstest((degrees - 18) / 324, "uniform").pvalue > 1e-3
        assert stats.kstest((radii**2 - 0.85**2) / (1.15**2 - 0.85**2), "uniform").pvalue > 1e-3
        assert stats.kstest((radii - 0.85) / 0.3, "uniform").pvalue < 1e-3, "the comparison notices a wrong density"


def test_mutation_draws_the_start_or_the_goal_anew():
    rng, changed = np.random.default_rng(1), []
    for task in tasks(200, seed=2):
        neighbour = SPACE.mutate(task, rng)
        neighbour.validate()
        changed.append([(getattr(task, name) != getattr(neighbour, name)).any() for name in ("start", "goal")])
    assert (np.sum(changed, axis=1) == 1).all() and (np.sum(changed, axis=0) > 60).all()


@pytest.mark.parametrize(
    ("task", "part"),
    [
        (TrackTask(np.zeros(2), TASK.goal), "start is (0.0, 0.0), expected a point 0.85 to 1.15 from (0, 0)"),
        (TrackTask(np.array([1.0, 0.0]), TASK.goal), "at an angle of 18 to 342 degrees"),
        (TrackTask(TASK.start, np.array([-1.2, 0.0])), "goal is (-1.2, 0.0), expected a point"),
        (TrackTask(TASK.start, np.array([np.nan, 1.0])), "goal is (nan, 1.0), expected a point"),
        (TrackTask(np.array([np.inf, 1.0]), TASK.goal), "start is (inf, 1.0), expected a point"),
        (TrackTask(polar(1.15 + 1e-9, 90), TASK.goal), "start is ("),
        (TrackTask(polar(1.0, 18 - 1e-6), TASK.goal), "start is ("),
        (
            TrackTask(TASK.start.astype(np.float32), TASK.goal),
            "start's type is 'float32', expected an array of float64",
        ),
        (TrackTask(TASK.start, [0.0, 1.0]), "goal's type is 'list', expected an array of float64"),
        (TrackTask(TASK.start, np.zeros(3)), "goal's shape is (3,), expected (2,)"),
    ],
)
def test_tasks_off_the_track_are_refused(task, part):
    with pytest.raises(InvalidTaskError) as caught:
        SPACE.validate(task)
    assert part in str(caught.value) and "\n" not in str(caught.value)


def assert_solves(task: TrackTask, actions: np.ndarray) -> None:
    """Played, ``actions`` reach the goal with the last of them and not before, within five steps."""
    assert actions.dtype == np.float32 and 1 <= len(actions) <= 5 and (abs(actions) <= np.float32(0.95)).all()
    simulation = begun([task])
    for number, action in enumerate(actions, start=1):
        simulation.step(action[np.newaxis], ONE_ROW)
        done = number == len(actions)
        assert (simulation.successes[0], simulation.terminations[0], simulation.rewards[0]) == (done, done, done)
    assert np.hypot(*(simulation.positions[0] - task.goal)) <= 0.15 + 1e-6


def test_five_steps_suffice_between_any_two_places():
    lengths = []
    for task in tasks(500, seed=3):
        solution = SPACE.solve(task)
        assert_solves(task, solution)
        assert SPACE.is_solvable(task)
        lengths.append(len(solution))
    assert set(lengths) == {1, 2, 3, 4, 5}


@pytest.mark.parametrize("ends", [(18, 342), (342, 18)])
def test_walks_from_end_to_end_take_five_steps(ends):
    for radius in (0.85, 0.95, 1.05, 1.15):
        for goal_radius in (0.85, 1.0, 1.15):
            task = TrackTask(polar(radius, ends[0]), polar(goal_radius, ends[1]))
            solution = SPACE.solve(task)
            assert_solves(task, solution)
            assert len(solution) == 5


def test_solver_leaves_the_task_alone_and_repeats():
    fingerprint = TASK.fingerprint()
    assert np.array_equal(SPACE.solve(TASK), SPACE.solve(TASK))
    assert TASK.fingerprint() == fingerprint
