"""WeightedPolicy: a trained network that plays, one step of which is a function of tensors alone."""

from abc import abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import torch
from torch import nn

from procgen_bench.baselines.policies.arrays import named
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.policies.network_names import NETWORKS
from procgen_bench.baselines.policies.tensors import Tensors, tensors_of
from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.core.own_code import names_code
from procgen_bench.core.policy import NoisyPolicy, Observations
from procgen_bench.core.registrations import environment_type

#: Settings of a policy that are arguments of its environment.
_VIEW = ("observation", "privileged")


class WeightedPolicy(NoisyPolicy):
    """A network and whether actions are drawn; a subclass is built from ``(environment_id, stochastic, **sizes)``.

    Args:
        network: The network, with any weights.
        stochastic: Whether the policy draws its actions.
        noise_width: Uniform numbers that drawing an action takes.
    """

    #: Shapes of what the policy keeps of a row from step to step, by name: float32, zeros where an episode begins.
    state_shapes: Mapping[str, tuple[int, ...]] = MappingProxyType({})
    #: Greatest sizes of the network that are taken from a folder, by the names of the subclass's arguments.
    size_limits: Mapping[str, int] = MappingProxyType({})
    #: Whether the subclass's arguments name a network of the user's own.
    takes_network: bool = False

    def __init__(self, network: nn.Module, stochastic: bool, noise_width: int):
        super().__init__(noise_width if stochastic else 0)
        self.network, self.stochastic, self.noise_width = network, stochastic, noise_width if stochastic else 0
        self._state: Tensors = {}

    @abstractmethod
    def step(self, observations: Tensors, state: Tensors, noise: torch.Tensor) -> tuple[torch.Tensor, Tensors]:
        """Actions and the next state, row by row; the only way in which the policy plays.

        It calls torch's functions on tensors and nothing else, and is the same for any number of rows: it is traced
        by :mod:`procgen_bench.baselines.policies.onnx.export`, unless there is a :meth:`plain_step`.

        Args:
            observations: (n, ...) by name, in the types of their space.
            state: float32 (n, ...) by the names of ``state_shapes``.
            noise: float32 (n, ``noise_width``), uniform in [0, 1).

        Returns:
            Actions (n, ...) in the action space's type, and the state (n, ...) with which the next step begins.
        """

    def plain_step(self, observations: Tensors, state: Tensors, noise: torch.Tensor) -> tuple[torch.Tensor, Tensors]:
        """What is exported: :meth:`step`, unless that reads rows together, which no exporter can follow."""
        return self.step(observations, state, noise)

    @torch.inference_mode()
    def act(self, observations: Observations, episode_starts: np.ndarray) -> np.ndarray:
        """Actions (N, ...), of the action space's dtype, one for each row; ``episode_starts`` is bool (N,)."""
        noise = torch.as_tensor(self.draw_noise(len(episode_starts)))
        actions, self._state = self.step(tensors_of(named(observations)), self.kept_state(episode_starts), noise)
        return actions.numpy()

    def kept_state(self, episode_starts: np.ndarray) -> Tensors:
        """Every row's state, float32 (N, ...); zeros where an episode starts, and if there were more rows before.

        Rows that join behind the others leave these their state. ``episode_starts`` is bool (N,).
        """
        rows, going_on = len(episode_starts), torch.as_tensor(~episode_starts, dtype=torch.float32)
        state = {}
        for name, shape in self.state_shapes.items():
            kept = self._state.get(name, torch.zeros(0, *shape))
            if len(kept) > rows:
                kept = torch.zeros(0, *shape)
            kept = torch.cat([kept, torch.zeros(rows - len(kept), *shape)])
            state[name] = kept * going_on.reshape(rows, *[1] * len(shape))
        return state

    def load_weights(self, weights: dict[str, np.ndarray]) -> None:
        """Take the network's weights from arrays by name, of the network's shapes; dtypes are cast.

        Raises:
            InvalidPolicyError: A weight is missing, unknown, or of another shape.
        """
        try:
            self.network.load_state_dict({name: torch.as_tensor(array) for name, array in weights.items()})
        except RuntimeError as error:
            raise InvalidPolicyError(f"the weights do not fit the network: {' '.join(str(error).split())}") from None

    @classmethod
    def from_folder(cls, folder: PolicyFolder) -> Self:
        """The policy of a folder; :class:`InvalidPolicyError` where its settings or weights do not fit."""
        stochastic = folder.configuration.get("stochastic")
        if not isinstance(stochastic, bool):
            raise InvalidPolicyError(f"configuration.stochastic is {stochastic!r}, expected true or false")
        sizes = {name: folder.configuration.get(name) for name in cls.size_limits}
        for name, size in sizes.items():
            if not (isinstance(size, int) and 0 <= size <= cls.size_limits[name]):
                raise InvalidPolicyError(f"configuration.{name} is {size!r}, expected 0 to {cls.size_limits[name]}")
        policy = cls(folder.environment, stochastic, **sizes, **cls.own_settings(folder))  # type: ignore[call-arg, arg-type]  # as the class says
        policy.load_weights(folder.weights)
        return policy

    @classmethod
    def own_settings(cls, folder: PolicyFolder) -> dict[str, Any]:
        """Arguments of the subclass that are neither sizes nor weights, as a folder names them, checked."""
        return {"network": _own_network(folder)} if cls.takes_network else {}


def _own_network(folder: PolicyFolder) -> str:
    network = folder.configuration.get("network", "")
    if not (network in ("", *NETWORKS) or names_code(network)):
        raise InvalidPolicyError(f"configuration.network is {network!r}, expected {[*NETWORKS]}, module:Class or ''")
    return network


def view_options(environment_id: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of the environment with which a policy of these settings observes it."""
    chosen = {name: settings[name] for name in _VIEW if settings.get(name)}
    return environment_type(environment_id).learning_options() | chosen
