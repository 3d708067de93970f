"""Designs: which primitives a generator places where; a family's :class:`DesignSpace` makes tasks of them."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from procgen_bench.core.task import Task
from procgen_bench.tasks.sites.space import SKIP

#: (primitive, place) pairs.
Pairs = Sequence[tuple[int, int]]


class Design(NamedTuple):
    """What a generator chose.

    Attributes:
        num_places: How many places there are (pages of a site), from 1.
        primitives: int64 (n,), 0 for SKIP, k for the k-th primitive.
        places: int64 (n,), below ``num_places``.
    """

    num_places: int
    primitives: np.ndarray
    places: np.ndarray

    @classmethod
    def of_pairs(cls, num_places: int, pairs: Pairs, slots: int) -> "Design":
        """The design of (primitive, place) pairs, then SKIPs; so many choices in all."""
        primitives, places = np.full((2, slots), SKIP, np.int64)
        for slot, (primitive, place) in enumerate(pairs):
            primitives[slot], places[slot] = primitive, place
        return cls(num_places, primitives, places)

    @property
    def placed(self) -> list[tuple[int, int]]:
        """The (primitive, place) pairs, each once, in their order."""
        pairs = zip(self.primitives.tolist(), self.places.tolist())
        return list(dict.fromkeys(pair for pair in pairs if pair[0] != SKIP))

    @property
    def num_repeated(self) -> int:
        """Choices of what stands there already."""
        return int(np.count_nonzero(self.primitives)) - len(self.placed)


class DesignSpace(ABC):
    """A family's designs.

    Attributes:
        primitives: Their names.
        most_places: How many places a design may have; 1: there is nothing to choose.
        chooses_number: Whether a generator chooses how many of them there are.
        most_slots: Primitives that a design may have.
        slots: Choices of a design.
        drops_pages: Whether empty pages at the end of a site are left out.
    """

    primitives: tuple[str, ...]
    most_places: int = 1
    chooses_number: bool = False
    most_slots: int
    slots: int
    drops_pages: bool = False

    @abstractmethod
    def tasks(self, design: Design, count: int, rng: np.random.Generator) -> list[Task]:
        """So many tasks of a design that :meth:`is_task`; what the design leaves open is drawn for each."""

    @abstractmethod
    def design_of(self, task: Task) -> Design:
        """What a task of :meth:`tasks` was made of, each primitive once."""

    @property
    def empty(self) -> Design:
        """Nothing is placed; of as few places as there can be."""
        return Design.of_pairs(1 if self.chooses_number else self.most_places, (), self.slots)

    def uniform(self, rng: np.random.Generator) -> Design:
        """A design whose number of places is uniform, and each of its choices."""
        number = int(rng.integers(1, self.most_places + 1)) if self.chooses_number else self.most_places
        primitives = rng.integers(len(self.primitives) + 1, size=self.slots)
        return Design(number, primitives, rng.integers(number, size=self.slots))

    def mutate(self, design: Design, rng: np.random.Generator) -> Design:
        """One primitive placed, replaced, removed or moved, or a place more or fewer, equally likely where possible.

        A place more is empty and stands anywhere between the others. A place that goes holds one primitive at most,
        which goes with it. Choices without an effect, SKIPs and repeats, are left out, so that there is room for more.
        """
        pairs, number = design.placed, design.num_places
        every = ((primitive, place) for primitive in range(1, len(self.primitives) + 1) for place in range(number))
        free = [pair for pair in every if pair not in pairs]
        changed: list[tuple[int, Pairs]] = []
        if free and len(pairs) < self.slots:
            changed.append((number, _inserted(pairs, free, rng)))
        if pairs:
            at = int(rng.integers(len(pairs)))
            primitive, place = pairs[at]
            before, behind = pairs[:at], pairs[at + 1 :]
            changed.append((number, before + behind))
            if here := [pair for pair in free if pair[1] == place]:
                changed.append((number, [*before, one_of(here, rng), *behind]))
            if elsewhere := [pair for pair in free if pair[0] == primitive]:
                changed.append((number, _inserted(before + behind, elsewhere, rng)))
        if self.chooses_number and number < self.most_places:
            new = int(rng.integers(number + 1))
            changed.append((number + 1, [(primitive, place + (place >= new)) for primitive, place in pairs]))
        sparse = [place for place in range(number) if sum(place == other for _, other in pairs) <= 1]
        if self.chooses_number and number > 1 and sparse:
            old = one_of(sparse, rng)
            kept = [(primitive, place - (place > old)) for primitive, place in pairs if place != old]
            changed.append((number - 1, kept))
        number, pairs = one_of(changed, rng)
        return Design.of_pairs(number, pairs, self.slots)

    def is_task(self, design: Design) -> bool:
        """Whether there is anything to do: a site without an active primitive is submitted at once."""
        return self.num_active(design) > 0

    def num_places(self, design: Design) -> int:
        """How many places its tasks have."""
        return 1 + max(place for _, place in design.placed) if self.drops_pages and design.placed else design.num_places

    def num_active(self, design: Design) -> int:
        """Of its primitives, each once on its place, how many have to be done."""
        return len(design.placed)

    def num_lost(self, design: Design) -> int:
        """Of its primitives, how many are placed nowhere, for the steps of an episode would not suffice."""
        return 0


def one_of(choices: Sequence[Any], rng: np.random.Generator) -> Any:
    """One of the choices, all equally likely."""
    return choices[int(rng.integers(len(choices)))]


def _inserted(pairs: Pairs, choices: Pairs, rng: np.random.Generator) -> Pairs:
    """With one of the choices anywhere among the pairs."""
    at = int(rng.integers(len(pairs) + 1))
    return [*pairs[:at], one_of(choices, rng), *pairs[at:]]
