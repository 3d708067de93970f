"""What tests of XLandParallelEnv share: tasks by their numbers of players, doing nothing, errors of one line."""

import numpy as np
import pytest

from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.envs.xland.actions import NOOP

ONE, TWO, THREE = "hand_authored/find_cube", "hand_authored/capture_the_cube", "hand_authored/choose_wisely_3p"
STILL = np.array(NOOP)


def one_line(error: type[ProcgenBenchError], *parts: str):
    """A context in which an error of one line with these parts is raised."""
    return pytest.raises(error, match="^" + ".*".join(parts) + "[^\n]*$")
