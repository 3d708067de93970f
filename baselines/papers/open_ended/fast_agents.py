"""FastAgentPolicyGradient: XLand's PPO whose acting and updates are compiled."""

from typing import Any

import numpy as np
import torch

from procgen_bench.baselines.fast.actor_critic import ObservationReader, has_compilable_layers
from procgen_bench.baselines.fast.ppo import FastPolicyGradient
from procgen_bench.baselines.papers.open_ended.agents import AgentPolicyGradient
from procgen_bench.baselines.papers.open_ended.compiled_scene import CompiledScene
from procgen_bench.baselines.papers.open_ended.scene_encoder import SceneEncoder


class FastAgentPolicyGradient(AgentPolicyGradient, FastPolicyGradient):
    """Computes what :class:`.AgentPolicyGradient` says, without auxiliary losses and goal attention.

    The arguments are those of :class:`.AgentPolicyGradient`, whose network has a :class:`.SceneEncoder`.
    """

    @staticmethod
    def takes(learner: Any) -> bool:
        """See :meth:`.FastPolicyGradient.takes`."""
        if type(learner) is not AgentPolicyGradient or learner.auxiliary:
            return False
        network: Any = learner.network
        return (
            type(network.encoder) is SceneEncoder
            and network.goal_attention is None
            and has_compilable_layers(network, learner.actions)
        )

    def make_reader(self) -> ObservationReader:
        """See :meth:`.FastPolicyGradient.make_reader`."""
        return CompiledScene(self.network.encoder)

    def critic_targets(self, returns: np.ndarray) -> np.ndarray:
        """Returns, float32 (T, N), on the critic's scale."""
        return self.returns_scale.normalised(torch.from_numpy(returns)).numpy()


def twin_of(learner: Any) -> Any:
    """The twin of a learner that has learned nothing; where there is none, the learner itself."""
    return FastAgentPolicyGradient.of(learner) or learner
