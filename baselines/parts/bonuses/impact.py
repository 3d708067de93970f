"""Impact-driven exploration (Raileanu & Rocktäschel, 2020): how much an action changes of what actions can change."""

import numpy as np
import torch

from procgen_bench.baselines.parts.bonuses.curiosity import Curiosity, Tensors
from procgen_bench.baselines.parts.bonuses.learned_bonus import Observations, tensors_of

#: What both models' errors weigh in the published source; in the sum the policy's loss weighs 1.
_FORWARD_WEIGHT, _INVERSE_WEIGHT = 10.0, 0.1


class Impact(Curiosity):
    """Rewards transitions by how far they go in features that both of curiosity's models teach, the forward one most.

    As in the published source (``src/algos/ride.py``), and unlike in curiosity, whose forward model teaches none and
    whose features are of length 1. To be divided by the root of how often the episode has been in the state: see
    :class:`.EpisodicCounts`.
    """

    @torch.inference_mode()
    def bonus(self, observations: Observations, actions: np.ndarray, next_observations: Observations) -> np.ndarray:
        """float64 (M,): the distance between the features before and after."""
        before, after = self.features(tensors_of(observations), tensors_of(next_observations))
        return (before - after).norm(dim=1).double().numpy()

    def scaled(self, features: torch.Tensor) -> torch.Tensor:
        """Features, float32 (M, features), as they are."""
        return features

    def losses(self, observations: Tensors, actions: torch.Tensor, next_observations: Tensors) -> Tensors:
        """``inverse_loss`` and ``forward_loss``, float32 (): how far M features are from those predicted."""
        before, after = self.features(observations, next_observations)
        return {
            "inverse_loss": _INVERSE_WEIGHT * self.guess_loss(before, after, actions),
            "forward_loss": _FORWARD_WEIGHT * (self.predict(before, actions) - after).norm(dim=1).mean(),
        }
