"""SiteTaskSpace: 105 parameters (40 primitives, their pages, a value per field) between a teacher and the sites."""

from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from gymnasium import spaces

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.task_space import Parameters, TaskSpace
from procgen_bench.tasks.sites.design import DEFAULT_GATE, HORIZON, LAST_GATE, MAX_PAGES, SiteDesign
from procgen_bench.tasks.sites.primitives import CATALOGUE, CATALOGUE_FIELDS, PRIMITIVES
from procgen_bench.tasks.sites.profiles import listed_profile, value_lists
from procgen_bench.tasks.sites.published_sites import GRADED_SITES, LEVELS
from procgen_bench.tasks.sites.solver import solve
from procgen_bench.tasks.sites.suites import SUITES
from procgen_bench.tasks.sites.task import SiteTask
from procgen_bench.tasks.sites.variation import NO_VARIATION
from procgen_bench.tasks.sites.wording import HELD_OUT

#: Primitives that a generator places.
NUM_SLOTS = 40
#: What a slot holds that places none.
SKIP = 0

_NAMES = tuple(CATALOGUE)


class SiteTaskSpace(TaskSpace[SiteTask]):
    """The generator's action space (CoDE, section 5) with the data to fill in.

    Raw parameters:

    - ``num_pages``: 1 to 10.
    - ``primitives``: int64 (40,), 0 to 40: what the renderer places, in this order; 0 is SKIP, k the k-th primitive of
      :data:`~procgen_bench.tasks.sites.primitives.CATALOGUE`.
    - ``pages``: int64 (40,), 0 to 9: on which page, modulo ``num_pages`` (what :meth:`sample` draws needs no modulo).
    - ``profile``: int64 (24,): for every field of the catalogue the place of its value in
      :func:`~procgen_bench.tasks.sites.profiles.value_lists`; those of fields that are not asked for tell nothing.

    How a page is put together is :meth:`SiteDesign.of_pairs`. Parameters without an active primitive are no task. Tasks
    with a variation have no parameters: it is off in all that the space holds.
    """

    task_type = SiteTask
    suites = SUITES
    space: ClassVar[spaces.Dict] = spaces.Dict(
        {
            "num_pages": spaces.Discrete(MAX_PAGES, start=1),
            "pages": spaces.MultiDiscrete([MAX_PAGES] * NUM_SLOTS),
            "primitives": spaces.MultiDiscrete([1 + len(CATALOGUE)] * NUM_SLOTS),
            "profile": spaces.MultiDiscrete([len(value_lists()[field]) for field in CATALOGUE_FIELDS]),
        }
    )

    def _decode(self, params: Parameters) -> SiteTask:
        num_pages = int(params["num_pages"])
        placed = zip(params["primitives"].tolist(), params["pages"].tolist())
        pairs = [(_NAMES[number - 1], page % num_pages) for number, page in placed if number != SKIP]
        design = SiteDesign.of_pairs(pairs, num_pages)
        return SiteTask(design, listed_profile(design.fields, dict(zip(CATALOGUE_FIELDS, params["profile"].tolist()))))

    def encode(self, task: SiteTask) -> Parameters:
        """Slots in the pages' order, then SKIPs; buttons that the renderer adds by itself have none.

        Raises:
            InvalidTaskError: No parameters decode to the task: it holds a primitive that generators do not draw, more
                of them than 40, or a value that is in no list; or it has a variation.
        """
        pairs = list(_pairs_to_place(task.design))
        if len(pairs) > NUM_SLOTS:
            raise InvalidTaskError("number of primitives", len(pairs), f"at most {NUM_SLOTS}, to have parameters")
        primitives, pages = np.zeros((2, NUM_SLOTS), np.int64)
        if task.variation != NO_VARIATION:
            raise InvalidTaskError(
                "variation", task.variation.to_text().replace("\n", ", "), "none, to have parameters"
            )
        for slot, (name, page) in enumerate(pairs):
            if name not in CATALOGUE:
                raise InvalidTaskError(f"primitive {slot}", name, "one of the catalogue's 40, to have parameters")
            primitives[slot], pages[slot] = 1 + _NAMES.index(name), page
        profile = np.zeros(len(CATALOGUE_FIELDS), np.int64)
        for field, value in task.profile:
            profile[CATALOGUE_FIELDS.index(field)] = _place_in_list(field, value)
        return {
            "num_pages": np.array(len(task.design.pages), np.int64),
            "pages": pages,
            "primitives": primitives,
            "profile": profile,
        }

    def sample(self, rng: np.random.Generator) -> Parameters:
        """Parameters whose pages are drawn uniformly from those that there are, and of which nothing is cut.

        Every slot is one of what the 25 steps still allow, each equally likely: when no further active primitive can be
        filled in, SKIP or a passive one. What has no active primitive at all is drawn again.
        """
        while True:
            params = super().sample(rng)
            num_pages = int(params["num_pages"])
            params["pages"] = rng.integers(num_pages, size=NUM_SLOTS)
            placed: set[tuple[int, int]] = set()
            for slot, page in enumerate(params["pages"].tolist()):
                while self._exceeds(place := (int(params["primitives"][slot]), page), placed, num_pages):
                    params["primitives"][slot] = rng.integers(1 + len(CATALOGUE))
                if _is_active(place[0]):
                    placed.add(place)
            if placed:
                return params

    @staticmethod
    def _exceeds(place: tuple[int, int], placed: set[tuple[int, int]], num_pages: int) -> bool:
        """Whether the steps are too few for one more active primitive, which is not a repeat."""
        return _is_active(place[0]) and place not in placed and len(placed) + num_pages == HORIZON

    def mutate(self, task: SiteTask, rng: np.random.Generator) -> SiteTask:
        """The number of pages, one of the 40 slots, the page of one, or a value that is asked for drawn anew.

        Each is equally likely; what leaves no active primitive is drawn again. SKIPs stand anywhere between the task's
        primitives, so that one that is added can come before others.

        Raises:
            InvalidTaskError: The task has no parameters, as :meth:`encode` says.
        """
        known = self.encode(task)
        used = np.count_nonzero(known["primitives"])
        asked = [CATALOGUE_FIELDS.index(field) for field in task.design.fields]
        while True:
            params, drawn = self._arrays(rng), self._arrays(rng)
            slots = np.sort(rng.permutation(NUM_SLOTS)[:used])
            params["num_pages"][()] = known["num_pages"]
            params["primitives"][:] = SKIP
            params["primitives"][slots] = known["primitives"][:used]
            params["pages"][slots] = known["pages"][:used]
            params["profile"][asked] = known["profile"][asked]
            places = {"num_pages": [()], "primitives": range(NUM_SLOTS), "pages": slots, "profile": asked}
            choices = [(name, place) for name in places for place in places[name]]
            name, place = choices[rng.integers(len(choices))]
            params[name][place] = drawn[name][place]
            if _asks_for_a_field(params["primitives"]):
                return self.decode(params)

    def validate(self, task: SiteTask) -> None:
        """See :meth:`SiteTask.validate`; tasks without parameters are valid, too."""
        task.validate()

    def hold_out_marks(self, task: SiteTask) -> frozenset[str]:
        """The design: what is filled in, and how, makes no other site of it; and words that are held out."""
        return frozenset((task.design.fingerprint(), *([HELD_OUT] if task.variation.held_out else [])))

    def solve(self, task: SiteTask) -> np.ndarray:
        """The scripted expert's actions (element, field), int64 (K, 2); every valid task has them."""
        return solve(task)

    def _arrays(self, rng: np.random.Generator) -> Parameters:
        return {name: np.array(value) for name, value in self.sample(rng).items()}

    def _named(self, name: str) -> SiteTask:
        site, _, level = name.partition("/")
        if site in GRADED_SITES and level in map(str, LEVELS):
            return super()._named(f"test/{site}-{level}-0")
        return super()._named(name)


def _asks_for_a_field(primitives: np.ndarray) -> bool:
    return any(map(_is_active, primitives.tolist()))


def _is_active(number: int) -> bool:
    return number != SKIP and CATALOGUE[_NAMES[number - 1]].active


def _pairs_to_place(design: SiteDesign) -> Iterator[tuple[str, int]]:
    """The (primitive, page) pairs of a design but for the buttons that :meth:`SiteDesign.of_pairs` adds by itself."""
    for number, page in enumerate(design.pages):
        last = number + 1 == len(design.pages)
        gates = [name for name in page if (PRIMITIVES[name].submits if last else PRIMITIVES[name].leaves)]
        added = gates == [page[-1]] == [LAST_GATE if last else DEFAULT_GATE]
        yield from ((name, number) for name in (page[:-1] if added else page))


def _place_in_list(field: str, value: str) -> int:
    values = value_lists()[field]
    if value not in values:
        raise InvalidTaskError(f"value of {field}", value, f"one of its value list's {len(values)}, to have parameters")
    return values.index(value)
