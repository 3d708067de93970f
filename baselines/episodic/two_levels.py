"""TwoLevels: a learner of subgoals over legs that learn along."""

from typing import Any

import numpy as np
import torch

from procgen_bench.baselines.encoder import Tensors
from procgen_bench.baselines.episodic.episodes import Episodes
from procgen_bench.baselines.episodic.learner import EpisodeLearner, Judged
from procgen_bench.baselines.episodic.learning_legs import LearningLegs
from procgen_bench.baselines.learning.learner import Learner, RolloutT
from procgen_bench.baselines.named_arrays import Arrays, below

#: Names of the levels' weights begin with these, the low level's measures and what is kept of it likewise.
SUBGOALS, LOW_LEVEL = "subgoals", "low_level"


class TwoLevels(Learner[RolloutT]):
    """Learns on both levels from every rollout; in all else it is the learner of subgoals.

    Args:
        high: Chooses the subgoals.
        legs: Walk to them.
    """

    def __init__(self, high: Learner[RolloutT], legs: LearningLegs):
        self.high, self.legs = high, legs
        self.device, self.memory_width = high.device, high.memory_width

    def act(self, observations: Tensors, memory: torch.Tensor) -> tuple[torch.Tensor, Tensors, torch.Tensor]:
        """Subgoals."""
        return self.high.act(observations, memory)

    def update(self, rollout: RolloutT) -> dict[str, float]:
        """Both levels learn; the low one's measures have names of their own."""
        measures = self.high.update(rollout)
        return measures | {f"{LOW_LEVEL}_{name}": value for name, value in self.legs.update().items()}

    def judge(self, episodes: Episodes) -> Judged:
        """See :meth:`.EpisodeLearner.judge`."""
        assert isinstance(self.high, EpisodeLearner)  # whose collector alone asks
        return self.high.judge(episodes)

    def advantages(self, rollout: RolloutT) -> np.ndarray | None:
        """Those of the subgoals."""
        return self.high.advantages(rollout)

    def values(self, observations: Tensors) -> np.ndarray:
        """What states are worth to the learner of subgoals."""
        return self.high.values(observations)

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """Both levels'; between updates no walk is kept."""
        arrays, values = self.high.state()
        own_arrays, own_values = self.legs.learner.state()
        return arrays | _named(LOW_LEVEL, own_arrays), values | {LOW_LEVEL: own_values}

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Go on from what :meth:`state` returned."""
        self.high.restore(arrays, values)
        self.legs.learner.restore(below(arrays, LOW_LEVEL), values[LOW_LEVEL])

    def policy_weights(self) -> Arrays:
        """Both levels' weights."""
        low = self.legs.learner.policy_weights()
        return _named(SUBGOALS, self.high.policy_weights()) | _named(LOW_LEVEL, low)

    def after_evaluation(self, scores: dict[str, float]) -> None:
        """The learner of subgoals is told."""
        self.high.after_evaluation(scores)


def _named(part: str, arrays: Arrays) -> Arrays:
    return {f"{part}.{name}": array for name, array in arrays.items()}
