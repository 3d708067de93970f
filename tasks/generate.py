"""Regenerate the data files of a family's suites and print their checksums.

``python -m procgen_bench.tasks.generate FAMILY [FOLDER]``: ``FAMILY`` is a folder of this package, e.g. ``bit_grid``;
without ``FOLDER``, into the family's own. Families whose suites take more than their space of tasks to draw have a
command of their own, a module ``generate`` in their folder here or among the environments.
"""

import pkgutil
import sys
from functools import partial

from procgen_bench.core.registrations import REGISTRATIONS
from procgen_bench.core.suite_generation import generate_suites, run_generator
from procgen_bench.core.task_space import TaskSpace


def spaces_of(family: str) -> list[TaskSpace]:
    """The spaces of tasks of the environments whose tasks stand in this folder."""
    names = {one.task_space: None for one in REGISTRATIONS if one.task_space.split(":")[0].endswith(f".{family}")}
    return [pkgutil.resolve_name(name)() for name in names]


def main(words: list[str]) -> None:
    """Regenerate the suites of the family that the first word names; the second one is the folder."""
    families = sorted({one.task_space.split(":")[0].rpartition(".")[2] for one in REGISTRATIONS})
    if not words or words[0] not in families:
        raise SystemExit(f"the family is {' '.join(words) or 'missing'}, expected one of {', '.join(families)}")
    drawn = [space for space in spaces_of(words[0]) if any(suite.generate for suite in space.suites.descriptors)]
    if not drawn:
        raise SystemExit(f"the suites of {words[0]} are not drawn from its space alone: it has a generator of its own")
    for space in drawn:
        run_generator(partial(generate_suites, space), space.suites.folder, words[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
