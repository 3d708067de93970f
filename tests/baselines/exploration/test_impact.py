import numpy as np
import pytest
import torch

from procgen_bench.baselines.exploration.impact import Impact
from procgen_bench.baselines.exploration.learned_bonus import tensors_of
from tests.baselines.exploration.worlds import (
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
def test_the_bonus_is_the_distance_of_unit_features(actions):
    impact, seen = make(actions), transitions(actions, 0, 10)
    before = states_of(impact)
    bonus = impact.bonus(*seen)
    with torch.no_grad():
        old, new = (impact.network["encoder"](tensors_of(side)).numpy() for side in (seen.before, seen.after))
    old, new = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in (old, new))
    assert bonus == pytest.approx(np.linalg.norm(new - old, axis=1), abs=1e-5)
    assert bonus.dtype == np.float64 and np.all((bonus >= 0) & (bonus <= 2))
    after = states_of(impact)
    assert all(np.array_equal(before[name], after[name]) for name in before), "a bonus taught the module"


@ACTIONS
def test_what_changes_nothing_is_worth_nothing_and_what_is_known_keeps_its_worth(actions):
    impact, seen = make(actions), transitions(actions, 0, 10)
    still = Transitions(seen.before, seen.actions, seen.before)
    for _ in range(10):
        impact.learn(*seen)
    assert np.all(impact.bonus(*still) == 0)
    assert impact.bonus(*seen).mean() > 0.1


def test_a_restored_module_goes_on():
    assert_resumes(lambda: make(CHOICES), transitions(CHOICES, 0, 10))
