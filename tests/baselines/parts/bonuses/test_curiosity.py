import dataclasses

import numpy as np
import pytest
import torch
from gymnasium import spaces

from procgen_bench.baselines.parts.bonuses.curiosity import Curiosity
from procgen_bench.baselines.parts.bonuses.distillation import CLIP, Distillation
from procgen_bench.baselines.parts.bonuses.learned_bonus import LearnedBonus, tensors_of
from procgen_bench.baselines.parts.bonuses.predicted_actions import predicted_actions
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


def make(actions, settings=SETTINGS) -> Curiosity:
    return Curiosity(PLANE, actions, PlaceEncoder, settings)


@ACTIONS
def test_what_was_learned_is_less_new_than_what_was_not(actions):
    torch.manual_seed(0)
    curiosity = make(actions)
    known, unknown = transitions(actions, 0, 3), transitions(actions, 7, 10)
    first = curiosity.bonus(*known).mean()
    losses = [curiosity.learn(*known) for _ in range(60)]
    assert curiosity.bonus(*known).mean() < 0.1 * first
    assert curiosity.bonus(*unknown).mean() > 3 * curiosity.bonus(*known).mean()
    assert losses[-1]["inverse_loss"] < 0.7 * losses[0]["inverse_loss"]
    assert losses[-1]["forward_loss"] < 0.1 * losses[0]["forward_loss"]


@ACTIONS
def test_the_bonus_is_the_mean_squared_error_of_unit_features(actions):
    torch.manual_seed(0)
    curiosity = make(actions)
    seen = transitions(actions, 0, 10)
    before = states_of(curiosity)
    bonus = curiosity.bonus(*seen)
    parts = curiosity.network
    with torch.no_grad():
        old, new = (parts["encoder"](tensors_of(side)).numpy() for side in (seen.before, seen.after))
        old, new = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in (old, new))
        acted = np.eye(4)[seen.actions] if actions is CHOICES else seen.actions / [1, 3]
        joined = np.concatenate([old, acted], axis=1).astype(np.float32)
        predicted = parts["forward_model"](torch.as_tensor(joined)).numpy()
    predicted /= np.linalg.norm(predicted, axis=1, keepdims=True)
    assert bonus == pytest.approx(((predicted - new) ** 2).mean(axis=1), abs=1e-6)
    losses = curiosity.losses(tensors_of(seen.before), torch.as_tensor(seen.actions), tensors_of(seen.after))
    assert losses["forward_loss"].item() == pytest.approx(bonus.mean(), rel=1e-4)
    assert bonus.dtype == np.float64
    assert np.all((bonus >= 0) & (bonus <= 4 / new.shape[1]))
    after = states_of(curiosity)
    assert all(np.array_equal(before[name], after[name]) for name in before), "a bonus trained the module"


@ACTIONS
def test_only_the_inverse_model_teaches_the_encoder(actions):
    torch.manual_seed(0)
    curiosity = make(actions)
    before, acted, after = transitions(actions, 0, 10)
    losses = curiosity.losses(tensors_of(before), torch.as_tensor(acted), tensors_of(after))
    losses["forward_loss"].backward()
    encoder = list(curiosity.network["encoder"].parameters())
    assert all(weight.grad is None for weight in encoder)
    assert all(weight.grad.abs().sum() > 0 for weight in curiosity.network["forward_model"].parameters())
    losses["inverse_loss"].backward()
    assert all(weight.grad.abs().sum() > 0 for weight in encoder)


@ACTIONS
def test_a_restored_module_goes_on(actions):
    settings = dataclasses.replace(SETTINGS, learning_rate_decay=0.5)
    assert_resumes(lambda: make(actions, settings), transitions(actions, 0, 10))


def test_the_learning_rate_decays_once_a_call():
    curiosity = make(CHOICES, dataclasses.replace(SETTINGS, learning_rate_decay=0.5))
    for _ in range(3):
        curiosity.learn(*transitions(CHOICES, 0, 10))
    assert curiosity.state()[1] == {"learning_rate": 1e-3 / 8}


def test_small_gradients_take_small_steps():
    torch.manual_seed(0)
    settings = dataclasses.replace(SETTINGS, epochs=1, minibatches=1, learning_rate=0.1, adam_epsilon=1e-3)
    curiosity = make(CHOICES, settings)
    before = [weight.detach().clone() for weight in curiosity.network.parameters()]
    curiosity.learn(*transitions(CHOICES, 0, 10))
    for weight, then in zip(curiosity.network.parameters(), before):
        assert torch.allclose(
            then - weight, 0.1 * weight.grad / (weight.grad.abs() + 1e-3 / (1 - 0.999) ** 0.5), atol=1e-5
        )


@pytest.mark.parametrize(
    "space",
    [spaces.MultiBinary(3), spaces.Discrete(3, start=1), spaces.Box(-np.inf, np.inf, (2,)), spaces.Box(0, 1, (2, 2))],
)
def test_actions_that_cannot_be_predicted_are_refused(space):
    with pytest.raises(ValueError, match="there is no inverse model over"):
        predicted_actions(space)


def test_weights_follow_torchs_generator():
    torch.manual_seed(5)
    first = states_of(make(PUSHES))
    torch.manual_seed(5)
    second = states_of(make(PUSHES))
    other = states_of(make(PUSHES))
    assert all(np.array_equal(first[name], second[name]) for name in first)
    assert not np.array_equal(first["network.inverse_model.0.weight"], other["network.inverse_model.0.weight"])


def make_distillation(seed: int = 0) -> Distillation:
    torch.manual_seed(seed)
    return Distillation(PLANE, PlaceEncoder, SETTINGS)


def test_what_was_distilled_is_less_new_than_what_was_not():
    distillation = make_distillation()
    known, unknown = transitions(CHOICES, 0, 3), transitions(CHOICES, 7, 10)
    first = distillation.bonus(*known).mean()
    losses = [distillation.learn(*known)["distillation_loss"] for _ in range(60)]
    assert distillation.bonus(*known).mean() < 0.05 * first
    assert distillation.bonus(*unknown).mean() > 10 * distillation.bonus(*known).mean()
    assert losses[-1] < 0.05 * losses[0]


def test_the_target_stays_and_the_predictor_learns():
    distillation = make_distillation()
    before = states_of(distillation)
    distillation.learn(*transitions(CHOICES, 0, 10))
    after = states_of(distillation)
    weights = [name for name in before if name.startswith("network.")]
    changed = {name for name in weights if not np.array_equal(before[name], after[name])}
    assert changed == {name for name in weights if name.startswith("network.predictor.")}
    assert len(changed) == 6


def test_the_bonus_is_the_error_on_whitened_next_observations():
    distillation = make_distillation()
    first, second = transitions(CHOICES, 0, 3), transitions(CHOICES, 3, 30, seed=1)
    distillation.learn(*first)
    before = states_of(distillation)
    bonus = distillation.bonus(*second)
    seen = first.after["place"].astype(np.float64)
    whitened = np.clip((second.after["place"] - seen.mean(axis=0)) / seen.std(axis=0), -CLIP, CLIP)
    assert np.abs(whitened).max() == CLIP, "nothing was clipped"
    tensors = {"place": torch.as_tensor(whitened, dtype=torch.float32)}
    with torch.no_grad():
        target, predicted = (distillation.network[name](tensors).numpy() for name in ("target", "predictor"))
    assert bonus == pytest.approx(((target - predicted) ** 2).mean(axis=1), rel=1e-4)
    assert all(np.array_equal(before[name], array) for name, array in states_of(distillation).items())


def test_moments_are_of_all_that_was_learned():
    distillation = make_distillation()
    parts = [transitions(CHOICES, 0, 3), transitions(CHOICES, 3, 10, count=100, seed=1)]
    for part in parts:
        distillation.learn(*part)
    arrays, _ = distillation.state()
    seen = np.concatenate([part.after["place"] for part in parts]).astype(np.float64)
    assert arrays["moments.place.count"] == 356
    assert arrays["moments.place.mean"] == pytest.approx(seen.mean(axis=0))
    assert arrays["moments.place.variance"] == pytest.approx(seen.var(axis=0))


@pytest.mark.parametrize("learned", [0, 3])
def test_neither_origin_nor_unit_of_the_observations_matters(learned):
    """From the first bonus on, which is whitened by the first observations themselves."""
    seen = transitions(CHOICES, 0, 10)
    moved = Transitions(seen.before, seen.actions, {"place": seen.after["place"] * np.float32(64) + 1024})
    bonuses = []
    for batch in (seen, moved):
        distillation = make_distillation()
        for _ in range(learned):
            distillation.learn(*batch)
        bonuses.append(distillation.bonus(*batch))
    assert bonuses[0] == pytest.approx(bonuses[1], rel=0.02, abs=1e-4)


def test_what_never_changed_is_not_blown_up():
    distillation = make_distillation()
    still = transitions(CHOICES, 0, 10)
    still.after["place"][:] = 4.0
    distillation.learn(*still)
    moved = {"place": still.after["place"] + np.float32(1e-4)}
    assert distillation.bonus(still.before, still.actions, moved) == pytest.approx(
        distillation.bonus(*still), rel=0.5, abs=0.01
    )


def test_a_restored_distillation_goes_on():
    assert_resumes(lambda: Distillation(PLANE, PlaceEncoder, SETTINGS), transitions(CHOICES, 0, 10))


def test_encoders_that_scale_what_they_read_read_it_as_it_is():
    torch.manual_seed(0)
    space = spaces.Dict({"place": spaces.Box(0, 10, (2,), np.float32)})
    distillation = Distillation(space, PlaceEncoder, SETTINGS, whiten=False)
    seen = transitions(CHOICES, 0, 10)
    distillation.learn(*seen)
    tensors = {"place": torch.as_tensor(seen.after["place"])}
    with torch.no_grad():
        target, predicted = (distillation.network[name](tensors).numpy() for name in ("target", "predictor"))
    assert distillation.bonus(*seen) == pytest.approx(((target - predicted) ** 2).mean(axis=1), rel=1e-4)
    assert distillation.network["target"][0].scale == 10
    assert not any(name.startswith("moments") for name in distillation.state()[0])


def test_encoders_are_made_for_whitened_observations():
    space = spaces.Dict({"place": spaces.Box(0, 1, (2,), np.float32)})
    distillation = Distillation(space, PlaceEncoder, SETTINGS)
    assert [distillation.network[name][0].scale for name in ("target", "predictor")] == [CLIP, CLIP]


def test_the_predictor_learns_of_observations_whitened_by_moments_that_know_them(monkeypatch):
    distillation, learned = make_distillation(), []
    monkeypatch.setattr(LearnedBonus, "learn", lambda self, before, acted, after: learned.append(after["place"]) or {})
    parts = [transitions(CHOICES, 0, 3), transitions(CHOICES, 3, 10, seed=1)]
    for part in parts:
        distillation.learn(*part)
    every = np.concatenate([part.after["place"] for part in parts]).astype(np.float64)
    assert learned[1] == pytest.approx((parts[1].after["place"] - every.mean(axis=0)) / every.std(axis=0), abs=1e-5)
