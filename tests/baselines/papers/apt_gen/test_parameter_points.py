"""Points of parameters: what a generator's logits say, how gradients go back to them, and what is tried of them."""

import numpy as np
import pytest

from procgen_bench.baselines.papers.apt_gen.parameter_points import ParameterPoints
from procgen_bench.core.registrations import make_task_space

torch = pytest.importorskip("torch")

from procgen_bench.baselines.papers.apt_gen.generated_parameters import Generator  # noqa: E402

ENVIRONMENTS = ["GridWorld-v0", "TablePush-v0", "CompositionalMiniGrid-v0", "GMiniWoB-v0", "VoxelBuild-v0"]


def of_choices(space, points):
    """By name of a leaf that is choices, (n, choices, categories)."""
    leaves = ParameterPoints(space).by_leaf(points)
    return {name: leaves[name].reshape(len(points), -1, space.space[name].shape[-1]) for name in space.choices}


@pytest.mark.parametrize("environment_id", ENVIRONMENTS)
def test_generated_points_are_probabilities_of_choices_and_numbers_in_bounds(environment_id):
    space = make_task_space(environment_id)
    own = ParameterPoints(space)
    points = own.from_logits(Generator(space, 4)({"noise": torch.randn(3, 4)}).detach().numpy())
    assert points.shape == (3, space.flat_space.shape[0]) and ((points >= 0) & (points <= 1)).all()
    for chances in of_choices(space, points).values():
        np.testing.assert_allclose(chances.sum(axis=2), 1, atol=1e-5)
    tried = own.tried(points, 0.1, np.random.default_rng(0))
    assert ((tried >= 0) & (tried <= 1)).all()
    for made in of_choices(space, tried).values():
        assert ((made == 1).sum(axis=2) == 1).all() and ((made == 0) | (made == 1)).all()


@pytest.mark.parametrize("sharpness", [1.0, 3.0])
@pytest.mark.parametrize("environment_id", ENVIRONMENTS)
def test_gradients_of_logits_are_those_of_what_points_give(environment_id, sharpness):
    space, rng = make_task_space(environment_id), np.random.default_rng(0)
    own = ParameterPoints(space, sharpness)
    logits, weights, direction = rng.normal(0, 1, (3, 2, own.size))
    gradients = own.logit_gradients(weights, own.from_logits(logits))
    after, before = ((weights * own.from_logits(logits + way * direction)).sum(axis=1) for way in (1e-5, -1e-5))
    np.testing.assert_allclose((gradients * direction).sum(axis=1), (after - before) / 2e-5, rtol=1e-6)


@pytest.mark.parametrize("sharpness", [1.0, 3.0])
@pytest.mark.parametrize("environment_id", ENVIRONMENTS)
def test_unevenness_grows_as_the_divergence_of_even_chances_does(environment_id, sharpness):
    space, rng = make_task_space(environment_id), np.random.default_rng(0)
    own = ParameterPoints(space, sharpness)

    def divergence(logits):
        """KL(even || points), of choices by their categories, of numbers by the two ends of their range."""
        points = own.from_logits(logits)
        numbers = np.ones(own.size, bool)
        total = np.zeros(len(points))
        for columns, shape in own._groups(len(points)):
            numbers[columns] = False
            total -= np.log(points[:, columns].reshape(shape)).mean(axis=2).sum(axis=1)
        return total - (np.log(points) + np.log(1 - points))[:, numbers].sum(axis=1) / 2

    logits, direction = rng.normal(0, 1, (2, 2, own.size))
    after, before = (divergence(logits + way * direction) for way in (1e-5, -1e-5))
    grown = (own.unevenness(own.from_logits(logits)) * direction).sum(axis=1)
    np.testing.assert_allclose(grown, (after - before) / 2e-5, rtol=1e-6)


def test_choices_are_made_by_their_probabilities_and_numbers_spread():
    space = make_task_space("GridWorld-v0")
    own, shares = ParameterPoints(space), np.array([0.2, 0.5, 0.3])
    leaves = {"tiles": np.tile(shares, 64), "coordinates": np.full(10, 0.5)}
    point = np.concatenate([leaves[name] for name in space.space]).astype(np.float32)
    tried = own.tried(np.tile(point, (1_000, 1)), 0.03, np.random.default_rng(0))
    assert own.by_leaf(tried)["coordinates"].std() == pytest.approx(0.03, rel=0.1)
    np.testing.assert_allclose(of_choices(space, tried)["tiles"].mean(axis=(0, 1)), shares, atol=0.01)
