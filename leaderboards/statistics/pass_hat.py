"""pass^k: how likely all of k episodes of one task are solved (Yao et al., 2024): what people can rely on."""

from math import comb

import numpy as np

from procgen_bench.core.errors import InvalidOptionError


def pass_hat(successes: np.ndarray, k: int) -> float:
    """The mean over tasks of the unbiased estimate that k episodes of a task, drawn from those played, are all solved.

    Args:
        successes: bool (tasks, episodes).
        k: From 1, which gives the share of solved episodes, to the number of episodes.

    Raises:
        InvalidOptionError: There are no tasks, or not so many episodes.
    """
    if successes.ndim != 2 or not len(successes) or not 1 <= k <= successes.shape[1]:
        raise InvalidOptionError(
            f"k is {k} and successes are {successes.shape}, expected (tasks, episodes), k of these"
        )
    episodes = successes.shape[1]
    return float(np.mean([comb(int(count), k) for count in successes.sum(axis=1)]) / comb(episodes, k))
