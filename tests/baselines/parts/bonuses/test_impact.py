import numpy as np
import pytest
import torch

from procgen_bench.baselines.parts.bonuses.curiosity import Curiosity
from procgen_bench.baselines.parts.bonuses.impact import Impact
from procgen_bench.baselines.parts.bonuses.learned_bonus import tensors_of
from tests.baselines.parts.bonuses.worlds import (
    CHOICES,
    PLANE,
    PUSHES,
    SETTINGS,
    PlaceEncoder,
    Transitions,
    assert_resumes,
    states_of,
    transitions,
)

ACTIONS = pytest.mark.parametrize("actions", [PUSHES, CHOICES], ids=["pushes", "choices"])


def make(actions) -> Impact:
    torch.manual_seed(0)
    return Impact(PLANE, actions, PlaceEncoder, SETTINGS)


@ACTIONS
def test_the_bonus_is_the_distance_of_the_features(actions):
    impact, seen = make(actions), transitions(actions, 0, 10)
    before = states_of(impact)
    bonus = impact.bonus(*seen)
    with torch.no_grad():
        old, new = (impact.network["encoder"](tensors_of(side)).numpy() for side in (seen.before, seen.after))
    assert bonus == pytest.approx(np.linalg.norm(new - old, axis=1), abs=1e-5)
    assert bonus.dtype == np.float64 and np.all(bonus >= 0)
    after = states_of(impact)
    assert all(np.array_equal(before[name], after[name]) for name in before), "a bonus trained the module"


@ACTIONS
def test_what_changes_nothing_is_worth_nothing(actions):
    impact, seen = make(actions), transitions(actions, 0, 10)
    still = Transitions(seen.before, seen.actions, seen.before)
    for _ in range(10):
        impact.learn(*seen)
    assert np.all(impact.bonus(*still) == 0)
    assert np.all(impact.bonus(*seen) > 0)


@ACTIONS
def test_both_models_teach_the_features_the_forward_one_a_hundred_times_as_much(actions):
    impact, seen = make(actions), transitions(actions, 0, 10)
    before, after = (tensors_of(side) for side in (seen.before, seen.after))
    losses = impact.losses(before, torch.as_tensor(seen.actions), after)
    curious = Curiosity.losses(impact, before, torch.as_tensor(seen.actions), after)
    assert losses["inverse_loss"].item() == pytest.approx(0.1 * curious["inverse_loss"].item())
    weights = list(impact.network["encoder"].parameters())
    gradients = torch.autograd.grad(losses["forward_loss"], weights)
    assert all(gradient.abs().max() > 0 for gradient in gradients)


def test_a_restored_module_goes_on():
    assert_resumes(lambda: make(CHOICES), transitions(CHOICES, 0, 10))


@ACTIONS
def test_the_forward_loss_is_ten_times_the_mean_distance_and_moves_both_features(actions):
    impact, seen = make(actions), transitions(actions, 0, 10)
    before, after, acted = tensors_of(seen.before), tensors_of(seen.after), torch.as_tensor(seen.actions)
    encoder = impact.network["encoder"]
    taken = torch.nn.functional.one_hot(acted, 4).float() if actions is CHOICES else acted / torch.tensor([1, 3])
    predicted = impact.network["forward_model"](torch.cat([encoder(before), taken], dim=1))
    expected = 10 * (predicted - encoder(after)).square().sum(dim=1).sqrt().mean()
    loss = impact.losses(before, acted, after)["forward_loss"]
    assert loss.item() == pytest.approx(expected.item(), rel=1e-4)
    weights = list(encoder.parameters())
    pairs = zip(torch.autograd.grad(loss, weights), torch.autograd.grad(expected, weights), strict=True)
    assert all(torch.allclose(own, other, rtol=1e-3, atol=1e-5) for own, other in pairs)
