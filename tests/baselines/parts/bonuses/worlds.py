"""Small worlds for bonuses: a plane that actions push a point over, and a ring that choices turn."""

from dataclasses import dataclass

import numpy as np
import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.baselines.parts.bonuses.learned_bonus import LearningSettings
from procgen_bench.baselines.policies.tensors import Encoder

SETTINGS = LearningSettings(learning_rate=1e-3, learning_rate_decay=1.0, epochs=4, minibatches=4)
PLANE = spaces.Dict({"place": spaces.Box(0, 10, (2,), np.float32)})


class PlaceEncoder(Encoder):
    """Places through one dense layer, scaled by their bounds."""

    features = 32

    def __init__(self, space: spaces.Dict):
        super().__init__()
        leaf = space["place"]
        self.scale = float(leaf.high[0])
        self.layers = nn.Sequential(nn.Linear(leaf.shape[0], 32), nn.ReLU())

    def forward(self, observations):
        return self.layers(observations["place"] / self.scale)


@dataclass
class Transitions:
    """Arguments of ``bonus`` and of ``learn``."""

    before: dict[str, np.ndarray]
    actions: np.ndarray
    after: dict[str, np.ndarray]

    def __iter__(self):
        return iter((self.before, self.actions, self.after))


PUSHES, CHOICES = spaces.Box(np.array([-1, -3], np.float32), np.array([1, 3], np.float32)), spaces.Discrete(4)
_STEPS = np.array([[1, 0], [-1, 0], [0, 1], [0, -1]], np.float32)


def transitions(action_space, low: float, high: float, count: int = 256, seed: int = 0) -> Transitions:
    """Pushes of places whose x lies between ``low`` and ``high``."""
    rng = np.random.default_rng(seed)
    before = rng.uniform([low, 0], [high, 10], (count, 2)).astype(np.float32)
    if isinstance(action_space, spaces.Discrete):
        actions = rng.integers(action_space.n, size=count)
        pushes = _STEPS[actions]
    else:
        actions = pushes = rng.uniform(action_space.low, action_space.high, (count, 2)).astype(np.float32)
    return Transitions({"place": before}, actions, {"place": before + pushes})


def states_of(learner) -> dict[str, np.ndarray]:
    """Arrays and values of a learner's state, as one dict."""
    arrays, values = learner.state()
    return arrays | {name: np.array(value) for name, value in values.items()}


def assert_resumes(make, others) -> None:
    """A fresh learner that was restored goes on as the one whose state it got."""
    torch.manual_seed(1)
    learner = make()
    learner.learn(*others)
    arrays, values = learner.state()
    kept = {name: array.copy() for name, array in arrays.items()}
    torch.manual_seed(2)
    learner.learn(*others)
    assert all(np.array_equal(arrays[name], kept[name]) for name in kept), "the state is no copy"
    torch.manual_seed(3)
    other = make()
    other.restore(arrays, values)
    torch.manual_seed(2)
    other.learn(*others)
    first, second = states_of(learner), states_of(other)
    assert first.keys() == second.keys()
    assert all(np.array_equal(first[name], second[name]) for name in first)
    assert np.array_equal(learner.bonus(*others), other.bonus(*others))
    assert any(not np.array_equal(first[name], kept[name]) for name in kept), "nothing was learned"
