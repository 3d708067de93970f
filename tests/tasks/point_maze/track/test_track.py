"""The track's exact motion against many short steps, and what must hold of every motion.

Tasks of the track: their text and checks, their space, and walks that solve them.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.point_maze.track import TrackTask, TrackTaskSpace
from procgen_bench.tasks.point_maze.track.ring import nearest_on_track
from tests.tasks.point_maze.track.makers import ONE_ROW, begun, random_actions, travelled, varied_places
from tests.tasks.point_maze.track.reference_track import END, INNER, OUTER, moved, polar


def test_random_motions_equal_the_reference_the_more_the_shorter_its_steps():
    rng = np.random.default_rng(0)
    places, actions = varied_places(rng, 2_000), random_actions(rng, 2_000)
    found = travelled(places, actions)
    rough, fine = (abs(moved(places, actions, number) - found).max() for number in (500, 4_000))
    assert rough < 2e-3 and fine < 2e-4 and fine < rough / 4
    radii, angles = np.hypot(*found.T), abs(np.arctan2(*found.T[::-1]))
    for event, count in {
        "free": (abs(found - places - actions) < 1e-12).all(axis=1),
        "at the outer arc": radii > OUTER - 1e-9,
        "at the inner arc": radii < INNER + 1e-9,
        "at an end": angles < END + 1e-9,
        "in an outer corner": (radii > OUTER - 1e-9) & (angles < END + 1e-9),
        "in an inner corner": (radii < INNER + 1e-9) & (angles < END + 1e-9),
        "slid around the inner arc and away": (radii > INNER + 1e-9) & ~straight_is_free(places, found),
    }.items():
        assert count.sum() >= 10, f"random motions ended {event} {count.sum()} times"


def straight_is_free(places: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Whether the straight lines between the points keep out of the inner circle."""
    times = np.linspace(0, 1, 201)[:, np.newaxis, np.newaxis]
    return np.hypot(*np.moveaxis(places + times * (ends - places), -1, 0)).min(axis=0) >= INNER - 1e-9


@pytest.mark.slow
def test_no_walk_leaves_the_track_and_every_part_of_it_is_visited():
    """10,000 walks of 200 steps."""
    rng = np.random.default_rng(1)
    places = varied_places(rng, 10_000)
    visited = np.zeros((3, 36), np.int64)
    for _ in range(200):
        before, places = places, travelled(places, actions := random_actions(rng, len(places)))
        radii, angles = np.hypot(*places.T), np.arctan2(*places.T[::-1])
        assert (radii >= INNER - 1e-12).all() and (radii <= OUTER + 1e-12).all()
        assert (abs(angles) >= END - 1e-12).all()
        assert (np.hypot(*(places - before).T) <= np.hypot(*actions.astype(np.float64).T) + 1e-12).all()
        # Nobody crosses the gap: on the right, the half of the ring is kept.
        on_the_right = (before[:, 0] > 0.5) & (places[:, 0] > 0.5)
        assert (before[on_the_right, 1] * places[on_the_right, 1] > 0).all()
        thirds = np.clip((radii - INNER) * 10, 0, 2).astype(int)
        np.add.at(visited, (thirds, (np.degrees(angles) % 360 // 10).astype(int)), 1)
    assert (visited[:, 2:34] > 1_000).all()


def test_mirrored_motions_are_mirrored_bit_for_bit():
    rng = np.random.default_rng(2)
    places, actions = varied_places(rng, 100_000), random_actions(rng, 100_000)
    mirror = np.array([1, -1], np.float32)
    assert np.array_equal(travelled(places * mirror, actions * mirror), travelled(places, actions) * mirror)


def test_motions_repeat_bit_for_bit():
    rng = np.random.default_rng(3)
    places, actions = varied_places(rng, 100_000), random_actions(rng, 100_000)
    assert travelled(places, actions).tobytes() == travelled(places, actions).tobytes()


CORNER = polar(1.15, 18.0)


@pytest.mark.parametrize(
    ("start", "action", "expected"),
    [
        (polar(1.0, 90), (0.0, 0.0), polar(1.0, 90)),
        (polar(0.9, 90), (0.5, 0.125), (0.5, 1.025)),
        (polar(1.0, 90), (0.0, 0.5), polar(1.15, 90)),
        (polar(1.0, 90), (0.0, -0.9), polar(0.85, 90)),
        (polar(1.0, 180), (0.5, 0.0), polar(0.85, 180)),
        (polar(0.85, 90), (0.0, -0.5), polar(0.85, 90)),
        (polar(1.15, 270), (0.0, -0.5), polar(1.15, 270)),
        (polar(1.0, 18), (0.5 * np.sin(END), -0.5 * np.cos(END)), polar(1.0, 18)),
        (polar(1.0, 342), (0.1 * np.cos(END), 0.1 * np.sin(-END)), polar(1.1, 342)),
        (polar(1.0, 18), (0.0, -0.125), polar(1.0 - 0.125 * np.sin(END), 18)),
        (CORNER, (0.9, -0.9), CORNER),
        (CORNER, (0.95, 0.0), CORNER),
        (polar(1.1, 20), (0.3, -0.9), None),
    ],
    ids=[
        "no motion",
        "free",
        "into the outer arc",
        "into the inner arc",
        "into the inner arc, where the angle turns over",
        "on the inner arc, inwards",
        "on the outer arc, outwards",
        "into the end",
        "along the end",
        "slides along the end",
        "in a corner, into both walls",
        "in a corner, outwards",
        "around the end's corner is no way",
    ],
)
def test_motions_of_the_specification(start, action, expected):
    action = np.array([action], np.float32)
    found = travelled(start[np.newaxis], action)[0]
    reference = moved(start[np.newaxis], action, 20_000)[0]
    assert found == pytest.approx(reference if expected is None else expected, abs=1e-4 if expected is None else 1e-7)
    assert reference == pytest.approx(found, abs=1e-4)


def test_sliding_solves_its_equation():
    """Pressed onto the outer arc by a velocity of 0.5 at an angle of 60 degrees: tan(psi / 2) decays exponentially."""
    off_outward = 2 * np.arctan(np.tan(np.radians(30)) * np.exp(-0.5 / 1.15))
    expected = polar(1.15, 90 + 60 - np.degrees(off_outward))
    action = polar(0.5, 150)[np.newaxis].astype(np.float32)
    assert travelled(polar(1.15, 90)[np.newaxis], action)[0] == pytest.approx(expected, abs=1e-7)


def test_straight_ways_that_touch_the_inner_arc_are_free():
    """Along tangents of the inner arc, begun where they touch it or before."""
    rng, count = np.random.default_rng(4), 50_000
    degrees = rng.uniform(100, 260, count)
    lengths = rng.choice([-1, 1], count) * rng.uniform(0.1, 0.7, count)
    actions = (lengths[:, np.newaxis] * polar(1.0, degrees + 90)).astype(np.float32)
    for begun_before in (0, 0.5):
        places = polar(0.85 + 1e-7, degrees) - begun_before * actions
        assert abs(travelled(places, actions) - places - actions).max() < 1e-6


def test_motions_straight_into_a_wall_stop_there_however_they_are_rounded():
    places = np.array([[-0.9, 0.0], [0.0, 0.9], [-1.0, 1e-300], [0.0, 1.1], [-0.85, 1e-17], [0.0, -0.9]])
    actions = np.array([[0.9, 1e-40], [1e-38, -0.9], [0.9, 0.0], [1e-45, 0.9], [0.9, -1e-30], [0.0, 0.9]], np.float32)
    expected = [[-0.85, 0], [0, 0.85], [-0.85, 0], [0, 1.15], [-0.85, 0], [0, -0.85]]
    assert travelled(places, actions) == pytest.approx(np.array(expected), abs=1e-12)


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
