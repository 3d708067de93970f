import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from procgen_bench.tasks.xland.predicates.bodies import BODY, CAPSULE, place_bodies
from procgen_bench.tasks.xland.predicates.camera import CAMERA
from procgen_bench.tasks.xland.predicates.geometry import closest_point
from tests.tasks.xland.predicates.makers import scene_of
from tests.tasks.xland.predicates.reference_predicates import Body

SHAPES = ("cube", "sphere", "pyramid", "slab")


def placed(shape: str, size: float, centre, rotation: Rotation) -> tuple[np.ndarray, Body]:
    """A body as the kernels and as the reference know it."""
    x, y, z, w = rotation.as_quat()
    states = scene_of({f"black {shape}": (size, centre, [w, x, y, z])}, [(centre, 0.7, 0.0)])
    bodies = np.empty(2, BODY)
    place_bodies(bodies, np.empty(1, CAMERA), states.scenes, states.arrays, 0)
    assert bodies["shape"].tolist() == [SHAPES.index(shape), CAPSULE]
    return bodies, Body(f"black {shape}", shape, size, np.array(centre), rotation)


def points_around(rng: np.random.Generator, centre, size: float) -> np.ndarray:
    """Points inside, on all sides, and far away."""
    return np.array(centre) + rng.normal(0, 1, (400, 3)) * size * rng.choice([0.2, 0.6, 3.0], (400, 1))


@pytest.mark.parametrize("shape", SHAPES)
def test_closest_points_of_objects_are_those_of_their_faces(shape):
    rng = np.random.default_rng(SHAPES.index(shape))
    rotations = [Rotation.identity(), *Rotation.random(4, rng=rng)]
    for rotation in rotations:
        size, centre = rng.uniform(0.3, 2.0), rng.uniform(-3, 3, 3)
        bodies, reference = placed(shape, size, centre, rotation)
        for point in points_around(rng, centre, size):
            assert np.allclose(closest_point(bodies[0], *point), reference.closest(point), rtol=0, atol=1e-9)


def test_closest_points_of_players_are_on_their_capsules():
    rng = np.random.default_rng(4)
    centre = (1.0, 2.0, 3.0)
    bodies, _ = placed("cube", 1.0, centre, Rotation.identity())
    reference = Body("player", "player", 0.0, np.array(centre), Rotation.from_euler("z", 0.7))
    for point in points_around(rng, centre, 1.0):
        assert np.allclose(closest_point(bodies[1], *point), reference.closest(point), rtol=0, atol=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
def test_points_on_the_surface_are_their_own_closest(shape):
    rng = np.random.default_rng(5)
    bodies, _ = placed(shape, 0.8, (0.5, -1.0, 2.0), Rotation.random(rng=rng))
    for point in points_around(rng, (0.5, -1.0, 2.0), 0.8):
        for body in bodies:
            once = closest_point(body, *point)
            assert np.allclose(closest_point(body, *once), once, rtol=0, atol=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
def test_closest_points_of_the_centre_are_on_the_surface(shape):
    # Several are equally close; whichever is taken is a closest one.
    centre, size = (1.0, 1.0, 1.0), 1.0
    distance = {"cube": 0.5, "sphere": 0.5, "pyramid": 0.25, "slab": 0.0625}[shape]
    bodies, _ = placed(shape, size, centre, Rotation.identity())
    for body, expected in zip(bodies, (distance, 0.3)):
        assert np.linalg.norm(np.subtract(closest_point(body, *centre), centre)) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("shape", SHAPES)
def test_enclosing_balls_enclose(shape):
    rng = np.random.default_rng(6)
    bodies, reference = placed(shape, 1.3, (0.0, 0.0, 0.0), Rotation.random(rng=rng))
    if shape != "sphere":
        furthest = np.linalg.norm(reference.corners, axis=1).max()
        assert furthest <= bodies[0]["reach"] <= furthest * (1 + 1e-8)
    for body in bodies:
        surface = np.array([closest_point(body, *point) for point in points_around(rng, (0, 0, 0), 1.3)])
        assert (np.linalg.norm(surface, axis=1) <= body["reach"]).all()
