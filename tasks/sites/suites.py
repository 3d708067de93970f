"""The suites of sites: those that methods are tested on, and designs drawn at random, graded by their size."""

import importlib.resources
from collections.abc import Iterable, Mapping

import numpy as np

from procgen_bench.errors import UnknownNameError
from procgen_bench.suite_file import read_suite_file
from procgen_bench.task_suite import TasksOnDemand, TaskSuite
from procgen_bench.tasks.sites.design import SiteDesign
from procgen_bench.tasks.sites.primitives import CATALOGUE, CATALOGUE_FIELDS, FIELDS
from procgen_bench.tasks.sites.profiles import listed_profile
from procgen_bench.tasks.sites.published_sites import (
    GRADED_SITES,
    LEVELS,
    MINIWOB_SITES,
    NO_LEVEL,
    SITES,
    graded_design,
    miniwob_design,
)
from procgen_bench.tasks.sites.task import SiteTask

SUITE_NAMES = ("test", "random")

#: SHA-256 over each data file's arrays; ``python -m procgen_bench.tasks.sites.generate`` writes the files and prints
#: these.
CHECKSUMS = {
    "test": "62ed4ae65e652d463a064d55727640e7f7209c1ce1cee8809b2cf0984397e3e4",
    "random": "65b321b2781cbe139a67b5c4c0c7136dd37f051fc600bb86425ef98c6c41f419",
}

_NAMES = tuple(CATALOGUE)


def load_suite(name: str) -> TaskSuite:
    """The suite ``name``; its tasks are built when they are asked for.

    ``test`` (460) holds the paper's five sites at four levels and MiniWoB's three, each for 20 profiles; tasks are
    named by site, level and profile (``"login-4-17"``, ``"enter-password-17"``). ``random`` (500) holds ten designs of
    every number of pages and of primitives placed (:data:`~procgen_bench.tasks.sites.generate.GRADES`), none of them a
    design of ``test``; tasks are named by their place (``"0"``, ``"1"``, ...).

    Records, int64: ``num_fields`` and ``steps`` (those of the expert) of both; of ``test`` ``site`` (its place in
    :data:`~procgen_bench.tasks.sites.published_sites.SITES`) and ``level`` (-1 where the site has none); of ``random``
    ``num_pages`` and ``num_primitives``.

    Raises:
        UnknownNameError: There is no such suite.
        CorruptSuiteError: The suite's file does not hold what was published.
    """
    if name not in SUITE_NAMES:
        raise UnknownNameError("suite", name, list(SUITE_NAMES))
    path = importlib.resources.files("procgen_bench.tasks.sites") / "data" / f"{name}.npz"
    arrays = read_suite_file(path, CHECKSUMS[name])
    return _test_suite(arrays["profiles"]) if name == "test" else _random_suite(arrays)


def _test_suite(profiles: np.ndarray) -> TaskSuite:
    """Every published design with every profile: (20, 25), places in the fields' value lists."""
    numbers = range(len(profiles))
    rows = [(site, level, number) for site in GRADED_SITES for level in LEVELS for number in numbers]
    rows += [(site, NO_LEVEL, number) for site in MINIWOB_SITES for number in numbers]
    designs = [miniwob_design(site, k) if level == NO_LEVEL else graded_design(site, level) for site, level, k in rows]

    def build(place: int) -> SiteTask:
        return _task(designs[place], FIELDS, profiles[rows[place][2]])

    names = tuple("-".join(str(part) for part in row if part != NO_LEVEL) for row in rows)
    sites_and_levels = {
        "site": np.array([SITES.index(site) for site, _, _ in rows]),
        "level": np.array([level for _, level, _ in rows]),
    }
    return TaskSuite("test", TasksOnDemand(len(rows), build), names, sites_and_levels | _records(designs))


def _random_suite(arrays: Mapping[str, np.ndarray]) -> TaskSuite:
    """Designs as lists of primitives, ended by -1, and the page of each; profiles as in the task space."""
    rows = zip(*(arrays[name].tolist() for name in ("primitives", "pages", "num_pages")))
    designs = [
        SiteDesign.of_pairs([(_NAMES[k], page) for k, page in zip(primitives, pages) if k >= 0], num_pages)
        for primitives, pages, num_pages in rows
    ]

    def build(place: int) -> SiteTask:
        return _task(designs[place], CATALOGUE_FIELDS, arrays["profiles"][place])

    sizes = {
        "num_pages": np.array([len(design.pages) for design in designs]),
        "num_primitives": np.array([len(design.primitives) for design in designs]),
    }
    names = tuple(map(str, range(len(designs))))
    return TaskSuite("random", TasksOnDemand(len(designs), build), names, sizes | _records(designs))


def _task(design: SiteDesign, fields: Iterable[str], places: np.ndarray) -> SiteTask:
    return SiteTask(design, listed_profile(design.fields, dict(zip(fields, places.tolist()))))


def _records(designs: list[SiteDesign]) -> dict[str, np.ndarray]:
    return {
        "num_fields": np.array([len(design.fields) for design in designs]),
        "steps": np.array([design.num_steps for design in designs]),
    }
