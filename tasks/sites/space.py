"""SiteTaskSpace: parameters (40 primitives, their pages, a value per field) between a teacher and the sites."""

import json
from collections.abc import Collection, Iterator
from functools import cached_property
from pathlib import Path

import numpy as np
from gymnasium import spaces

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.task_count import more_than
from procgen_bench.core.task_space import Parameters, TaskSpace
from procgen_bench.tasks.sites.design import (
    DEFAULT_GATE,
    HORIZON,
    LAST_GATE,
    MAX_PAGES,
    SiteDesign,
    has_room,
    place_pairs,
)
from procgen_bench.tasks.sites.libraries import library_of
from procgen_bench.tasks.sites.library import PUBLISHED_LIBRARY, PrimitiveLibrary
from procgen_bench.tasks.sites.primitive import Primitive
from procgen_bench.tasks.sites.published_sites import GRADED_SITES, LEVELS
from procgen_bench.tasks.sites.solver import solve
from procgen_bench.tasks.sites.suites import SUITES
from procgen_bench.tasks.sites.task import SiteTask
from procgen_bench.tasks.sites.variation import NO_VARIATION, Variation, trained_choices, varied_parts
from procgen_bench.tasks.sites.wording import HELD_OUT

#: Primitives that a generator places.
NUM_SLOTS = 40
#: What a slot holds that places none.
SKIP = 0


class SiteTaskSpace(TaskSpace[SiteTask]):
    """The generator's action space (CoDE, section 5) with the data to fill in.

    Raw parameters, with the 40 published primitives and their 24 fields:

    - ``num_pages``: 1 to 10.
    - ``primitives``: int64 (40,), 0 to 40: what the renderer places, in this order; 0 is SKIP, k the k-th primitive of
      the library's catalogue (:data:`~procgen_bench.tasks.sites.primitives.CATALOGUE`).
    - ``pages``: int64 (40,), 0 to 9: on which page, modulo ``num_pages`` (what :meth:`sample` draws needs no modulo).
    - ``profile``: int64 (24,): for every field of the library the place of its value in
      :attr:`~procgen_bench.tasks.sites.library.PrimitiveLibrary.value_lists`; those of fields that are not asked for
      tell nothing.
    - ``variation``: int64 (7,), only where ``variations`` are asked for: places among the choices of
      :class:`~procgen_bench.tasks.sites.variation.Variation`'s parts. Decoys for which a page has no room are left out.

    How a page is put together is :meth:`SiteDesign.of_pairs`. Parameters without an active primitive are no task. A
    task whose variation is none of these, or of which a primitive or a value is in no list, has no parameters. In JSON
    such tasks are their texts (:meth:`SiteTask.to_text`), which stand for a task wherever a name does.

    Args:
        library: What designs are made of: a library, its file, or a name (:data:`libraries.NAMES`).
        variations: Parts of tasks' variations that are drawn, or ``"all"``. Words are never those that are held out.

    Raises:
        InvalidTaskError: There is no such library or part.
    """

    task_type = SiteTask
    task_count = more_than(20)  # two pages of eight primitives each, in any order
    suites = SUITES
    told_apart_by = "their designs"

    def __init__(
        self, library: PrimitiveLibrary | Path | str = PUBLISHED_LIBRARY, variations: Collection[str] | str = ()
    ):
        super().__init__()
        self.library, self.variations = library_of(library), varied_parts(variations)
        self._names, self._fields = tuple(self.library.catalogue), self.library.fields

    @cached_property
    def space(self) -> spaces.Dict:
        """The raw parameters; see the class."""
        choices = trained_choices(self.variations)
        return spaces.Dict(
            {
                "num_pages": spaces.Discrete(MAX_PAGES, start=1),
                "pages": spaces.MultiDiscrete([MAX_PAGES] * NUM_SLOTS),
                "primitives": spaces.MultiDiscrete([1 + len(self._names)] * NUM_SLOTS),
                "profile": spaces.MultiDiscrete([len(self.library.value_lists[field]) for field in self._fields]),
                **({"variation": spaces.MultiDiscrete([len(each) for each in choices])} if self.variations else {}),
            }
        )

    def num_lost(self, params: Parameters) -> int:
        """How many active primitives of ``params``, of ``space``'s shapes and dtypes, are placed nowhere, as 25 steps
        would not suffice for them."""
        return place_pairs(self._pairs(params), int(params["num_pages"]), self.library)[1]

    def _pairs(self, params: Parameters) -> list[tuple[str, int]]:
        """The (primitive, page) pairs that parameters name, in their order."""
        placed = zip(params["primitives"].tolist(), params["pages"].tolist())
        num_pages = int(params["num_pages"])
        return [(self._names[number - 1], page % num_pages) for number, page in placed if number != SKIP]

    def _decode(self, params: Parameters) -> SiteTask:
        design = SiteDesign.of_pairs(self._pairs(params), int(params["num_pages"]), self.library)
        profile = self.library.profile(design.fields, dict(zip(self._fields, params["profile"].tolist())))
        variation = Variation.of_places(params["variation"].tolist()) if self.variations else NO_VARIATION
        return SiteTask(design, profile).varied(variation)

    def encode(self, task: SiteTask) -> Parameters:
        """Slots in the pages' order, then SKIPs, in the class's shapes and dtypes; buttons that the renderer adds by
        itself have none.

        Raises:
            InvalidTaskError: No parameters decode to the task: it holds a primitive that generators do not draw, more
                of them than 40, or a value that is in no list; or it has a variation that they do not draw.
        """
        pairs = list(pairs_to_place(task.design))
        if len(pairs) > NUM_SLOTS:
            raise InvalidTaskError("number of primitives", len(pairs), f"at most {NUM_SLOTS}, to have parameters")
        primitives, pages = np.zeros((2, NUM_SLOTS), np.int64)
        drawn = self._drawn_variation(task)
        for slot, (name, page) in enumerate(pairs):
            if self.library.catalogue.get(name) != task.design.known[name]:
                expected = f"one of the catalogue's {len(self._names)}, to have parameters"
                raise InvalidTaskError(f"primitive {slot}", name, expected)
            primitives[slot], pages[slot] = 1 + self._names.index(name), page
        profile = np.zeros(len(self._fields), np.int64)
        for field, value in task.profile:
            profile[self._fields.index(field)] = self._place_in_list(field, value)
        return {
            "num_pages": np.array(len(task.design.pages), np.int64),
            "pages": pages,
            "primitives": primitives,
            "profile": profile,
            **drawn,
        }

    def sample(self, rng: np.random.Generator) -> Parameters:
        """Parameters, in the class's shapes and dtypes, whose pages are drawn uniformly from those that there are, and
        of which nothing is cut.

        Every slot is one of what the 25 steps and the room on its page still allow, each equally likely: when no
        further active primitive can be filled in, SKIP or a passive one. What has no active primitive at all is drawn
        again.
        """
        while True:
            params = super().sample(rng)
            num_pages = int(params["num_pages"])
            params["pages"] = rng.integers(num_pages, size=NUM_SLOTS)
            pages: list[list[Primitive]] = [[] for _ in range(num_pages)]
            steps = num_pages
            for slot, number in enumerate(params["pages"].tolist()):
                page = pages[number]
                while not self._is_allowed(primitive := self._numbered(params["primitives"][slot]), page, steps):
                    params["primitives"][slot] = rng.integers(1 + len(self._names))
                if primitive is not None and primitive not in page:
                    page.append(primitive)
                    steps += primitive.active
            if steps > num_pages:
                return params

    @staticmethod
    def _is_allowed(primitive: Primitive | None, page: list[Primitive], steps: int) -> bool:
        """Whether nothing is cut where this is placed: nothing, a repeat, or what steps and room are enough for."""
        if primitive is None or primitive in page:
            return True
        return not (primitive.active and steps == HORIZON) and has_room(page, primitive)

    def _numbered(self, number: int) -> Primitive | None:
        """What is placed by a number; ``None`` by SKIP."""
        return None if number == SKIP else self.library.catalogue[self._names[number - 1]]

    def _drawn_variation(self, task: SiteTask) -> Parameters:
        """The parameter of a task's variation, if there is one."""
        text = (task.variation.to_text() or "none").replace("\n", ", ")
        if not self.variations:
            if task.variation != NO_VARIATION:
                raise InvalidTaskError("variation", text, "none, to have parameters")
            return {}
        places, choices = task.variation.places, trained_choices(self.variations)
        if any(place >= len(each) for place, each in zip(places, choices)):
            raise InvalidTaskError("variation", text, f"one of {', '.join(self.variations)} alone, to have parameters")
        return {"variation": np.array(places, np.int64)}

    def mutate(self, task: SiteTask, rng: np.random.Generator) -> SiteTask:
        """The number of pages, one of the 40 slots, the page of one, a value, or a part that varies, drawn again.

        Each is equally likely; what leaves no active primitive is drawn again. SKIPs stand anywhere between the task's
        primitives, so that one that is added can come before others.

        Raises:
            InvalidTaskError: The task has no parameters, as :meth:`encode` says.
        """
        known = self.encode(task)
        used = np.count_nonzero(known["primitives"])
        asked = [self._fields.index(field) for field in task.design.fields]
        while True:
            params, drawn = self._arrays(rng), self._arrays(rng)
            slots = np.sort(rng.permutation(NUM_SLOTS)[:used])
            params["num_pages"][()] = known["num_pages"]
            params["primitives"][:] = SKIP
            params["primitives"][slots] = known["primitives"][:used]
            params["pages"][slots] = known["pages"][:used]
            params["profile"][asked] = known["profile"][asked]
            places = {"num_pages": [()], "primitives": range(NUM_SLOTS), "pages": slots, "profile": asked}
            if self.variations:
                params["variation"][:] = known["variation"]
                places["variation"] = [k for k, each in enumerate(trained_choices(self.variations)) if len(each) > 1]
            choices = [(name, place) for name in places for place in places[name]]
            name, place = choices[rng.integers(len(choices))]
            params[name][place] = drawn[name][place]
            if any(one is not None and one.active for one in map(self._numbered, params["primitives"].tolist())):
                return self.decode(params)

    def validate(self, task: SiteTask) -> None:
        """See :meth:`SiteTask.validate`; tasks without parameters are valid, too."""
        task.validate()

    def hold_out_marks(self, task: SiteTask) -> frozenset[str]:
        """The design (what is filled in, and how, makes no other site of it), held-out words, and own primitives."""
        words = [HELD_OUT] if task.variation.held_out else []
        return frozenset((task.design.fingerprint(), *words, *(one.content for one in task.design.own)))

    def symmetry_marks(self, task: SiteTask) -> frozenset[str]:
        """One of what is on its pages beside the buttons that leave them, pages and what is on them in any order."""
        known = task.design.known
        pages = [
            sorted(name for name in page if not (known[name].leaves or known[name].submits))
            for page in task.design.pages
        ]
        return frozenset((json.dumps(sorted(pages)),))

    def solve(self, task: SiteTask) -> np.ndarray:
        """The scripted expert's actions (element, field), int64 (K, 2); every valid task has them."""
        return solve(task)

    def _place_in_list(self, field: str, value: str) -> int:
        values = self.library.value_lists[field]
        if value not in values:
            expected = f"one of its value list's {len(values)}, to have parameters"
            raise InvalidTaskError(f"value of {field}", value, expected)
        return values.index(value)

    def _arrays(self, rng: np.random.Generator) -> Parameters:
        return {name: np.array(value) for name, value in self.sample(rng).items()}

    def _name_of(self, task: SiteTask) -> str:
        try:
            return super()._name_of(task)
        except InvalidTaskError:
            return task.to_text()

    def _named(self, name: str) -> SiteTask:
        if "\n" in name:
            return SiteTask.from_text(name)
        site, _, level = name.partition("/")
        if site in GRADED_SITES and level in map(str, LEVELS):
            return super()._named(f"test/{site}-{level}-0")
        return super()._named(name)


def pairs_to_place(design: SiteDesign) -> Iterator[tuple[str, int]]:
    """The (primitive, page) pairs of a design but for the buttons that :meth:`SiteDesign.of_pairs` adds by itself."""
    for number, page in enumerate(design.pages):
        last = number + 1 == len(design.pages)
        gates = [name for name in page if (design.known[name].submits if last else design.known[name].leaves)]
        added = gates == [page[-1]] == [LAST_GATE if last else DEFAULT_GATE]
        yield from ((name, number) for name in (page[:-1] if added else page))
