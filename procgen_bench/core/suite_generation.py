"""The data files of a family's suites, generated again."""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from procgen_bench.core.suite_file import write_suite_file
from procgen_bench.core.task_space import TaskSpace


def generate_suites(space: TaskSpace, folder: Path) -> dict[str, str]:
    """Write the file of every suite that ``space`` can draw into ``folder``, which is made if it is missing.

    Returns:
        The files' checksums, by suite.
    """
    drawn = {suite.name: suite.generate for suite in space.suites.descriptors if suite.generate is not None}
    return {name: write_suite_file(folder, name, generate(space)) for name, generate in drawn.items()}


def run_family_generator(space: TaskSpace) -> None:
    """The command line of a family's generator: :func:`generate_suites` as :func:`run_generator`."""
    run_generator(partial(generate_suites, space), space.suites.folder)


def run_generator(generate: Callable[[Path], dict[str, str]], data_folder: Path) -> None:
    """A generator's command line: ``generate`` into the folder that it names, else into ``data_folder``.

    Prints the checksum of every suite.
    """
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else data_folder
    for name, digest in generate(target).items():
        print(name, digest)
