"""Actor and critic as one network, with memory where it is asked for, and the policy that plays with it."""

import pkgutil
from collections.abc import Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.baselines.parts.distributions import actions_of
from procgen_bench.baselines.parts.encoders import OwnEncoder, encoder_of
from procgen_bench.baselines.parts.entities import Entities, Pointer, masked, masks_of, without_masks
from procgen_bench.baselines.parts.memory_kinds import MEMORIES
from procgen_bench.baselines.policies.arrays import named_space
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.baselines.policies.weighted import WeightedPolicy, view_options
from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.engine.environment_options import make_environment


class Actor(nn.Module):
    """The outputs of all distributions over actions, side by side.

    A distribution over as many actions as a set has entities points at them. Masked actions are never drawn.

    Args:
        features: Numbers that it is given.
        sizes: Outputs of each distribution.
        set_sizes: Numbers of entities.
        masks: The distributions' masks among what is observed, by name; see :func:`.masks_of`.
    """

    def __init__(self, features: int, sizes: Sequence[int], set_sizes: Sequence[int], masks: Sequence[str]):
        super().__init__()
        self._masks = tuple(masks)
        self.heads = nn.ModuleList(
            Pointer(size, features) if size in set_sizes else dense(features, size, gain=0.01) for size in sizes
        )

    @property
    def is_plain(self) -> bool:
        """Whether there are no masks, and nothing points at entities."""
        return not any(self._masks) and all(isinstance(head, nn.Linear) for head in self.heads)

    def forward(self, features: torch.Tensor, entities: Entities, observations: Tensors) -> torch.Tensor:
        """Features (n, k), entities, and masks by name (n, size) -> outputs (n, sum of sizes)."""
        outputs = [head(features, entities) if isinstance(head, Pointer) else head(features) for head in self.heads]
        return torch.cat([masked(own, observations, mask) for own, mask in zip(outputs, self._masks)], dim=1)


class Evaluated(NamedTuple):
    """What an :class:`ActorCritic` says of n steps, of several in a row T * n, time first.

    Attributes:
        outputs: (n, k), of the actions' distribution.
        values: (n,).
        features: (n, width), what the network knows of a step.
        prepared: By name (n, ...), of which these are.
        attended: What :meth:`ActorCritic.attend` has noted.
    """

    outputs: torch.Tensor
    values: torch.Tensor
    features: torch.Tensor
    prepared: Tensors
    attended: Any = None


class ActorCritic(nn.Module):
    """Features -> dense layers of ``width`` -> memory, if any -> outputs of the actions' distribution, and a value.

    Actor and critic may have a dense layer of their own behind the memory.

    Args:
        observation_space: A flat ``Dict`` of arrays.
        sizes: How many numbers each of the distributions over actions is made of.
        width: Numbers in every dense layer.
        layers: Dense layers, each followed by a ReLU.
        memory: Units of the memory; 0: none.
        network: Another one that reads the observations; see :func:`.encoder_of`.
        memory_kind: One of :data:`.MEMORIES`.
        head_width: Numbers in the layers of actor and critic alone, each followed by a ReLU; 0: there are none.
    """

    def __init__(
        self,
        observation_space: spaces.Space,
        sizes: Sequence[int],
        width: int,
        layers: int,
        memory: int,
        network: str = "",
        memory_kind: str = "gru",
        head_width: int = 0,
    ):
        super().__init__()
        self.encoder = self.make_encoder(without_masks(observation_space), network)
        widths = [self.encoder.features, *[width] * layers]
        linears = [dense(inputs, outputs) for inputs, outputs in pairwise(widths)]
        self.trunk = nn.Sequential(*[layer for linear in linears for layer in (linear, nn.ReLU())])
        self.memory = pkgutil.resolve_name(MEMORIES[memory_kind])(widths[-1], memory) if memory else None
        self.memory_width = 0 if self.memory is None else self.memory.state_width
        #: Numbers that it knows of a step.
        self.features = memory or widths[-1]
        read = self.add_attention(self.features)
        #: The actor's layer and the critic's, if they have one.
        self.own_layers = nn.ModuleList(dense(read, head_width) for _ in range(2 if head_width else 0))
        read = head_width or read
        self.actor = Actor(read, sizes, self.encoder.set_sizes, masks_of(observation_space, sizes))
        self.critic = dense(read, 1, gain=1.0)

    def make_encoder(self, space: spaces.Space, network: str) -> Any:
        """What reads observations of this space: a person's own network, if one is named."""
        return encoder_of(space, network)

    def add_attention(self, features: int) -> int:
        """Make what :meth:`attend` needs, given so many features; returns how many numbers that gives."""
        return features

    def attend(self, features: torch.Tensor, prepared: Tensors) -> tuple[torch.Tensor, Any]:
        """What actor and critic are given of features (n, width), and what losses want to know of how it came about."""
        return features, None

    def forward(self, observations: Tensors, memory: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Observations (n, ...) and memory (n, m) -> outputs (n, k), values (n,), the next memory (n, m)."""
        return self.read(self.encoder.prepare(observations), memory)

    def prepare(self, observations: Tensors) -> Tensors:
        """What :meth:`read` and :meth:`evaluate` want of observations by name (n, ...), in the form that is fastest."""
        if not isinstance(self.encoder, OwnEncoder) and self.critic.weight.device.type == "cpu":
            return self.encoder.prepare_briefly(observations, ones=len(self.trunk) > 0)
        return self.encoder.prepare(observations)

    def read(self, prepared: Tensors, memory: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The same of what was prepared."""
        features, entities = self._features(prepared)
        if self.memory is not None:
            memory = self.memory(features, memory)
            features = self.memory.known(memory)
        state, _ = self.attend(features, prepared)
        return *self._say(state, entities, prepared), memory

    def evaluate(self, prepared: Tensors, memory: torch.Tensor, starts: torch.Tensor | None) -> Evaluated:
        """What is said of steps: single ones, or in a row, time first, of episodes that begin on the way.

        Args:
            prepared: By name (n, ...), or in a row (T, n, ...).
            memory: (n, m), before the (first) step.
            starts: bool (T, n); ``None`` of single steps.
        """
        flat = prepared if starts is None else {name: array.flatten(0, 1) for name, array in prepared.items()}
        features, entities = self._features(flat)
        if self.memory is not None and starts is None:
            features = self.memory.known(self.memory(features, memory))
        elif self.memory is not None and starts is not None:
            in_order = features.unflatten(0, starts.shape)
            features = self.memory.unroll(in_order, memory, (~starts).float()[:, :, None]).flatten(0, 1)
        state, attended = self.attend(features, flat)
        return Evaluated(*self._say(state, entities, flat), features, flat, attended)

    def _say(self, state: torch.Tensor, entities: Entities, prepared: Tensors) -> tuple[torch.Tensor, torch.Tensor]:
        """What the actor (n, k) and the critic (n,) say of a state (n, width)."""
        acting = valued = state
        if len(self.own_layers):
            acting, valued = (torch.relu(layer(state)) for layer in self.own_layers)
        return self.actor(acting, entities, prepared), self.critic(valued)[:, 0]

    @property
    def value_heads(self) -> list[nn.Linear]:
        """Last layers of all that says values."""
        return [self.critic]

    def _features(self, prepared: Tensors) -> tuple[torch.Tensor, Entities]:
        """What was prepared -> the last dense layer's numbers (n, width), and the entities."""
        if not len(self.trunk):
            return self.encoder.read(prepared)
        first = self.trunk[0]
        assert isinstance(first, nn.Linear)
        features, entities = self.encoder.read_into(first, prepared)
        return self.trunk[1:](features), entities

    def update_normaliser(self, observations: Tensors) -> None:
        """Let observations (n, ...) count in what normalises them."""
        self.encoder.update_normaliser(observations)


def dense(inputs: int, outputs: int, gain: float = np.sqrt(2)) -> nn.Linear:
    """A layer with orthogonal weights of this gain, and no bias at first."""
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


#: What a policy keeps of a row: the network's memory, the action that lasts, and for how many steps yet.
_MEMORY, _LAST, _LEFT = "memory", "last", "left"


#: The greatest width that is taken from a folder.
_MOST_UNITS = 4_096


class ActorPolicy(WeightedPolicy):
    """Draws from the distribution that the actor's outputs make, or takes its most likely action (a Beta's mean).

    Args:
        environment_id: What it plays.
        stochastic: Whether it draws.
        width: Units in each dense layer.
        layers: Dense layers.
        memory: Units of its memory.
        network: Another one that reads the observations; see :func:`.encoder_of`.
        action_repeat: Steps that an action lasts, 1 to 256: it chooses, and remembers, when the last one is over.
        memory_kind: One of :data:`.MEMORIES`.
        head_width: Units in a layer of the actor alone, and in one of the critic; 0: there are none.
        view: Further arguments of the environment with which it observes; empty ones are its learners' default.
    """

    network: ActorCritic
    size_limits = MappingProxyType({"width": _MOST_UNITS, "layers": 16, "memory": _MOST_UNITS, "action_repeat": 256})
    takes_network = True

    def __init__(
        self,
        environment_id: str,
        stochastic: bool,
        width: int = 128,
        layers: int = 2,
        memory: int = 0,
        network: str = "",
        action_repeat: int = 1,
        memory_kind: str = "gru",
        head_width: int = 0,
        **view: Any,
    ):
        self.environment_id = environment_id
        self._options = view_options(environment_id, view)
        with make_environment(environment_id, self._options) as env:
            self.actions = actions_of(env.action_space)
            shown = named_space(env.observation_space)
            sizes = width, layers, memory, network, memory_kind, head_width
            reader = self.make_network(shown, self.actions.sizes, *sizes)
            chosen = env.action_space
        super().__init__(reader, stochastic, self.actions.noise_width)
        self.action_repeat = action_repeat
        shapes: dict[str, tuple[int, ...]] = {_MEMORY: (reader.memory_width,)} if memory else {}
        if action_repeat > 1:
            shapes |= {_LAST: chosen.shape or (), _LEFT: ()}
        self.state_shapes = shapes

    def make_network(self, *sizes: Any) -> ActorCritic:
        """The network of these sizes, as :class:`ActorCritic` takes them."""
        return ActorCritic(*sizes)

    @classmethod
    def own_settings(cls, folder: PolicyFolder) -> dict[str, Any]:
        """See :meth:`.WeightedPolicy.own_settings`; older folders do not state the memory's kind and ``head_width``."""
        kind, head_width = folder.configuration.get("memory_kind", "gru"), folder.configuration.get("head_width", 0)
        if kind not in [*MEMORIES]:
            raise InvalidPolicyError(f"configuration.memory_kind is {kind!r}, expected {' or '.join(MEMORIES)}")
        if not (isinstance(head_width, int) and 0 <= head_width <= _MOST_UNITS):
            raise InvalidPolicyError(f"configuration.head_width is {head_width!r}, expected 0 to {_MOST_UNITS}")
        return super().own_settings(folder) | {"memory_kind": kind, "head_width": head_width}

    @property
    def environment_options(self) -> dict[str, Any]:
        """With which it observes all that it can use: masks, where there are some."""
        return self._options

    def step(self, observations: Tensors, state: Tensors, noise: torch.Tensor) -> tuple[torch.Tensor, Tensors]:
        """Actions (n, ...) of the action space's type, and the memory."""
        before = state.get(_MEMORY, noise[:, :0])
        outputs, _, memory = self.network(observations, before)
        actions = self.actions.play(outputs, noise if self.stochastic else None)
        after: Tensors = {}
        if self.action_repeat > 1:
            chooses = state[_LEFT] < 0.5
            memory = torch.where(chooses[:, None], memory, before)
            last = state[_LAST]
            actions = torch.where(chooses.reshape(-1, *[1] * (last.dim() - 1)), actions, last.to(actions.dtype))
            left = torch.where(chooses, float(self.action_repeat), state[_LEFT]) - 1.0
            after = {_LAST: actions.float(), _LEFT: left}
        return actions, after | ({_MEMORY: memory} if _MEMORY in state else {})
