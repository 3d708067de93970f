"""The suites of sites: those that methods are tested on, these in other words and orders, and designs drawn at random.

The fifth is of primitives that are not published: :mod:`procgen_bench.tasks.sites.invented_suite`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from procgen_bench.core.suites import Arrays, FamilySuites, SuiteDescriptor
from procgen_bench.core.task_suite import TasksOnDemand, TaskSuite
from procgen_bench.tasks.sites.design import MAX_PAGES, SiteDesign
from procgen_bench.tasks.sites.drawn_designs import (
    DESIGNS_PER_GRADE,
    drawn_arrays,
    drawn_suite,
    drawn_task,
    task_of_values,
    task_records,
    value_counts,
)
from procgen_bench.tasks.sites.invented_libraries import libraries_of
from procgen_bench.tasks.sites.invented_suite import another_invention, invented_arrays, invented_suite
from procgen_bench.tasks.sites.library import PUBLISHED_LIBRARY, PrimitiveLibrary
from procgen_bench.tasks.sites.primitives import FIELDS
from procgen_bench.tasks.sites.published_sites import (
    GRADED_SITES,
    LEVELS,
    MINIWOB_SITES,
    MOST_ON_PAGE,
    MOST_PAGES,
    NO_LEVEL,
    SITES,
    graded_design,
    in_another_order,
    miniwob_design,
    published_designs,
)
from procgen_bench.tasks.sites.task import SiteTask
from procgen_bench.tasks.sites.templates import LABEL
from procgen_bench.tasks.sites.variation import AFTER, BEFORE, CHOICES, MIXED, NO_VARIATION, Variation
from procgen_bench.tasks.sites.wording import HELD_OUT, PUBLISHED

TEST_SEED, NUM_PROFILES = 20_601, 20
RANDOM_SEED = 20_602
VARIED_SEED, NUM_VARIATIONS = 20_603, 10
PICTURES_SEED = 20_605
#: What parts of a variation can be in each of the suites of these.
Choices = Mapping[str, tuple[str, ...]]
ORDERED: Choices = MappingProxyType({"decoys": (NO_VARIATION.decoys, BEFORE, AFTER)})
VARIED: Choices = MappingProxyType({"decoys": (MIXED,)})
#: Every line has a label that is seen, above it.
PICTURES: Choices = MappingProxyType({**VARIED, "naming": (LABEL,), "order": (PUBLISHED,)})
#: Numbers of primitives placed, buttons that the renderer adds left out.
PLACED = (4, 8, 16, 24, 32)
#: The grades of random designs: (pages, primitives placed).
GRADES = tuple(product(range(1, MAX_PAGES + 1), PLACED))


def published_arrays(_: Any) -> Arrays:
    """Profiles as places in the value lists of all fields: int8 (20, 25); none comes twice where there are 20."""
    rng = np.random.default_rng(TEST_SEED)
    columns = [np.concatenate([rng.permutation(n) for _ in range(-(-NUM_PROFILES // n))]) for n in _lengths(FIELDS)]
    return {"profiles": np.stack([column[:NUM_PROFILES] for column in columns], axis=1).astype(np.int8)}


def ordered_arrays(_: Any) -> Arrays:
    """Profiles, and variations as places among the choices of each part: int8 (200, 25) and (200, 7)."""
    return _of_variations(np.random.default_rng(VARIED_SEED), ORDERED)


def varied_arrays(_: Any) -> Arrays:
    """As :func:`ordered_arrays`, and ``orders``, int8 (200, 3, 9): permutations for pages (:func:`_drawn_orders`)."""
    return _in_any_order(np.random.default_rng(VARIED_SEED), VARIED)


def pictures_arrays(_: Any) -> Arrays:
    """As :func:`varied_arrays`, with its int8 arrays ``profiles`` (200, 25), ``variations`` (200, 7) and ``orders``."""
    return _in_any_order(np.random.default_rng(PICTURES_SEED), PICTURES)


def _in_any_order(rng: np.random.Generator, choices: Choices) -> Arrays:
    arrays = _of_variations(rng, choices)
    return {**arrays, "orders": np.array([_drawn_orders(rng) for _ in arrays["profiles"]], np.int8)}


def _of_variations(rng: np.random.Generator, choices: Choices) -> Arrays:
    count = len(GRADED_SITES) * len(LEVELS) * NUM_VARIATIONS
    lengths = _lengths(FIELDS)
    variations = [_drawn_variation(rng, choices).places for _ in range(count)]
    return {
        "profiles": rng.integers(lengths, size=(count, len(lengths)), dtype=np.int8),
        "variations": np.array(variations, np.int8),
    }


def _drawn_variation(rng: np.random.Generator, choices: Choices) -> Variation:
    """Words that are held out; all else is drawn, some parts from these choices alone."""
    drawn = {name: every[rng.integers(len(every))] for name, every in (CHOICES | choices).items()}
    return Variation(**drawn | {"labels": HELD_OUT})


def _drawn_orders(rng: np.random.Generator) -> np.ndarray:
    """A permutation for every page that a site may have; see :func:`in_another_order`."""
    return rng.permuted(np.tile(np.arange(MOST_ON_PAGE), (MOST_PAGES, 1)), axis=1)


def random_arrays(_: Any) -> Arrays:
    """500 distinct designs, ten of every grade, with a profile each (arrays of :func:`.drawn_arrays`); none is one that
    methods are tested on."""
    return drawn_arrays(PUBLISHED_LIBRARY, GRADES, published_designs(), np.random.default_rng(RANDOM_SEED))


def published_suite(name: str, arrays: Arrays) -> TaskSuite[SiteTask]:
    """The paper's five sites at four levels and MiniWoB's three (460 tasks), each for 20 profiles
    (:func:`published_arrays`).

    Tasks are named by site, level and profile (``"login-4-17"``, ``"enter-password-17"``), and built when they are
    asked for. Records, int64 (460,): ``num_fields``, ``steps`` (those of the expert), ``site`` (its place in
    :data:`~procgen_bench.tasks.sites.published_sites.SITES`) and ``level`` (-1 where the site has none).
    """
    profiles = arrays["profiles"]
    numbers = range(len(profiles))
    rows = [(site, level, number) for site in GRADED_SITES for level in LEVELS for number in numbers]
    rows += [(site, NO_LEVEL, number) for site in MINIWOB_SITES for number in numbers]
    designs = [miniwob_design(site, k) if level == NO_LEVEL else graded_design(site, level) for site, level, k in rows]

    def build(place: int) -> SiteTask:
        return _task(designs[place], FIELDS, profiles[rows[place][2]])

    return _suite_of_sites(name, rows, designs, build)


def varied_suite(name: str, arrays: Arrays) -> TaskSuite[SiteTask]:
    """The paper's five sites at four levels in words that are held out, ten times each (200 tasks).

    ``arrays`` are :func:`varied_arrays` (int8), or those of another of the three. Looks and instructions vary, too. In
    ``varied`` pages ask in an order of their own, and decoys stand on either side; ``ordered`` is the control: the
    published order, and all decoys of a task on one side, or none. ``pictures`` is as ``varied``, but every line has a
    label above it, so that a person can read its pictures. Names and records are as in :func:`published_suite`.
    """
    rows = [(site, level, k) for site in GRADED_SITES for level in LEVELS for k in range(NUM_VARIATIONS)]
    designs = [graded_design(site, level) for site, level, _ in rows]
    if "orders" in arrays:
        designs = [in_another_order(one, orders) for one, orders in zip(designs, arrays["orders"].tolist())]

    def build(place: int) -> SiteTask:
        variation = Variation.of_places(arrays["variations"][place].tolist())
        return replace(_task(designs[place], FIELDS, arrays["profiles"][place]), variation=variation)

    return _suite_of_sites(name, rows, designs, build)


def _suite_of_sites(
    name: str, rows: list[tuple[str, int, int]], designs: list[SiteDesign], build: Callable[[int], SiteTask]
) -> TaskSuite[SiteTask]:
    """A suite whose rows are a site, its level and a number."""
    names = tuple("-".join(str(part) for part in row if part != NO_LEVEL) for row in rows)
    sites_and_levels = {
        "site": np.array([SITES.index(site) for site, _, _ in rows]),
        "level": np.array([level for _, level, _ in rows]),
    }
    tasks = TasksOnDemand(len(rows), build)
    return TaskSuite(name, tasks, names, sites_and_levels | task_records(designs, tasks))


def random_suite(name: str, arrays: Arrays) -> TaskSuite[SiteTask]:
    """Ten designs of every number of pages and of primitives placed (:data:`GRADES`; 500 tasks), none of ``test``.

    ``arrays`` are those of :func:`random_arrays` (int8). Names and records are as in
    :func:`~procgen_bench.tasks.sites.drawn_designs.drawn_suite`.
    """
    return drawn_suite(name, PUBLISHED_LIBRARY, arrays)


def another_profile(_: Any, suite: TaskSuite, place: int, rng: np.random.Generator) -> SiteTask:
    """The site of the suite's task at ``place``, for any values."""
    return _task(suite.tasks[place].design, FIELDS, rng.integers(_lengths(FIELDS)))


def another_ordered(_: Any, suite: TaskSuite, place: int, rng: np.random.Generator) -> SiteTask:
    """The site of the suite's task at ``place``, for any values, in any look with words that are held out."""
    return replace(another_profile(_, suite, place, rng), variation=_drawn_variation(rng, ORDERED))


def another_variation(_: Any, suite: TaskSuite, place: int, rng: np.random.Generator) -> SiteTask:
    """As :func:`another_ordered`, in any order, with decoys on either side."""
    return _another_order(another_profile(_, suite, place, rng), VARIED, rng)


def another_picture(_: Any, suite: TaskSuite, place: int, rng: np.random.Generator) -> SiteTask:
    """As :func:`another_variation`, with labels that are seen."""
    return _another_order(another_profile(_, suite, place, rng), PICTURES, rng)


def _another_order(task: SiteTask, choices: Choices, rng: np.random.Generator) -> SiteTask:
    design = in_another_order(task.design, _drawn_orders(rng).tolist())
    return replace(task, design=design, variation=_drawn_variation(rng, choices))


def another_design(_: Any, _suite: TaskSuite, place: int, rng: np.random.Generator) -> SiteTask:
    """A design that is in no suite, of the grade of the suite's at ``place``, for any values."""
    return drawn_task(PUBLISHED_LIBRARY, GRADES[place // DESIGNS_PER_GRADE], _every_design(), rng)


@cache
def invented_libraries() -> tuple[PrimitiveLibrary, PrimitiveLibrary]:
    """The library of invented primitives to train with, and that of those which are held out."""
    return libraries_of(SUITES.read("invented"))


def _another_invention(_: Any, suite: TaskSuite, place: int, rng: np.random.Generator) -> SiteTask:
    return another_invention(invented_libraries()[1], suite, place, rng)


@cache
def _every_design() -> frozenset[SiteDesign]:
    """Those of the suites of published primitives."""
    drawn = (task.design for suite in ("random", "varied") for task in SUITES.load(suite))
    return frozenset([*published_designs(), *drawn])


def _lengths(fields: Iterable[str]) -> list[int]:
    return value_counts(PUBLISHED_LIBRARY, fields)


def _task(design: SiteDesign, fields: Iterable[str], places: np.ndarray) -> SiteTask:
    return task_of_values(PUBLISHED_LIBRARY, design, fields, places)


SUITES = FamilySuites[SiteTask](
    Path(__file__).parent / "data",
    (
        SuiteDescriptor(
            "test",
            published_suite,
            "e4ff95cdfa9a7afa97232980ce0fca23d1d8505cb98d644119387fcd03bd03bf",
            published_arrays,
            another_profile,
            repeats_marks=True,
        ),
        SuiteDescriptor(
            "random",
            random_suite,
            "e492b0f26ba5e5feda08be09c1b5aafcf243c681e0768b83c8decf82c45f376c",
            random_arrays,
            another_design,
        ),
        SuiteDescriptor(
            "varied",
            varied_suite,
            "4b1c4797a17a90d1b1ac6f2865d2c20fe6b521981a0e2e492a8d74e16cce1afd",
            varied_arrays,
            another_variation,
            repeats_marks=True,
        ),
        SuiteDescriptor(
            "ordered",
            varied_suite,
            "78b8f664382b28680c6811d2ce8bb0bceeaa6a1973e4e7cfa4c04be225cf6515",
            ordered_arrays,
            another_ordered,
            repeats_marks=True,
        ),
        SuiteDescriptor(
            "pictures",
            varied_suite,
            "cd3b975bc518325f139bd95156acc89cbd78bc713e7488112a9b248399826ab0",
            pictures_arrays,
            another_picture,
            repeats_marks=True,
        ),
        SuiteDescriptor(
            "invented",
            invented_suite,
            "ad55b4118079b81f9a92cc20b6bc1ceb43794d181a00afafba0c8537f0dde429",
            invented_arrays,
            _another_invention,
            repeats_marks=True,
        ),
    ),
)
