"""stable-baselines3's PPO in the training loop."""

import numpy as np
from stable_baselines3 import PPO

from procgen_bench.baselines.sb3.policy import head_weights
from procgen_bench.baselines.sb3.resumable import Resumable


class ResumablePPO(Resumable, PPO):
    """It has no state of its own beside what stable-baselines3 keeps."""

    def policy_weights(self) -> dict[str, np.ndarray]:
        """The actor's weights."""
        return head_weights(self.policy.features_extractor, self.policy.action_net)
