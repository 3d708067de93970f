"""BlockPolicy: stage 1's trained policy, which plays FetchBlocks, and calls of atomic programs."""

from types import MappingProxyType
from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium import spaces

from procgen_bench.baselines.papers.alphanpi_x.block_views import RAW, RELATIVE, VIEWS, BlockActor, make_view
from procgen_bench.baselines.policies.arrays import network_arrays
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.baselines.policies.weighted import WeightedPolicy
from procgen_bench.core.errors import InvalidPolicyError


class BlockPolicy(WeightedPolicy):
    """Plays the actor's actions.

    Args:
        environment_id: What it plays: FetchBlocks, or another of its class.
        stochastic: Must be false: there is nothing to draw from.
        view: What it sees.
        width: Numbers in each of its two dense layers.

    Raises:
        InvalidPolicyError: ``stochastic`` is true.
    """

    size_limits = MappingProxyType({"width": 4_096})

    def __init__(self, environment_id: str, stochastic: bool, width: int = 256, view: str = RELATIVE):
        if stochastic:
            raise InvalidPolicyError("configuration.stochastic is True, expected False: the actor is deterministic")
        with gymnasium.make(environment_id) as env:
            assert isinstance(env.observation_space, spaces.Dict) and isinstance(env.action_space, spaces.Box)
            num_blocks = int(np.prod(env.observation_space["desired_goal"].shape)) // 3  # type: ignore[arg-type]
            network = BlockActor(make_view(view, num_blocks), int(np.prod(env.action_space.shape)), width)
        network.grow()  # with columns at zero it is the same
        self.environment_id, self.view, self.num_blocks, self.width = environment_id, view, num_blocks, width
        super().__init__(network, stochastic, 0)

    @property
    def folder(self) -> PolicyFolder:
        """What it is kept as."""
        configuration = {"stochastic": False, "view": self.view, "width": self.width}
        return PolicyFolder("npi-goals", self.environment_id, configuration, network_arrays(self.network))

    def step(self, observations: Tensors, state: Tensors, noise: torch.Tensor) -> tuple[torch.Tensor, Tensors]:
        """Actions float32 (n, 4)."""
        return self.network(observations), {}

    def check_num_blocks(self, num_blocks: int) -> None:
        """Refuse tables of so many blocks if the policy does not see any number.

        Raises:
            InvalidPolicyError: It sees the raw numbers of another one.
        """
        if self.view == RAW and num_blocks != self.num_blocks:
            raise InvalidPolicyError(
                f"the policy's view is {RAW!r}, of {self.num_blocks} blocks, expected one of {num_blocks} blocks, or "
                f"the view {RELATIVE!r}, which sees any number"
            )

    @classmethod
    def own_settings(cls, folder: PolicyFolder) -> dict[str, Any]:
        """What it sees."""
        view = folder.configuration.get("view")
        if view not in VIEWS:
            raise InvalidPolicyError(f"configuration.view is {view!r}, expected {' or '.join(VIEWS)}")
        has_set = any(name.startswith("other.") for name in folder.weights)
        if has_set != (view == RELATIVE):
            fitting = RELATIVE if has_set else RAW
            raise InvalidPolicyError(f"configuration.view is {view!r}, expected {fitting!r}, of which the weights are")
        return {"view": view}
