"""Designs: which primitives a generator places where, and what tasks of a family they are."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from procgen_bench.core.errors import InvalidOptionError, UnsupportedEnvironmentError
from procgen_bench.core.registrations import family_id
from procgen_bench.core.task import Task
from procgen_bench.core.task_space import TaskSpace
from procgen_bench.tasks.compositional_minigrid import CompositionalMiniGridTask, CompositionalMiniGridTaskSpace
from procgen_bench.tasks.compositional_minigrid.subtasks import NUM_SUBTASKS
from procgen_bench.tasks.grid_world.space import GridWorldTaskSpace
from procgen_bench.tasks.grid_world.task import ABSENT, EMPTY, GOAL, NUM_OBJECTS, SIDE, GridWorldTask
from procgen_bench.tasks.sites.design import MAX_PAGES
from procgen_bench.tasks.sites.space import NUM_SLOTS, SKIP, SiteTaskSpace
from procgen_bench.tasks.sites.task import SiteTask

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
                changed.append((number, [*before, _one_of(here, rng), *behind]))
            if elsewhere := [pair for pair in free if pair[0] == primitive]:
                changed.append((number, _inserted(before + behind, elsewhere, rng)))
        if self.chooses_number and number < self.most_places:
            new = int(rng.integers(number + 1))
            changed.append((number + 1, [(primitive, place + (place >= new)) for primitive, place in pairs]))
        sparse = [place for place in range(number) if sum(place == other for _, other in pairs) <= 1]
        if self.chooses_number and number > 1 and sparse:
            old = _one_of(sparse, rng)
            kept = [(primitive, place - (place > old)) for primitive, place in pairs if place != old]
            changed.append((number - 1, kept))
        number, pairs = _one_of(changed, rng)
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


class SiteDesigns(DesignSpace):
    """Primitives of the library on up to ten pages."""

    most_places, chooses_number, most_slots = MAX_PAGES, True, NUM_SLOTS

    def __init__(self, space: SiteTaskSpace):
        self._space = space
        self.primitives = tuple(space.library.catalogue)
        self._active = np.array([False, *(one.active for one in space.library.catalogue.values())])

    def tasks(self, design: Design, count: int, rng: np.random.Generator) -> list[Task]:
        """With values drawn uniformly, and one variation where the space has them."""
        params, parts = self._params(design), self._space.space.spaces
        drawn = [np.asarray(rng.integers(parts["profile"].nvec)) for _ in range(count)]  # type: ignore[attr-defined]
        if "variation" in parts:
            params["variation"] = np.asarray(rng.integers(parts["variation"].nvec))  # type: ignore[attr-defined]
        first = self._space.decode(params | {"profile": drawn[0]})
        fields, library = first.design.fields, self._space.library
        places = [dict(zip(library.fields, own.tolist())) for own in drawn[1:]]
        return [first, *(replace(first, profile=library.profile(fields, own)) for own in places)]

    def design_of(self, task: Task) -> Design:
        """Without what is lost, and without buttons that the pages get by themselves."""
        assert isinstance(task, SiteTask)
        params = self._space.encode(task)
        return Design(int(params["num_pages"]), params["primitives"][: self.slots], params["pages"][: self.slots])

    def num_active(self, design: Design) -> int:
        """Those that ask for a field."""
        return sum(bool(self._active[primitive]) for primitive, _ in design.placed)

    def num_lost(self, design: Design) -> int:
        """See :meth:`SiteTaskSpace.num_lost`."""
        return self._space.num_lost(self._params(design))

    def _params(self, design: Design) -> dict[str, np.ndarray]:
        primitives, pages = np.full((2, NUM_SLOTS), SKIP, np.int64)
        primitives[: len(design.primitives)] = design.primitives
        pages[: len(design.places)] = design.places
        return {"num_pages": np.array(self.num_places(design)), "primitives": primitives, "pages": pages}


class RoomDesigns(DesignSpace):
    """Subtasks of a room, in any order: without one it is to be walked to the goal."""

    def __init__(self, space: CompositionalMiniGridTaskSpace):
        self._space = space
        self.most_slots = NUM_SUBTASKS
        self.primitives = tuple(f"subtask {number}" for number in range(self.most_slots))

    def tasks(self, design: Design, count: int, rng: np.random.Generator) -> list[Task]:
        """With the agent and the things on drawn tiles."""
        subtasks = np.zeros(self.most_slots, np.int8)
        subtasks[[primitive - 1 for primitive, _ in design.placed]] = 1
        return [self._space.sample_placement(subtasks, rng) for _ in range(count)]

    def design_of(self, task: Task) -> Design:
        """Its subtasks."""
        assert isinstance(task, CompositionalMiniGridTask)
        pairs = [(1 + number, 0) for number in np.flatnonzero(task.subtasks).tolist()]
        return Design.of_pairs(self.most_places, pairs, self.slots)

    def is_task(self, design: Design) -> bool:
        """The goal is always there."""
        return True


class GridDesigns(DesignSpace):
    """Walls, lava, goal, doors and keys on the 64 tiles; what is not placed is absent, the goal anywhere."""

    primitives = ("wall", "lava", "goal", "door 1", "door 2", "key 1", "key 2")
    most_places, most_slots = SIDE * SIDE, SIDE * SIDE

    def __init__(self, space: GridWorldTaskSpace):
        self._space = space

    def tasks(self, design: Design, count: int, rng: np.random.Generator) -> list[Task]:
        """Of walls and lava on a tile the last one stands there; an object takes their place."""
        return [self._task(design, rng) for _ in range(count)]

    def design_of(self, task: Task) -> Design:
        """With its goal, unless the choices are all used without it: then it was put anywhere."""
        assert isinstance(task, GridWorldTask)
        rows, columns = np.nonzero(task.tiles != EMPTY)
        pairs = [(int(task.tiles[y, x]), SIDE * y + x) for y, x in zip(rows.tolist(), columns.tolist())]
        for number in [*range(GOAL + 1, NUM_OBJECTS), GOAL]:
            x, y = task.objects[number].tolist()
            if x != ABSENT:
                pairs.append((3 + number, SIDE * (y - 1) + x - 1))
        return Design.of_pairs(self.most_places, pairs[: self.slots], self.slots)

    def _task(self, design: Design, rng: np.random.Generator) -> Task:
        tiles = np.zeros((SIDE, SIDE, 3), np.float32)
        tiles[..., 0] = 1
        cells = np.full((NUM_OBJECTS, 2), 0.5, np.float32)  # on the border wall: absent
        cells[0] = 1.5 + rng.integers(SIDE, size=2)
        for primitive, place in design.placed:
            x, y = place % SIDE, place // SIDE
            if primitive <= 2:
                tiles[y, x] = np.eye(3, dtype=np.float32)[primitive]
            else:
                cells[primitive - 3] = 1.5 + x, 1.5 + y
        return self._space.decode({"tiles": tiles, "coordinates": cells})

    def is_task(self, design: Design) -> bool:
        """There is a goal."""
        return True


_KINDS = {
    "GMiniWoB-v0": (SiteDesigns, SiteTaskSpace),
    "GMiniWoBLiteral-v0": (SiteDesigns, SiteTaskSpace),
    "CompositionalMiniGrid-v0": (RoomDesigns, CompositionalMiniGridTaskSpace),
    "CompositionalMiniGridSparse-v0": (RoomDesigns, CompositionalMiniGridTaskSpace),
    "GridWorld-v0": (GridDesigns, GridWorldTaskSpace),
}


def design_space(
    environment_id: str, space: TaskSpace, slots: int, most_places: int, drops_pages: bool = False
) -> DesignSpace:
    """The designs of an environment, of so many choices and at most so many places.

    With ``drops_pages`` sites are without the empty pages at their end, as published.

    Raises:
        UnsupportedEnvironmentError: Its tasks are not made of primitives.
        InvalidOptionError: A design does not take so many, or it has no pages and a number of them is given.
    """
    known = family_id(environment_id)
    if known not in _KINDS:
        raise UnsupportedEnvironmentError("a generator of designs", environment_id, _KINDS)
    kind, expected = _KINDS[known]
    assert isinstance(space, expected)  # as its environment's is
    designs: DesignSpace = kind(space)  # type: ignore[arg-type]
    designs.slots = slots
    if slots > designs.most_slots:
        raise InvalidOptionError(f"slots is {slots}, expected at most {designs.most_slots} in {environment_id}")
    designs.drops_pages = drops_pages
    if designs.chooses_number:
        if most_places > designs.most_places:
            raise InvalidOptionError(f"pages is {most_places}, expected at most {designs.most_places}")
        designs.most_places = most_places
    elif drops_pages:
        raise InvalidOptionError(f"pages is 'used', expected 'all': designs of {environment_id} have no pages")
    elif most_places != MAX_PAGES:
        raise InvalidOptionError(
            f"pages is {most_places}, expected {MAX_PAGES}, the default: designs of {environment_id} have no pages"
        )
    return designs


def _one_of(choices: Sequence[Any], rng: np.random.Generator) -> Any:
    return choices[int(rng.integers(len(choices)))]


def _inserted(pairs: Pairs, choices: Pairs, rng: np.random.Generator) -> Pairs:
    """With one of the choices anywhere among the pairs."""
    at = int(rng.integers(len(pairs) + 1))
    return [*pairs[:at], _one_of(choices, rng), *pairs[at:]]
