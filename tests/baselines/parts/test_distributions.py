"""Distributions over actions, against scipy."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from gymnasium import spaces
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, special, stats
from torch.distributions import Beta, Categorical, kl_divergence

from procgen_bench.baselines.parts.distributions import (
    NOISE_PER_DRAW,
    BoundedActions,
    DiscreteActions,
    MultiDiscreteActions,
    actions_of,
    beta_draws,
)

LOW, HIGH = np.array([-0.95, 2.0], np.float32), np.array([0.95, 2.5], np.float32)
BOUNDED = BoundedActions(spaces.Box(LOW, HIGH))
OUTPUTS = st.lists(st.floats(-30, 30, width=32), min_size=4, max_size=4)


def concentrations(outputs):
    """Alphas and betas of the Beta distributions: 1.05 + log(1 + exp(output))."""
    values = 1.05 + np.logaddexp(0, np.asarray(outputs, np.float64))
    return values[:2], values[2:]


def noise(actions, count, seed=0):
    return torch.as_tensor(np.random.default_rng(seed).random((count, actions.noise_width), np.float32))


def rows(outputs, count):
    return torch.as_tensor([outputs], dtype=torch.float32).repeat(count, 1)


@given(OUTPUTS, st.integers(0, 2**32 - 1))
def test_actions_stay_inside_of_their_range(outputs, seed):
    drawn = BOUNDED.play(rows(outputs, 200), noise(BOUNDED, 200, seed))
    for actions in (drawn.numpy(), BOUNDED.play(rows(outputs, 1), None).numpy()):
        assert actions.dtype == np.float32
        assert np.all((actions >= LOW) & (actions <= HIGH))
    assert torch.isfinite(BOUNDED.evaluate(rows(outputs, 200), drawn)[0]).all()


@given(OUTPUTS, st.tuples(st.floats(0.01, 0.99), st.floats(0.01, 0.99)))
def test_log_probabilities_and_entropies_are_those_of_scipy(outputs, shares):
    actions = (LOW + np.array(shares) * (HIGH - LOW)).astype(np.float32)
    found, entropies = BOUNDED.evaluate(rows(outputs, 1), torch.as_tensor(actions)[None])
    kept = (actions.astype(np.float64) - LOW) / (HIGH.astype(np.float64) - LOW)
    alphas, betas = concentrations(outputs)
    assert found.item() == pytest.approx(stats.beta.logpdf(kept, alphas, betas).sum(), rel=1e-3, abs=2e-3)
    assert entropies.item() == pytest.approx(stats.beta.entropy(alphas, betas).mean(), rel=1e-3, abs=1e-3)


@given(OUTPUTS)
def test_the_divergence_of_the_uniform_distribution_is_that_of_torch(outputs):
    own, uniform = BOUNDED.distribution(rows(outputs, 1)), Beta(torch.ones(1, 2), torch.ones(1, 2))
    apart = kl_divergence(uniform, own).mean(dim=1)
    assert BOUNDED.from_uniform(rows(outputs, 1)).item() == pytest.approx(apart.item(), rel=1e-3, abs=1e-3)
    several, ends = MultiDiscreteActions(spaces.MultiDiscrete([3, 2])), (0, 3, 5)
    given_outputs = rows([*outputs, 1.0], 1)
    parts = [
        kl_divergence(Categorical(torch.ones(1, end - first)), Categorical(logits=given_outputs[:, first:end]))
        for first, end in pairwise(ends)
    ]
    assert several.from_uniform(given_outputs).item() == pytest.approx(sum(parts).item(), rel=1e-3, abs=1e-3)


def test_the_uniform_distribution_is_over_what_is_not_masked():
    given_outputs = torch.tensor([[2.0, -1e9, 0.5], [1.0, -1e9, -1e9]])
    alone = DiscreteActions(spaces.Discrete(2)).from_uniform(torch.tensor([[2.0, 0.5]]))
    assert DiscreteActions(spaces.Discrete(3)).from_uniform(given_outputs).tolist() == [alone.item(), 0.0]


@pytest.mark.parametrize("outputs", [[0.0, 0.0], [-5.0, 2.0], [6.0, -1.0], [8.0, 8.0]])
def test_probabilities_integrate_to_one_over_the_shares_of_the_range(outputs):
    one = BoundedActions(spaces.Box(LOW[:1], HIGH[:1]))
    shares = np.linspace(0, 1, 20_001)
    actions = torch.as_tensor(LOW[0] + shares * (HIGH[0] - LOW[0]), dtype=torch.float32)[:, None]
    densities = one.evaluate(rows(outputs, len(shares)), actions)[0].double().exp().numpy()
    assert integrate.trapezoid(densities, shares) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("outputs", [[0.0, 1.0, 0.0, -3.0], [-4.0, 3.0, 2.0, 0.5], [-30.0, 300.0, -30.0, 5.0]])
def test_draws_are_beta_distributed(outputs):
    drawn = BOUNDED.play(rows(outputs, 4_000), noise(BOUNDED, 4_000)).numpy()
    alphas, betas = concentrations(outputs)
    shares = (drawn - LOW) / (HIGH - LOW)
    for axis in range(2):
        assert stats.kstest(shares[:, axis], stats.beta(alphas[axis], betas[axis]).cdf).pvalue > 1e-3
    mean = LOW + alphas / (alphas + betas) * (HIGH - LOW)
    assert BOUNDED.play(rows(outputs, 1), None)[0].numpy() == pytest.approx(mean, abs=1e-5)


def test_one_of_the_candidates_is_accepted():
    """If none were in both halves of a draw, its share would be just 1/2; of one candidate, one in twenty is not."""
    shapes, uniform = torch.full((8_000, 1), 1.05), np.random.default_rng(0).random((8_000, NOISE_PER_DRAW), np.float32)
    draws = beta_draws(shapes, shapes, torch.as_tensor(uniform))
    assert not (draws == 0.5).any() and draws.mean().item() == pytest.approx(0.5, abs=0.01)


def test_the_ends_of_the_range_have_a_finite_probability():
    log_probabilities = BOUNDED.evaluate(rows([3.0, 3.0, 3.0, 3.0], 2), torch.as_tensor(np.stack([LOW, HIGH])))[0]
    assert torch.isfinite(log_probabilities).all()


@given(st.lists(st.floats(-20, 20, width=32), min_size=9, max_size=9))
def test_choices_are_a_softmax(logits):
    choices = DiscreteActions(spaces.Discrete(9))
    expected = special.log_softmax(np.asarray(logits, np.float64))
    for shape in ((9,), (9, 1)):
        found, entropies = choices.evaluate(rows(logits, 9), torch.arange(9).reshape(shape))
        assert found.numpy() == pytest.approx(expected, rel=1e-4, abs=1e-4)
    assert entropies[0].item() == pytest.approx(special.entr(np.exp(expected)).sum(), abs=1e-4)
    assert expected[choices.play(rows(logits, 1), None)[0]] == pytest.approx(expected.max(), abs=1e-5)


def test_choices_are_drawn_by_their_probabilities():
    logits = [0.0, 1.0, -1.0, 2.0]
    choices = DiscreteActions(spaces.Discrete(4))
    drawn = choices.play(rows(logits, 4_000), noise(choices, 4_000)).numpy()
    expected = special.softmax(logits) * 4_000
    assert stats.chisquare(np.bincount(drawn, minlength=4), expected).pvalue > 1e-3


def test_a_choice_is_where_the_noise_falls_among_the_chances():
    choices, chances = DiscreteActions(spaces.Discrete(4)), [0.25, 0.0, 0.5, 0.25]
    outputs = torch.log(torch.tensor([chances])).repeat(6, 1)
    drawn = choices.play(outputs, torch.tensor([[0.0], [0.2499], [0.2501], [0.7499], [0.7501], [1 - 2**-24]]))
    assert drawn.tolist() == [0, 0, 2, 2, 3, 3]


def test_what_has_no_chance_is_never_drawn():
    """Nor by noise of just 0, which would fall on a first action without any: moves off the grid of bits are such."""
    outputs = torch.tensor([[-1e9, 0.0, -1e9, 0.0]]).repeat(4, 1)
    drawn = DiscreteActions(spaces.Discrete(4)).play(outputs, torch.tensor([[0.0], [0.25], [0.5], [1 - 2**-24]]))
    assert drawn.tolist() == [1, 1, 3, 3]


def test_choices_side_by_side_are_independent():
    """Chances multiply, entropies add up, and each is drawn by noise of its own."""
    together, parts = MultiDiscreteActions(spaces.MultiDiscrete([2, 3])), ([0.0, 1.0], [2.0, 0.0, -1.0])
    outputs, pairs = rows([*parts[0], *parts[1]], 6), np.argwhere(np.ones((2, 3)))
    first, second = (special.log_softmax(part) for part in parts)
    found, entropies = together.evaluate(outputs, torch.as_tensor(pairs))
    assert found.numpy() == pytest.approx(first[pairs[:, 0]] + second[pairs[:, 1]], abs=1e-5)
    expected = sum(special.entr(np.exp(logs)).sum() for logs in (first, second))
    assert entropies.numpy() == pytest.approx(np.full(6, expected), abs=1e-5)
    assert together.play(outputs[:1], None).tolist() == [[1, 0]]
    drawn = together.play(outputs[:4], torch.tensor([[0.0, 0.0], [0.0, 0.99], [0.99, 0.0], [0.99, 0.99]]))
    assert drawn.tolist() == [[0, 0], [0, 2], [1, 0], [1, 2]]


@pytest.mark.parametrize("end", [0.0, 1 - 2.0**-24])
def test_noise_at_its_ends_draws_numbers_of_the_range(end):
    outputs = torch.tensor([[-30.0, 30.0, 0.0, 80.0]])
    played = BOUNDED.play(outputs, torch.full((1, BOUNDED.noise_width), end))
    assert torch.isfinite(played).all()


@pytest.mark.parametrize(
    "space",
    [spaces.Box(-np.inf, 1, (2,)), spaces.Box(0, 1, (2, 2)), spaces.Discrete(3, start=1), spaces.MultiBinary(2)],
)
def test_spaces_without_a_distribution_are_refused(space):
    with pytest.raises(ValueError, match="there is no distribution over"):
        actions_of(space)
