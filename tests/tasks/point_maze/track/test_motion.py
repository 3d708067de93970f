"""The track's exact motion against many short steps, and what must hold of every motion."""

import numpy as np
import pytest

from tests.tasks.point_maze.track.makers import random_actions, travelled, varied_places
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
