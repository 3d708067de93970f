"""The sparse reward with a bonus for every step that explores."""

from typing import Any

import numpy as np
import torch
from gymnasium import spaces

from procgen_bench.baselines.papers.sibling_rivalry.episode_settings import EpisodicConfiguration
from procgen_bench.baselines.papers.sibling_rivalry.whole_episodes import Episodes, Labeller, Labels, Observations
from procgen_bench.baselines.parts.bonuses.learned_bonus import LearnedBonus, LearningSettings
from procgen_bench.baselines.parts.bonuses.running_moments import LEAST_DEVIATION, RunningMoments, discounted_sums
from procgen_bench.baselines.parts.goal_networks import goal_encoder
from procgen_bench.baselines.policies.arrays import below
from procgen_bench.baselines.policies.tensors import Encoder, array_leaves

#: What an environment shows of its state; the episode's goal is no part of it.
_STATE = ("observation", "achieved_goal")


class BonusRewards(Labeller):
    """Rewards success at the end of an episode, and every step by a bonus that learns from the episodes.

    Args:
        bonus: Finds how new steps are.
        weight: Factor of the bonuses, where success is rewarded by 1.
        discount: Discount factor of the sums.
        scaled: Whether bonuses are divided by the running standard deviation of their discounted sums first (Burda et
            al., 2018a and b).
    """

    def __init__(self, bonus: LearnedBonus, weight: float, discount: float, scaled: bool):
        self.bonus, self.weight, self.discount, self.scaled = bonus, weight, discount, scaled
        self._sums = RunningMoments()

    def label(self, episodes: Episodes) -> Labels:
        """Every episode is included; the bonuses are those before the bonus learned from these episodes."""
        played = episodes.played
        bonuses = np.zeros(played.shape)
        bonuses[played] = self.bonus.bonus(*_transitions(episodes, played))
        learned = played & episodes.train
        losses = self.bonus.learn(*_transitions(episodes, learned)) if learned.any() else {}
        self._sums = self._sums.updated(discounted_sums(bonuses, self.discount)[played])
        scale = max(float(self._sums.deviation), LEAST_DEVIATION) if self.scaled else 1.0
        return Labels(
            rewards=episodes.at_the_end(episodes.successes) + self.weight * bonuses / scale,
            included=np.ones(len(episodes.lengths), np.bool_),
            anti_goals=None,
            measures={"bonus": float(bonuses[played].mean()), "bonus_scale": scale, **losses},
        )

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """The bonus's state and the moments of its sums."""
        arrays, values = self.bonus.state()
        arrays = {f"bonus.{name}": array for name, array in arrays.items()}
        return arrays | {f"sums.{name}": array for name, array in self._sums.state().items()}, values

    def restore(self, arrays: dict[str, np.ndarray], values: dict[str, Any]) -> None:
        """Continue from what :meth:`state` returned."""
        self.bonus.restore(below(arrays, "bonus"), values)
        self._sums.restore(below(arrays, "sums"))


def _transitions(episodes: Episodes, chosen: np.ndarray) -> tuple[Observations, np.ndarray, Observations]:
    """States before the chosen steps (bool (T, N)), the actions, and the states after them."""
    before = {name: episodes.observed(name)[chosen] for name in _STATE}
    after = {name: episodes.next_observations(name)[chosen] for name in _STATE}
    return before, episodes.actions[chosen], after


class StateEncoder(Encoder):
    """The policy's network, with the goal that the state itself is in the place of the episode's.

    Args:
        state_space: ``observation`` and ``achieved_goal``.
    """

    def __init__(self, state_space: spaces.Dict):
        super().__init__()
        own_goal = {"observation": state_space["observation"], "desired_goal": state_space["achieved_goal"]}
        self.network = goal_encoder(spaces.Dict(own_goal), anti_goal=False)
        self.features = self.network.features

    def forward(self, state: dict[str, torch.Tensor]) -> torch.Tensor:
        """Dict of (n, ...) -> (n, features)."""
        return self.network({"observation": state["observation"], "desired_goal": state["achieved_goal"]})


def state_space(observation_space: spaces.Space) -> spaces.Dict:
    """The part of a goal environment's observation that is its state."""
    leaves = array_leaves(observation_space)
    return spaces.Dict({name: leaves[name] for name in _STATE})


def bonus_settings(configuration: EpisodicConfiguration, rate: float) -> LearningSettings:
    """How a bonus learns beside a policy: as often, with ``rate`` times its learning rate."""
    # The paper's figures are filled in.
    assert configuration.learning_rate_decay is not None and configuration.epochs is not None
    return LearningSettings(
        learning_rate=rate * configuration.learning_rate,
        learning_rate_decay=configuration.learning_rate_decay,
        epochs=configuration.epochs,
        minibatches=configuration.minibatches,
        adam_epsilon=configuration.adam_epsilon,
        precision=configuration.precision,
    )
