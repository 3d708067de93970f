"""OwnEncoder: a network of a person's own, which reads all observations in place of the parts."""

from typing import Any, cast

import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.baselines.encoder import Tensors, array_leaves
from procgen_bench.baselines.networks.entities import Entities
from procgen_bench.baselines.networks.parts import Part
from procgen_bench.baselines.networks.space_encoder import SpaceEncoder
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.core.own_code import import_code, known_code

#: Rows on which a network is tried.
_ROWS = 2


class OwnNetworkError(ProcgenBenchError):
    """A network of a person's own cannot be had, or is not what it should be."""


class OwnEncoder(Part):
    """A module that is made with the observation space, has ``features``, and turns observations into so many.

    Its ``forward`` takes observations by name (n, ...) in their space's types, and returns float32 (n, ``features``).
    Where it has ``see(observations)``, that is called with what training sees, for running means.

    Args:
        space: A flat ``Dict`` of arrays.
        network: ``module:Class``.

    Raises:
        OwnNetworkError: It cannot be imported, or is no such module.
    """

    set_sizes: tuple[int, ...] = ()

    def __init__(self, space: spaces.Space, network: str):
        super().__init__()
        own: Any = known_code(network, OwnNetworkError)(space)
        features = getattr(own, "features", None)
        if not (isinstance(own, nn.Module) and isinstance(features, int) and features > 0):
            raise OwnNetworkError(
                f"{network} makes a {type(own).__name__} with features = {features!r}, "
                "expected a torch.nn.Module with the number of its features"
            )
        self.own, self.features, self._names = own, features, list(array_leaves(space))
        self._check(space, network)

    def prepare(self, observations: Tensors) -> Tensors:
        """Observations as they are."""
        return observations

    def read(self, prepared: Tensors) -> tuple[torch.Tensor, Entities]:
        """By name (n, ...) -> (n, features); it knows no entities."""
        return self.own({name: prepared[name] for name in self._names}), {}

    def read_into(self, linear: nn.Linear, prepared: Tensors) -> tuple[torch.Tensor, Entities]:
        """By name (n, ...) -> what a layer makes of the features; it knows no entities."""
        features, entities = self.read(prepared)
        return linear(features), entities

    def forward(self, observations: Tensors) -> tuple[torch.Tensor, Entities]:
        """Likewise."""
        return self.read(observations)

    def see(self, observations: Tensors) -> None:
        """Let observations (n, ...) count in what normalises them, if it keeps such things."""
        if self.normalises:
            cast(Any, self.own).see(observations)

    @property
    def normalises(self) -> bool:
        """Whether :meth:`see` may change anything."""
        return hasattr(self.own, "see")

    @torch.no_grad()
    def _check(self, space: spaces.Space, network: str) -> None:
        rows = {
            name: torch.as_tensor(leaf.sample())[None].expand(_ROWS, *leaf.shape).clone()
            for name, leaf in array_leaves(space).items()
        }
        given = self.own(rows)
        if given.shape != (_ROWS, self.features):
            raise OwnNetworkError(
                f"{network} turns {_ROWS} observations into {tuple(given.shape)}, expected {(_ROWS, self.features)}"
            )


def own_network(network: str) -> str:
    """The name of a network that a person asks for, imported; an empty one stays empty.

    Raises:
        OwnNetworkError: It cannot be imported.
    """
    if network:
        import_code(network, OwnNetworkError)
    return network


def encoder_of(space: spaces.Space, network: str = "") -> SpaceEncoder | OwnEncoder:
    """The network that reads a space's observations: a person's own, if one is named, or the parts for its leaves."""
    return OwnEncoder(space, network) if network else SpaceEncoder(space)
