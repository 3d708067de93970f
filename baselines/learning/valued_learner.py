"""ValuedLearner: one that tells what states are worth, and learns no advantages itself."""

from abc import abstractmethod
from typing import Any

import numpy as np
import torch

from procgen_bench.baselines.parts.policy_gradient import rollout_advantages
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.baselines.training.contracts import Learner
from procgen_bench.baselines.training.rollouts import Rollout

#: Decay of the advantages that teachers score levels by.
_GAE_LAMBDA = 0.95


class ValuedLearner(Learner[Rollout]):
    """A learner whose values of states make the advantages that teachers score levels by.

    Attributes:
        configuration: Settings, a ``discount`` among them.
    """

    configuration: Any

    @abstractmethod
    def state_values(self, observations: Tensors) -> torch.Tensor:
        """What states (n, ...) by name are worth, float32 (n,)."""

    def rewarded(self, rollout: Rollout) -> Rollout:
        """The rollout with the rewards that are learned from: the environment's."""
        return rollout

    @torch.inference_mode()
    def values(self, observations: Tensors) -> np.ndarray:
        """What first observations are worth, float32 (N,)."""
        return self.state_values(observations).cpu().numpy()

    def advantages(self, rollout: Rollout) -> np.ndarray:
        """Generalised advantages float32 (T, N), with a decay of 0.95."""
        values = rollout.aux["values"].cpu().numpy()
        last, cut = self.values(rollout.last_observations), self.values(rollout.cut_observations)
        return rollout_advantages(self.rewarded(rollout), values, last, cut, self.configuration.discount, _GAE_LAMBDA)
