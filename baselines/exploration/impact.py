"""Impact-driven exploration (Raileanu & Rocktäschel, 2020): how much an action changes of what actions can change."""

import numpy as np
import torch

from procgen_bench.baselines.exploration.curiosity import Curiosity
from procgen_bench.baselines.exploration.learned_bonus import Observations, tensors_of


class Impact(Curiosity):
    """Rewards transitions by how far they go in the features of curiosity, which learn as there.

    To be divided by the root of how often the episode has been in the state: see :class:`.EpisodicCounts`.
    """

    @torch.inference_mode()
    def bonus(self, observations: Observations, actions: np.ndarray, next_observations: Observations) -> np.ndarray:
        """float64 (M,): the distance between the features before and after, in [0, 2]."""
        before, after = self.features(tensors_of(observations), tensors_of(next_observations))
        return (before - after).norm(dim=1).double().numpy()
