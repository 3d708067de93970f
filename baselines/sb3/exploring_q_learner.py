"""ExploringQLearner: Q-learning from the environment's rewards and intrinsic ones."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch
from gymnasium import spaces

from procgen_bench.baselines.parts.bonuses.dense_encoder import DenseEncoder
from procgen_bench.baselines.parts.bonuses.intrinsic_rewards import IntrinsicRewards
from procgen_bench.baselines.parts.bonuses.learned_bonus import LearnedBonus, LearningSettings, MakeEncoder
from procgen_bench.baselines.policies.arrays import Arrays, below
from procgen_bench.baselines.policies.tensors import Tensors, torch_seeded_from
from procgen_bench.baselines.sb3.exploring_configuration import ExploringConfiguration
from procgen_bench.baselines.sb3.q_learner import QLearner
from procgen_bench.baselines.training.rollouts import Rollout

#: Spaces of observations and of numbered actions, what makes encoders, and how the bonus learns -> the bonus.
MakeBonus = Callable[[spaces.Dict, spaces.Discrete, MakeEncoder, LearningSettings], LearnedBonus]
#: Bonuses stay there: their networks are small, and read one observation at a time.
_PROCESSOR = torch.device("cpu")


class ExploringQLearner(QLearner):
    """Rewards that enter the replay are the environment's and the bonus's; the bonus learns from the replay.

    What enters the replay stays there as it was, however well the bonus knows it later.

    Args:
        observation_space: Of one row.
        action_space: Of one row.
        configuration: The method's settings.
        steps: Environment steps of the whole run.
        rng: What everything is drawn by.
        make_bonus: Makes the bonus.
        episodic: Whether states that the episode has been in are rewarded less; see :class:`.IntrinsicRewards`.
    """

    configuration: ExploringConfiguration

    def __init__(
        self,
        observation_space: spaces.Dict,
        action_space: spaces.Space,
        configuration: ExploringConfiguration,
        steps: int,
        rng: np.random.Generator,
        make_bonus: MakeBonus,
        episodic: bool = False,
    ):
        super().__init__(observation_space, action_space, configuration, steps, rng)
        settings = LearningSettings(configuration.bonus_learning_rate, 1.0, epochs=1, minibatches=1)
        make_encoder = partial(DenseEncoder, width=configuration.bonus_width)
        with torch_seeded_from(rng, _PROCESSOR):
            bonus = make_bonus(observation_space, spaces.Discrete(self.choices.count), make_encoder, settings)
        self.intrinsic = IntrinsicRewards(
            bonus,
            configuration.bonus_weight,
            configuration.discount,
            configuration.bonus_starts,
            configuration.num_envs,
            episodic,
        )
        #: Environment steps so far.
        self._explored = 0
        #: The rollout whose rewards were asked for last, and what it was with them.
        self._asked: tuple[Rollout, Rollout] | None = None

    def rewarded(self, rollout: Rollout) -> Rollout:
        """With the intrinsic rewards; reckoned once, for advantages are asked for before the update."""
        if self._asked is None or self._asked[0] is not rollout:
            numbers = self.kept_actions(rollout.actions.cpu().numpy())[..., 0]
            rewards = rollout.rewards + self.intrinsic.of(rollout, numbers)
            self._asked = rollout, replace(rollout, rewards=rewards)
        return self._asked[1]

    def update(self, rollout: Rollout) -> dict[str, float]:
        """As without a bonus; then the bonus learns."""
        given = float((self.rewarded(rollout).rewards - rollout.rewards).mean())
        measures = super().update(rollout)
        return measures | {"bonus": given, "bonus_scale": self.intrinsic.scale} | self._learn_bonus(rollout.num_steps)

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """And the intrinsic rewards'."""
        arrays, values = super().state()
        own, own_values = self.intrinsic.state()
        arrays |= {f"intrinsic.{name}": array for name, array in own.items()}
        return arrays, values | {"intrinsic": own_values, "explored": self._explored}

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Go on from what :meth:`state` returned."""
        super().restore(arrays, values)
        self.intrinsic.restore(below(arrays, "intrinsic"), values["intrinsic"])
        self._explored, self._asked = values["explored"], None

    def _learn_bonus(self, steps: int) -> dict[str, float]:
        """The gradient steps that are due after so many more environment steps; returns their last losses."""
        rate, before = self.configuration.bonus_updates_per_step, self._explored
        self._explored += steps
        losses: dict[str, float] = {}
        if not len(self.replay):
            return losses
        for _ in range(int(self._explored * rate) - int(before * rate)):
            drawn = self.replay.sample(self.configuration.batch_size)
            transitions = _arrays(drawn.observations), _array(drawn.actions)[:, 0], _arrays(drawn.next_observations)
            with torch_seeded_from(self.rng, _PROCESSOR):
                losses = self.intrinsic.bonus.learn(*transitions)
        return losses


def _arrays(tensors: Tensors) -> Arrays:
    return {name: _array(tensor) for name, tensor in tensors.items()}


def _array(tensor: torch.Tensor) -> np.ndarray:
    return tensor.cpu().numpy()
