"""XLand's solver: the scripted player, which proves tasks solvable in the simulator."""

import numpy as np

from procgen_bench.core.errors import UnsolvedTaskError
from procgen_bench.envs.xland.scripted.proving import play_scripted
from procgen_bench.envs.xland.simulation import EPISODE_STEPS
from procgen_bench.tasks.xland.task import XLandTask


def solve(task: XLandTask, steps: int = EPISODE_STEPS) -> np.ndarray:
    """Actions (int8 (``steps``, 6)) of player 1 by which it is rewarded, played from ``reset(seed=0)``.

    They are the scripted player's. Co-players that act at random do otherwise after other seeds.

    Raises:
        UnsolvedTaskError: The scripted player was not rewarded.
    """
    played = play_scripted(task, seed=0, steps=steps)
    if not played.returns[0]:
        raise UnsolvedTaskError("the scripted player is not rewarded in this task; another one might be")
    return played.actions
