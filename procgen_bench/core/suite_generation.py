"""The data files of a family's suites, generated again."""

import sys
from collections.abc import Callable, Sequence
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


def run_generator(
    generate: Callable[[Path], dict[str, str]], data_folder: Path, words: Sequence[str] | None = None
) -> None:
    """A generator's command line: ``generate`` into the folder that it names, else into ``data_folder``.

    Prints the checksum of every suite.

    Args:
        generate: Writes the files into a folder; returns their checksums, by name.
        data_folder: The package's own folder.
        words: The command line's words; ``None``: those of this process.
    """
    words = sys.argv[1:] if words is None else words
    target = Path(words[0]) if words else data_folder
    for name, digest in generate(target).items():
        print(name, digest)
