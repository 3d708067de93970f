"""PairPolicy: plays sites by the network of pairs."""

from types import MappingProxyType
from typing import Any

import numpy as np
import torch

from procgen_bench.baselines.papers.code.site_encoders import ENCODERS
from procgen_bench.baselines.papers.code.site_networks import PairNetwork
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.baselines.policies.weighted import WeightedPolicy
from procgen_bench.core.errors import InvalidPolicyError, UnsupportedEnvironmentError
from procgen_bench.core.extras import import_extra
from procgen_bench.core.registrations import family_id
from procgen_bench.tasks.sites.pages import MAX_ELEMENTS

#: What it plays.
SITES = ("GMiniWoB-v0", "GMiniWoBLiteral-v0")
MASKS = ("usable", "present")


class PairPolicy(WeightedPolicy):
    """Draws a pair of an element and a field, or takes the most likely one.

    Args:
        environment_id: One of sites.
        stochastic: Whether it draws.
        encoder, values, published_words: See :class:`PairNetwork`.
        mask: Which elements it chooses among: ``"usable"`` or ``"present"``.

    Raises:
        UnsupportedEnvironmentError: It is no environment of sites.
    """

    network: PairNetwork
    size_limits = MappingProxyType({})

    def __init__(
        self,
        environment_id: str,
        stochastic: bool,
        encoder: Any = "window",
        values: bool = False,
        published_words: bool = False,
        mask: str = "usable",
    ):
        if family_id(environment_id) not in SITES:
            raise UnsupportedEnvironmentError("PairPolicy", environment_id, SITES)
        self._mask = mask
        module, _, network = ENCODERS[encoder].partition(":")
        super().__init__(getattr(import_extra(module), network)(encoder, values, published_words), stochastic, 1)

    @property
    def environment_options(self) -> dict[str, Any]:
        """With which it observes what an action can be made of."""
        return {"observation": "masked", "mask": self._mask}

    def step(self, observations: Tensors, state: Tensors, noise: torch.Tensor) -> tuple[torch.Tensor, Tensors]:
        """Actions int64 (n, 2); rows are read together."""
        uniform = noise if self.stochastic else None
        actions = torch.zeros(len(observations["tags"]), 2, dtype=torch.int64)
        for part in self.network.pairs(self.network.prepare(observations)):
            own = torch.from_numpy(part.rows)
            pair = drawn_pairs(part.logits, None if uniform is None else uniform[own])
            actions[own] = chosen_pairs(pair, part.usable)
        return actions, {}

    def plain_step(self, observations: Tensors, state: Tensors, noise: torch.Tensor) -> tuple[torch.Tensor, Tensors]:
        """The same actions; every row is read by itself."""
        logits, _ = self.network.whole(observations)
        pair = drawn_pairs(logits, noise if self.stochastic else None)
        return torch.stack([pair % MAX_ELEMENTS, pair // MAX_ELEMENTS], dim=1), {}

    @classmethod
    def own_settings(cls, folder: PolicyFolder) -> dict[str, Any]:
        """How its network reads, and what it chooses among."""
        known = {"encoder": tuple(ENCODERS), "values": (False, True), "published_words": (False, True), "mask": MASKS}
        settings = {name: folder.configuration.get(name) for name in known}
        for name, value in settings.items():
            if not any(value is choice or value == choice for choice in known[name]):
                raise InvalidPolicyError(f"configuration.{name} is {value!r}, expected one of {known[name]}")
        return settings


def drawn_pairs(logits: torch.Tensor, noise: torch.Tensor | None) -> torch.Tensor:
    """Pairs int64 (n,): the most likely ones, or what uniform ``noise`` (n, 1) in [0, 1) draws."""
    if noise is None:
        return logits.argmax(dim=1)
    reached = logits.double().exp().cumsum(dim=1)
    drawn = (reached <= noise * reached[:, -1:]).sum(dim=1)
    return drawn.clamp(max=logits.shape[1] - 1)


def chosen_pairs(pairs: torch.Tensor, usable: np.ndarray) -> torch.Tensor:
    """Actions int64 (n, 2) of pairs (n,) among the usable elements int32 (n, U)."""
    places = torch.from_numpy(usable.clip(min=0).astype(np.int64))
    width = places.shape[1]
    return torch.stack([places.gather(1, (pairs % width)[:, None])[:, 0], pairs // width], dim=1)


def pairs_of(actions: torch.Tensor, usable: np.ndarray) -> torch.Tensor:
    """The pairs int64 (n,) that actions (n, 2) are, among the usable elements."""
    places = torch.from_numpy(usable.astype(np.int64))
    at = (places == actions[:, :1].long()).int().argmax(dim=1)
    return actions[:, 1].long() * places.shape[1] + at
