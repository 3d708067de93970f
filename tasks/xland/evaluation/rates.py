"""What tasks give for nothing: how often doing nothing and random play are rewarded in them.

The numbers were counted in the simulator, see :mod:`procgen_bench.envs.xland.reward_rates`.
"""

from pathlib import Path

import numpy as np

from procgen_bench.core.suite_file import read_suite_file

#: Steps of an episode in a suite's tasks, and SHA-256 over the arrays of ``data/SUITE_rates.npz``.
COUNTED = {
    "test": (900, "282f2191171e7d62fad06581a40312e77f3e8a80de707410e9f242f66a7a022c"),
    "validation": (900, "89e27a68fd02f6ac7cabf0d3f1af616756b66dfd43453ec973b870a75b66c6d5"),
    "small": (300, "0f8eea77ac8882816586ae82552b4822194551aaf3847319af1fe341c229b27b"),
}
#: SHA-256 over the arrays of ``data/small_validation_returns.npz``.
RETURNS_CHECKSUM = "755d9f7c4fa7c500d8cd0f26d58260d2dd3ea06b417d830a831a5c02e61cccf3"
_FOLDER = Path(__file__).parents[1] / "data"


def reward_rates(suite: str) -> dict[str, np.ndarray]:
    """``noop_rate`` and ``random_rate``, float64 (tasks,) in [0, 1]: the share of steps that reward player 1.

    All players did the same: nothing, or what an even draw of all actions said; each once.

    Args:
        suite: One of ``COUNTED``.

    Raises:
        CorruptSuiteError: The file does not hold what was published.
    """
    steps, checksum = COUNTED[suite]
    counts = read_suite_file(_FOLDER / f"{suite}_rates.npz", checksum)
    return {f"{play}_rate": rewarded / steps for play, rewarded in counts.items()}


def best_returns() -> np.ndarray:
    """What the best of some fixed players got in an episode of each task of ``small_validation``: float64 (300,).

    They are those of :mod:`procgen_bench.envs.xland.best_returns`; 0 where none of them was ever rewarded.

    Raises:
        CorruptSuiteError: The file does not hold what was published.
    """
    return read_suite_file(_FOLDER / "small_validation_returns.npz", RETURNS_CHECKSUM)["best"].astype(np.float64)
