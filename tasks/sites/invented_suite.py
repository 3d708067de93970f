"""The suite of sites of invented primitives, none of which training may show."""

from itertools import product
from typing import Any

import numpy as np

from procgen_bench.core.suites import Arrays
from procgen_bench.core.task_suite import TaskSuite
from procgen_bench.tasks.sites.drawn_designs import DESIGNS_PER_GRADE, drawn_arrays, drawn_suite, drawn_task
from procgen_bench.tasks.sites.invented_libraries import (
    invent_libraries,
    libraries_of,
    library_arrays,
    look_alike_name,
)
from procgen_bench.tasks.sites.library import PrimitiveLibrary
from procgen_bench.tasks.sites.task import SiteTask

INVENTED_SEED = 20_604
#: The grades of designs: (pages, primitives placed).
GRADES = tuple(product(range(1, 6), (4, 8, 16)))


def invented_arrays(_: Any) -> Arrays:
    """Both libraries, and 150 distinct designs of the held-out one, ten of every grade, with a profile each.

    Returns:
        The arrays of :func:`.library_arrays` and of :func:`.drawn_arrays`, with their shapes and dtypes.
    """
    rng = np.random.default_rng(INVENTED_SEED)
    trained, held_out = invent_libraries(rng)
    return {**library_arrays(trained, held_out), **drawn_arrays(held_out, GRADES, (), rng, _look_alikes(held_out))}


def invented_suite(name: str, arrays: Arrays) -> TaskSuite[SiteTask]:
    """The arrays of :func:`invented_arrays` as tasks: ten designs of 1 to 5 pages and 4, 8 or 16 primitives placed
    (:data:`GRADES`; 150 tasks), all of them held out.

    For each that asks for something there is one on its page that looks the same and is asked for by nobody.
    Only the buttons to the next page and the submit button are published ones. Names and records are as in
    :func:`~procgen_bench.tasks.sites.drawn_designs.drawn_suite`.
    """
    _, held_out = libraries_of(arrays)
    return drawn_suite(name, held_out, arrays)


def another_invention(held_out: PrimitiveLibrary, suite: TaskSuite, place: int, rng: np.random.Generator) -> SiteTask:
    """A design of held-out primitives that is not in the suite, of the grade of the suite's at ``place``."""
    designs = {task.design for task in suite}
    return drawn_task(held_out, GRADES[place // DESIGNS_PER_GRADE], designs, rng, _look_alikes(held_out))


def _look_alikes(library: PrimitiveLibrary) -> dict[str, str]:
    return {name: look_alike_name(name) for name, one in library.catalogue.items() if one.active}
