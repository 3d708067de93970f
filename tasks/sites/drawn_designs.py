"""Suites of designs drawn at random by numbers of pages and of primitives, and the arrays that their files keep."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from procgen_bench.core.suites import Arrays
from procgen_bench.core.task_suite import TasksOnDemand, TaskSuite, numbered
from procgen_bench.tasks.sites.design import HORIZON, SiteDesign
from procgen_bench.tasks.sites.library import PrimitiveLibrary
from procgen_bench.tasks.sites.task import SiteTask

DESIGNS_PER_GRADE = 10
_NONE = -1

#: What stands where: (place in the library's catalogue, page).
Placed = tuple[tuple[int, int], ...]
#: Numbers of pages, and of primitives placed, buttons that the renderer adds left out.
Grades = Collection[tuple[int, int]]
#: By name of a primitive the name of another one that stands on its page whenever it does; not placed by itself.
Companions = Mapping[str, str]
NO_COMPANIONS: Companions = MappingProxyType({})


def drawn_arrays(
    library: PrimitiveLibrary,
    grades: Grades,
    taken: Iterable[SiteDesign],
    rng: np.random.Generator,
    companions: Companions = NO_COMPANIONS,
) -> Arrays:
    """Distinct designs, ten of every grade and none of those that are taken, and for each a profile.

    Designs are as in :func:`design_arrays`, ``profiles`` int8 (designs, fields of the library).
    """
    drawn = drawn_designs(library, grades, taken, rng, companions)
    lengths = value_counts(library, library.fields)
    profiles = rng.integers(lengths, size=(len(drawn), len(lengths)), dtype=np.int8)
    return {**design_arrays(drawn), "profiles": profiles}


def drawn_suite(name: str, library: PrimitiveLibrary, arrays: Arrays) -> TaskSuite[SiteTask]:
    """The suite of the arrays of :func:`drawn_arrays`: tasks are named by their number, and built when they are asked
    for.

    Records, int64 (designs,): ``num_fields``, ``steps`` (those of the expert), ``num_pages`` and ``num_primitives``.
    """
    designs = designs_of(library, arrays)

    def build(place: int) -> SiteTask:
        return task_of_values(library, designs[place], library.fields, arrays["profiles"][place])

    tasks = TasksOnDemand(len(designs), build)
    return TaskSuite(name, tasks, numbered(len(designs)), _design_sizes(designs) | task_records(designs, tasks))


def drawn_task(
    library: PrimitiveLibrary,
    grade: tuple[int, int],
    taken: Collection[SiteDesign],
    rng: np.random.Generator,
    companions: Companions = NO_COMPANIONS,
) -> SiteTask:
    """A design of a grade that is none of those that are taken, for any values."""
    while True:
        _, design = drawn_design(library, *grade, rng, companions)
        if design not in taken:
            return task_of_values(library, design, library.fields, rng.integers(value_counts(library, library.fields)))


def drawn_designs(
    library: PrimitiveLibrary,
    grades: Grades,
    taken: Iterable[SiteDesign],
    rng: np.random.Generator,
    companions: Companions = NO_COMPANIONS,
) -> dict[SiteDesign, Placed]:
    """Distinct designs, ten of every grade in turn; none of those that are taken."""
    drawn: dict[SiteDesign, Placed] = {}
    taken = set(taken)
    for num_pages, count in grades:
        wanted = len(drawn) + DESIGNS_PER_GRADE
        while len(drawn) < wanted:
            placed, design = drawn_design(library, num_pages, count, rng, companions)
            if design not in taken:
                drawn.setdefault(design, placed)
    return drawn


def drawn_design(
    library: PrimitiveLibrary,
    num_pages: int,
    count: int,
    rng: np.random.Generator,
    companions: Companions = NO_COMPANIONS,
) -> tuple[Placed, SiteDesign]:
    """A design in which ``count`` primitives are placed, each anywhere; drawn again until all of them are taken up.

    Those of ``companions`` come on top: each stands somewhere on the page of the one that it is for.
    """
    names = tuple(library.catalogue)
    numbers = [number for number, name in enumerate(names) if name not in companions.values()]
    while True:
        places = rng.permutation(len(numbers) * num_pages)[:count]
        placed = [(numbers[int(place) % len(numbers)], int(place) // len(numbers)) for place in places]
        for name, page in [(names[number], page) for number, page in placed]:
            if name in companions:
                placed.insert(int(rng.integers(len(placed) + 1)), (names.index(companions[name]), page))
        num_active = sum(library.catalogue[names[number]].active for number, _ in placed)
        if 0 < num_active <= HORIZON - num_pages:
            pairs = [(names[number], page) for number, page in placed]
            design = SiteDesign.of_pairs(pairs, num_pages, library)
            if set(pairs) <= set(design.pairs):
                return tuple(placed), design


def design_arrays(drawn: dict[SiteDesign, Placed]) -> Arrays:
    """What each of n designs is made of, at most p primitives, all int8: ``num_pages`` (n,), and what stands where,
    ended by -1: ``primitives`` and ``pages`` (n, p)."""
    pairs = np.full((len(drawn), max(map(len, drawn.values())), 2), _NONE, np.int8)
    for row, placed in zip(pairs, drawn.values()):
        row[: len(placed)] = placed
    return {
        "num_pages": np.array([len(design.pages) for design in drawn], np.int8),
        "primitives": pairs[..., 0],
        "pages": pairs[..., 1],
    }


def designs_of(library: PrimitiveLibrary, arrays: Arrays) -> list[SiteDesign]:
    """The designs of the arrays of :func:`design_arrays`, of their shapes; other arrays do not matter."""
    names = tuple(library.catalogue)
    rows = zip(*(arrays[field].tolist() for field in ("primitives", "pages", "num_pages")))
    return [
        SiteDesign.of_pairs([(names[k], page) for k, page in zip(primitives, pages) if k != _NONE], num_pages, library)
        for primitives, pages, num_pages in rows
    ]


def _design_sizes(designs: Sequence[SiteDesign]) -> dict[str, np.ndarray]:
    return {
        "num_pages": np.array([len(design.pages) for design in designs]),
        "num_primitives": np.array([len(design.primitives) for design in designs]),
    }


def value_counts(library: PrimitiveLibrary, fields: Iterable[str]) -> list[int]:
    """How many values each field's list has."""
    return [len(library.value_lists[field]) for field in fields]


def task_of_values(
    library: PrimitiveLibrary, design: SiteDesign, fields: Iterable[str], places: np.ndarray
) -> SiteTask:
    """The task of a design for the values at ``places``, int64 (fields,), of these fields' lists."""
    return SiteTask(design, library.profile(design.fields, dict(zip(fields, places.tolist()))))


def task_records(designs: Sequence[SiteDesign], tasks: Sequence[SiteTask]) -> dict[str, np.ndarray]:
    """Records of n tasks and their designs, int64 (n,): ``num_fields`` and ``steps`` (those of the expert)."""
    return {
        "num_fields": np.array([len(design.fields) for design in designs]),
        "steps": np.array([task.num_steps for task in tasks]),
    }
