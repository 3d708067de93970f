import numpy as np
import pytest
import torch
from gymnasium import spaces

from procgen_bench.baselines.parts.bonuses.distillation import CLIP, Distillation
from procgen_bench.baselines.parts.bonuses.learned_bonus import LearnedBonus
from tests.baselines.parts.bonuses.worlds import (
    CHOICES,
    PLANE,
    SETTINGS,
    PlaceEncoder,
    Transitions,
    assert_resumes,
    states_of,
    transitions,
)


def make(seed: int = 0) -> Distillation:
    torch.manual_seed(seed)
    return Distillation(PLANE, PlaceEncoder, SETTINGS)


def test_what_was_learned_is_less_new_than_what_was_not():
    distillation = make()
    known, unknown = transitions(CHOICES, 0, 3), transitions(CHOICES, 7, 10)
    first = distillation.bonus(*known).mean()
    losses = [distillation.learn(*known)["distillation_loss"] for _ in range(60)]
    assert distillation.bonus(*known).mean() < 0.05 * first
    assert distillation.bonus(*unknown).mean() > 10 * distillation.bonus(*known).mean()
    assert losses[-1] < 0.05 * losses[0]


def test_the_target_stays_and_the_predictor_learns():
    distillation = make()
    before = states_of(distillation)
    distillation.learn(*transitions(CHOICES, 0, 10))
    after = states_of(distillation)
    weights = [name for name in before if name.startswith("network.")]
    changed = {name for name in weights if not np.array_equal(before[name], after[name])}
    assert changed == {name for name in weights if name.startswith("network.predictor.")}
    assert len(changed) == 6


def test_the_bonus_is_the_error_on_whitened_next_observations():
    distillation = make()
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
    distillation = make()
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
        distillation = make()
        for _ in range(learned):
            distillation.learn(*batch)
        bonuses.append(distillation.bonus(*batch))
    assert bonuses[0] == pytest.approx(bonuses[1], rel=0.02, abs=1e-4)


def test_what_never_changed_is_not_blown_up():
    distillation = make()
    still = transitions(CHOICES, 0, 10)
    still.after["place"][:] = 4.0
    distillation.learn(*still)
    moved = {"place": still.after["place"] + np.float32(1e-4)}
    assert distillation.bonus(still.before, still.actions, moved) == pytest.approx(
        distillation.bonus(*still), rel=0.5, abs=0.01
    )


def test_a_restored_module_goes_on():
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
    distillation, learned = make(), []
    monkeypatch.setattr(LearnedBonus, "learn", lambda self, before, acted, after: learned.append(after["place"]) or {})
    parts = [transitions(CHOICES, 0, 3), transitions(CHOICES, 3, 10, seed=1)]
    for part in parts:
        distillation.learn(*part)
    every = np.concatenate([part.after["place"] for part in parts]).astype(np.float64)
    assert learned[1] == pytest.approx((parts[1].after["place"] - every.mean(axis=0)) / every.std(axis=0), abs=1e-5)
