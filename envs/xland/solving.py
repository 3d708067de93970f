"""XLand's task space with a solver: the scripted player, which proves tasks solvable in the simulator."""

import numpy as np

from procgen_bench.errors import ProcgenBenchError
from procgen_bench.tasks.xland import XLandTask, XLandTaskSpace


class UnsolvedTaskError(ProcgenBenchError):
    """The scripted player was not rewarded in a task, which proves nothing: another player might be."""


class PlayableXLandTaskSpace(XLandTaskSpace):
    """XLand's tasks, where there is a simulator to play them in."""

    def solve(self, task: XLandTask) -> np.ndarray:
        """Actions (int8 (900, 6)) of player 1 by which it is rewarded, played from ``reset(seed=0)``.

        They are the scripted player's. Co-players that act by chance do otherwise after other seeds.

        Raises:
            UnsolvedTaskError: The scripted player was not rewarded.
        """
        # It plays in the environment, whose task space this is.
        from procgen_bench.envs.xland.scripted.proving import play_scripted

        played = play_scripted(task, seed=0)
        if not played.returns[0]:
            raise UnsolvedTaskError("the scripted player is not rewarded in this task; another one might be")
        return played.actions

    def is_solvable(self, task: XLandTask) -> bool:
        """Whether the scripted player is rewarded."""
        try:
            self.solve(task)
        except UnsolvedTaskError:
            return False
        return True
