import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.worlds.generation import generate_world
from procgen_bench.tasks.xland.worlds.measures import renyi_entropy, shortest_path_distribution
from procgen_bench.tasks.xland.worlds.projection import (
    fit_projection,
    loss_gradient,
    symmetry_classes,
    world_vectors,
)
from procgen_bench.tasks.xland.worlds.world import World
from tests.tasks.xland.worlds.makers import FLAT, PLATEAU

RNG = np.random.default_rng(0)
WORLDS = [generate_world(RNG, 9, 9) for _ in range(60)]


def test_fifteen_weights_for_nine_by_nine():
    classes = symmetry_classes(9, 9)
    assert len(np.unique(classes)) == 15
    for image in (classes.T, classes[::-1], classes[:, ::-1], np.rot90(classes)):
        assert (image == classes).all()
    assert np.bincount(classes.ravel()).max() == 8
    oblong = symmetry_classes(6, 9)
    assert len(np.unique(oblong)) == 15 and (oblong == oblong[::-1, ::-1]).all() and (oblong == oblong[::-1]).all()


def test_vectors_are_heights():
    flat, plateau = world_vectors([World.from_text(FLAT), World.from_text(PLATEAU)])
    assert not flat.any() and plateau.shape == (25,)
    assert plateau.reshape(5, 5)[2].tolist() == [0.2, 0.2, 0.2, 0.1, 0.0] and plateau.reshape(5, 5)[1, 0] == 0.1


def test_gradient_is_that_of_the_loss():
    rng = np.random.default_rng(1)
    weights, centre, bias = rng.normal(size=(2, 4)), rng.normal(size=2), 0.3
    vectors, properties = rng.normal(size=(7, 4)), rng.normal(size=7)
    by_weights, by_centre, by_bias, _ = loss_gradient(weights, centre, bias, vectors, properties)

    def loss(weights=weights, centre=centre, bias=bias) -> float:
        return loss_gradient(weights, centre, bias, vectors, properties)[3]

    step = 1e-6
    for index in np.ndindex(2, 4):
        change = step * (np.arange(8).reshape(2, 4) == np.ravel_multi_index(index, (2, 4)))
        slope = (loss(weights=weights + change) - loss(weights=weights - change)) / (2 * step)
        assert by_weights[index] == pytest.approx(slope, abs=1e-6)
    for index in range(2):
        change = step * np.eye(2)[index]
        slope = (loss(centre=centre + change) - loss(centre=centre - change)) / (2 * step)
        assert by_centre[index] == pytest.approx(slope, abs=1e-6)
    assert by_bias == pytest.approx((loss(bias=bias + step) - loss(bias=bias - step)) / (2 * step), abs=1e-6)


def test_a_planted_property_is_found():
    """Distances from a point under a hidden symmetric map are learned, on worlds not fitted to as well."""
    rng = np.random.default_rng(2)
    classes = symmetry_classes(9, 9)
    hidden = rng.uniform(-1, 1, (2, 15))[:, classes].reshape(2, -1) / 10
    offsets = world_vectors(WORLDS) @ hidden.T - np.array([0.3, -0.2])
    properties = np.linalg.norm(offsets, axis=1)
    projection = fit_projection(WORLDS[:45], properties[:45], rng, iterations=6_000)
    assert projection.loss < 0.05 * properties.var()
    distances = np.linalg.norm(projection.project(WORLDS[45:]) - projection.centre, axis=1)
    errors = distances - np.abs(properties[45:] - projection.bias)
    assert np.mean(errors**2) < 0.5 * properties.var()


def test_weights_are_symmetric_and_entropy_is_fitted():
    properties = np.array([renyi_entropy(shortest_path_distribution(world)) for world in WORLDS])
    projection = fit_projection(WORLDS, properties, np.random.default_rng(3), iterations=2_000)
    assert projection.weights.shape == (2, 9, 9) and projection.project(WORLDS).shape == (60, 2)
    for image in (projection.weights.transpose(0, 2, 1), projection.weights[:, ::-1], projection.weights[:, :, ::-1]):
        assert np.array_equal(image, projection.weights)
    assert len(np.unique(projection.weights[0])) == 15
    distances = np.linalg.norm(projection.project(WORLDS) - projection.centre, axis=1)
    assert np.mean((distances - np.abs(properties - projection.bias)) ** 2) == pytest.approx(projection.loss)
    assert projection.loss < properties.var()


def test_bad_arguments_are_refused():
    with pytest.raises(InvalidTaskError, match=r"properties' shape is \(2,\), expected \(1,\), one for each world"):
        fit_projection(WORLDS[:1], np.zeros(2), np.random.default_rng(0))
    with pytest.raises(InvalidTaskError, match=r"shape of a world is \(5, 5\), expected that of the first, \(9, 9\)"):
        world_vectors([WORLDS[0], World.from_text(FLAT)])
