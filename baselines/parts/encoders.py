"""Networks that read an observation space: the parts for its leaves, or the user's own module."""

from typing import Any, cast

import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.baselines.parts.entities import Entities, EntitySets, ModulesByName, entity_sets
from procgen_bench.baselines.parts.observation_parts import (
    Categories,
    CategoryMaps,
    NormalisedReals,
    Part,
    map_groups,
    part_for,
)
from procgen_bench.baselines.parts.sparse_inputs import CategoryColumns
from procgen_bench.baselines.policies.network_names import NETWORKS
from procgen_bench.baselines.policies.tensors import Tensors, array_leaves
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.core.own_code import import_code, known_code

#: What no leaf of an observation space is called: features that are computed once, and columns that are one.
_FIXED, _ONES = "", "\0"


class SpaceEncoder(Part):
    """Sets of entities together, maps of one size together, every other leaf through the part of :func:`.part_for`.

    Features stand side by side: those of fixed parts, of learned ones, of maps, of sets.
    """

    def __init__(self, space: spaces.Space):
        super().__init__()
        leaves = array_leaves(space)
        sets = entity_sets(leaves)
        in_sets = {name for own in sets.values() for name in own}
        groups = map_groups({name: leaf for name, leaf in leaves.items() if name not in in_sets})
        together = in_sets.union(*groups.values())
        parts = {name: part_for(leaf) for name, leaf in leaves.items() if name not in together}
        self.parts, self.sets = ModulesByName(parts), EntitySets(sets) if sets else None
        self.maps = nn.ModuleDict({size: CategoryMaps(own) for size, own in groups.items()})
        self.set_sizes = tuple(sets)
        self._fixed = [name for name, part in parts.items() if part.fixed]
        self._learned = [name for name, part in parts.items() if not part.fixed]
        every = [*parts.values(), *self._maps(), *([self.sets] if self.sets else [])]
        self.features = sum(part.features for part in every)
        columns = CategoryColumns({name: parts[name] for name in self._fixed}, self.features)
        #: Where features are zeros and ones of categories; ``None``: nowhere.
        self.columns = columns if columns.names else None

    def prepare(self, observations: Tensors) -> Tensors:
        """What :meth:`read` takes of observations by name (n, ...): the features of fixed parts, and all else as it is.

        Returns:
            By name (n, ...).
        """
        features = [self.parts[name](observations[name]) for name in self._fixed]
        return self._unfixed(observations) | ({_FIXED: _beside(features)} if features else {})

    def prepare_briefly(self, observations: Tensors, ones: bool) -> Tensors:
        """As :meth:`prepare`, without what takes time for nothing: places in sets where no row has an entity.

        Args:
            observations: By name (n, ...).
            ones: Whether what follows is :meth:`read_into`; of categories it needs the columns that are one alone.
        """
        if self.sets is not None:
            observations = observations | self.sets.trimmed(observations)
        if self.columns is None or not ones:
            return self.prepare(observations)
        features = [part for name in self._fixed if (part := self._without_ones(name, observations[name])) is not None]
        columns = {_ONES: self.columns.indices(observations)}
        return self._unfixed(observations) | columns | ({_FIXED: _beside(features)} if features else {})

    def read(self, prepared: Tensors) -> tuple[torch.Tensor, Entities]:
        """What :meth:`prepare` returned -> (n, features), and the entities."""
        features = [prepared[_FIXED]] if _FIXED in prepared else []
        features += [self.parts[name](prepared[name]) for name in self._learned]
        features += [part(prepared) for part in self._maps()]
        entities = {} if self.sets is None else self.sets.entities(prepared)
        if self.sets is not None:
            features.append(self.sets(entities))
        return _beside(features) if features else prepared[_ONES][:, :0].float(), entities

    def read_into(self, linear: nn.Linear, prepared: Tensors) -> tuple[torch.Tensor, Entities]:
        """What either prepared -> what a layer makes of the features, and the entities."""
        features, entities = self.read(prepared)
        if _ONES not in prepared:
            return linear(features), entities
        assert self.columns is not None
        return self.columns.layer(linear, prepared[_ONES], features), entities

    def forward(self, observations: Tensors) -> tuple[torch.Tensor, Entities]:
        """By name (n, ...) -> (n, features), and the entities."""
        return self.read(self.prepare(observations))

    def update_normaliser(self, observations: Tensors) -> None:
        """Let observations (n, ...) count in what normalises them."""
        for name, part in self.parts.items():
            if isinstance(part, NormalisedReals):
                part.update_normaliser(observations[name])

    @property
    def normalises(self) -> bool:
        """Whether :meth:`update_normaliser` changes anything."""
        return any(isinstance(part, NormalisedReals) for part in self.parts.values())

    def _maps(self) -> list[CategoryMaps]:
        return [part for part in self.maps.values() if isinstance(part, CategoryMaps)]

    def _unfixed(self, observations: Tensors) -> Tensors:
        return {name: array for name, array in observations.items() if name not in self._fixed}

    def _without_ones(self, name: str, values: torch.Tensor) -> torch.Tensor | None:
        """A fixed part's features but for its columns that are one; ``None``: there are no others."""
        part = self.parts[name]
        if self.columns is None or name not in self.columns.names or not isinstance(part, Categories):
            return part(values)
        return None if part.scaled is None else part.scaled(values)


def _beside(features: list[torch.Tensor]) -> torch.Tensor:
    return torch.cat(features, dim=1) if len(features) > 1 else features[0]


#: Rows on which a network is tried.
_ROWS = 2


class OwnNetworkError(ProcgenBenchError):
    """The user's own network cannot be loaded, or is invalid."""


class OwnEncoder(Part):
    """A module that is made with the observation space, has ``features``, and turns observations into so many.

    Its ``forward`` takes observations by name (n, ...) in their space's types, and returns float32 (n, ``features``).
    Where it has ``update_normaliser(observations)``, that is called with what training sees, for running means.

    Args:
        space: A flat ``Dict`` of arrays.
        network: ``module:Class``, or one of :data:`.NETWORKS`.

    Raises:
        OwnNetworkError: It cannot be imported, or is no such module.
    """

    set_sizes: tuple[int, ...] = ()

    def __init__(self, space: spaces.Space, network: str):
        super().__init__()
        find = import_code if network in NETWORKS else known_code
        own: Any = find(NETWORKS.get(network, network), OwnNetworkError)(space)
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
        """As :meth:`read`."""
        return self.read(observations)

    def update_normaliser(self, observations: Tensors) -> None:
        """Let observations (n, ...) count in what normalises them, if it keeps such things."""
        if self.normalises:
            cast(Any, self.own).update_normaliser(observations)

    @property
    def normalises(self) -> bool:
        """Whether :meth:`update_normaliser` may change anything."""
        return hasattr(self.own, "update_normaliser")

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


def own_network(network: str) -> None:
    """Import the requested network, if one is named; an :class:`OwnNetworkError` says that it cannot be imported."""
    if network:
        import_code(NETWORKS.get(network, network), OwnNetworkError)


def encoder_of(space: spaces.Space, network: str = "") -> SpaceEncoder | OwnEncoder:
    """The network that reads a space's observations: an :class:`.OwnEncoder` if one is named, else parts for leaves."""
    return OwnEncoder(space, network) if network else SpaceEncoder(space)
