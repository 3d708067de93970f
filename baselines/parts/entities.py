"""ModulesByName: modules whose names are an environment's."""

import math
from collections.abc import Mapping, Sequence

import torch
from gymnasium import spaces
from torch import nn
from torch.nn import functional

from procgen_bench.baselines.parts.observation_parts import Part, ScaledReals
from procgen_bench.baselines.parts.sparse_inputs import row_sums
from procgen_bench.baselines.policies.tensors import NEVER, Tensors


class ModulesByName(nn.ModuleDict):
    """A ``ModuleDict`` that also takes the names of its own methods, as parameters of tasks may have."""

    def add_module(self, name: str, module: nn.Module | None) -> None:
        """Add a module; it is found by its name alone, never as an attribute."""
        self._modules[name] = module  # type: ignore[assignment]


#: Fewest entities of a set, and fewest values of an integer that stands for a word.
_FEWEST, _FEWEST_WORDS = 16, 17
_WORD_FEATURES, ENTITY_FEATURES = 24, 64

#: By the number of entities E: their features (n, E, ``ENTITY_FEATURES``), and which are present, bool (n, E).
Entities = dict[int, tuple[torch.Tensor, torch.Tensor]]


def entity_sets(leaves: Mapping[str, spaces.Box]) -> dict[int, dict[str, spaces.Box]]:
    """The sets among the leaves of an observation space, by their number of entities.

    A set is two or more leaves of integers, (E,) or (E, K), with one E of at least 16.
    """
    sets: dict[int, dict[str, spaces.Box]] = {}
    for name, leaf in leaves.items():
        if len(leaf.shape) in (1, 2) and leaf.shape[0] >= _FEWEST and leaf.dtype.kind in "iu":
            sets.setdefault(leaf.shape[0], {})[name] = leaf
    return {size: own for size, own in sets.items() if len(own) > 1}


class EntitySets(Part):
    """All sets of an observation space.

    Args:
        sets: As :func:`entity_sets` gives them.
    """

    def __init__(self, sets: dict[int, dict[str, spaces.Box]]):
        super().__init__()
        self._sizes = list(sets)
        self.words = nn.ModuleDict(
            {
                _vocabulary(leaf): nn.Embedding(int(leaf.high.max()) + 1, _WORD_FEATURES, padding_idx=0)
                for own in sets.values()
                for leaf in own.values()
                if _is_words(leaf)
            }
        )
        self.readers = nn.ModuleDict({str(size): _Reader(own, self.words) for size, own in sets.items()})
        self.attention = nn.ModuleDict(
            {f"{size}-{other}": _Attention() for size in sets for other in sets if other != size}
        )
        self.features = 2 * ENTITY_FEATURES * len(sets)

    def trimmed(self, observations: Tensors) -> Tensors:
        """The sets' leaves (n, E, ...) of any dtype as far as any row has entities: pages have room for far more."""
        trimmed: Tensors = {}
        for reader in self.readers.values():
            assert isinstance(reader, _Reader)
            trimmed |= reader.trimmed(observations)
        return trimmed

    def entities(self, observations: Tensors) -> Entities:
        """Every set's entities, of observations (n, ...) of any dtype, with their attention to the others added."""
        alone = {size: self.readers[str(size)](observations) for size in self._sizes}
        attended = {}
        for size, (features, present) in alone.items():
            seen = features
            for other in self._sizes:
                if other != size:
                    seen = seen + self.attention[f"{size}-{other}"](features, *alone[other])
            attended[size] = (seen, present)
        return attended

    def forward(self, entities: Entities) -> torch.Tensor:
        """Entities -> float32 (n, features): mean and greatest of every set's present ones."""
        return torch.cat([summary for size in self._sizes for summary in _summaries(*entities[size])], dim=1)


class Pointer(nn.Module):
    """One output per entity of a set: how well it answers a question that all features ask; absent ones never do."""

    def __init__(self, size: int, features: int):
        super().__init__()
        self.size = size
        self.question = nn.Linear(features, ENTITY_FEATURES)
        self.answer = nn.Linear(ENTITY_FEATURES, ENTITY_FEATURES)
        nn.init.orthogonal_(self.question.weight, 0.1)

    def forward(self, features: torch.Tensor, entities: Entities) -> torch.Tensor:
        """Features, float32 (n, k), and entities -> outputs, float32 (n, E)."""
        seen, present = entities[self.size]
        scores = (self.answer(seen) @ self.question(features)[:, :, None])[:, :, 0] / math.sqrt(ENTITY_FEATURES)
        scores = torch.where(present, scores, scores * 0 + NEVER)
        trimmed = self.size - scores.shape[1]
        return functional.pad(scores, (0, trimmed), value=NEVER) if trimmed else scores


class _Reader(nn.Module):
    """One set's leaves -> its entities."""

    def __init__(self, leaves: dict[str, spaces.Box], words: nn.ModuleDict):
        super().__init__()
        self._vocabularies = {name: _vocabulary(leaf) for name, leaf in leaves.items() if _is_words(leaf)}
        self._words = [words]  # in a list, since they belong to all sets
        self._depths = {name: (*leaf.shape, 1)[1] for name, leaf in leaves.items()}
        self.reals = ModulesByName(
            {name: ScaledReals(leaf) for name, leaf in leaves.items() if name not in self._vocabularies}
        )
        reals = sum(self._depths[name] for name in self.reals)
        self.dense = nn.Sequential(
            nn.Linear(len(self._vocabularies) * _WORD_FEATURES + reals, ENTITY_FEATURES), nn.ReLU()
        )

    def forward(self, observations: Tensors) -> tuple[torch.Tensor, torch.Tensor]:
        """By name (n, E) or (n, E, K) -> features (n, E, f) and presence bool (n, E)."""
        parts, presences = [], []
        for name, depth in self._depths.items():
            values = observations[name]
            size = values.shape[1]
            values = values.reshape(-1, size, depth)
            presences.append(values.long().abs().amax(dim=2)[:, None])
            if name in self._vocabularies:
                parts.append(self._bag(values.long(), self._vocabularies[name]))
            else:
                parts.append(self._scaled(name, values))
        return self.dense(torch.cat(parts, dim=2)), torch.cat(presences, dim=1).amax(dim=1) > 0

    def trimmed(self, observations: Tensors) -> Tensors:
        """The leaves as far as any row has entities."""
        leaves = {name: observations[name] for name in self._depths}
        seen = [(leaf != 0).transpose(0, 1).flatten(1).any(dim=1) for leaf in leaves.values()]
        places = torch.stack(seen).any(dim=0).nonzero()
        size = int(places[-1]) + 1 if len(places) else 1
        return {name: leaf[:, :size] for name, leaf in leaves.items()}

    def _scaled(self, name: str, values: torch.Tensor) -> torch.Tensor:
        """Reals (n, E, K) in [-1, 1]."""
        size, depth, scale = values.shape[1], self._depths[name], self.reals[name]
        assert isinstance(scale, ScaledReals)
        return (values.float() - scale.centre.reshape(-1, depth)[:size]) / scale.reach.reshape(-1, depth)[:size]

    def _bag(self, words: torch.Tensor, vocabulary: str) -> torch.Tensor:
        """The mean of the words' vectors; of no word, zero."""
        known = self._words[0][vocabulary]
        assert isinstance(known, nn.Embedding)
        count = (words > 0).float().sum(dim=2, keepdim=True)
        if type(words) is torch.Tensor and words.device.type == "cpu":  # no exporter's
            indices = words.masked_fill(words.eq(0), len(known.weight)).flatten(0, 1)
            sums = row_sums(indices, known.weight).unflatten(0, words.shape[:2])
        else:
            sums = known(words).sum(dim=2)
        return sums / count.clamp(min=1)


class _Attention(nn.Module):
    """What entities find in another set."""

    def __init__(self):
        super().__init__()
        self.asks = nn.Linear(ENTITY_FEATURES, ENTITY_FEATURES)
        self.answers, self.tells = (nn.Linear(ENTITY_FEATURES, ENTITY_FEATURES) for _ in range(2))

    def forward(self, features: torch.Tensor, others: torch.Tensor, present: torch.Tensor) -> torch.Tensor:
        """(n, E, f), (n, O, f), bool (n, O) -> (n, E, f)."""
        scores = self.asks(features) @ self.answers(others).transpose(1, 2) / math.sqrt(ENTITY_FEATURES)
        scores = torch.where(present[:, None, :], scores, scores * 0 + NEVER)
        return torch.relu(torch.softmax(scores, dim=2) @ self.tells(others))


def _summaries(features: torch.Tensor, present: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    there = present.float()[:, :, None]
    kept = features * there  # features are not negative
    return kept.sum(dim=1) / there.sum(dim=1).clamp(min=1), kept.amax(dim=1)


def _is_words(leaf: spaces.Box) -> bool:
    return bool(leaf.low.min() == 0 and _FEWEST_WORDS <= int(leaf.high.max()) + 1 <= 2**14)


def _vocabulary(leaf: spaces.Box) -> str:
    """Leaves with one bound speak of the same words."""
    return str(int(leaf.high.max()))


#: How the names of masks end.
_MASK = "_mask"


def without_masks(space: spaces.Space) -> spaces.Space:
    """An observation space without its masks."""
    if not isinstance(space, spaces.Dict):
        return space
    return spaces.Dict({name: leaf for name, leaf in space.items() if not name.endswith(_MASK)})


def masks_of(space: spaces.Space, sizes: Sequence[int]) -> list[str]:
    """The masks of distributions over so many actions each, by name; an empty one where there is none.

    A mask is a leaf whose name ends in ``_mask``, of zeros and ones, one for each action. Of several distributions of
    one size, the first is given the first mask.
    """
    leaves = dict(space.items()) if isinstance(space, spaces.Dict) else {}
    free = [name for name in leaves if name.endswith(_MASK)]
    found = []
    for size in sizes:
        name = next((name for name in free if leaves[name].shape == (size,)), "")
        free = [other for other in free if other != name]
        found.append(name)
    return found


def masked(outputs: torch.Tensor, observations: Tensors, mask: str) -> torch.Tensor:
    """Outputs, float32 (n, k), of a distribution, with those of masked actions so low that they are never drawn."""
    return torch.where(observations[mask] > 0, outputs, outputs * 0 + NEVER) if mask else outputs
