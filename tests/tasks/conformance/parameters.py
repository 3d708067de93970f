"""The parameters of every space in words, as they are published: another range is another version of the environment.

``python -m tests.tasks.conformance.parameters`` writes ``parameters.txt``.
"""

from pathlib import Path

import numpy as np

from tests.tasks.conformance.cases import CASES, Case
from tests.tasks.conformance.parameter_checks import bounds

PUBLISHED = Path(__file__).with_name("parameters.txt")


def in_words(case: Case) -> str:
    """A line ``NAME: TYPE(SHAPE) in LEAST .. GREATEST`` for each; bounds that differ are given along the last axis."""
    lines = [
        f"  {name}: {leaf.dtype}{leaf.shape} in {' .. '.join(map(_in_words, bounds(leaf)))}"
        for name, leaf in case.space.space.items()
    ]
    return "\n".join([str(case), *lines])


def all_in_words() -> str:
    """Those of all spaces."""
    return "\n".join(map(in_words, CASES)) + "\n"


def _in_words(bound: np.ndarray) -> str:
    numbers = np.unique(bound) if np.ptp(bound) == 0 else bound.reshape(-1, bound.shape[-1])[0]
    assert np.all(bound == numbers), "bounds differ along other axes"
    return " ".join(f"{number:.6g}" for number in numbers.tolist())


if __name__ == "__main__":
    PUBLISHED.write_text(all_in_words())
