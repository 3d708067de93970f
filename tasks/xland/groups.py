"""Groups of XLand's tasks: by what the easiest option of player 1's goal speaks of, and by its way to an object."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from procgen_bench.tasks.xland.games.atoms import ATOMS, ME, OPPONENT
from procgen_bench.tasks.xland.games.goal import Goal
from procgen_bench.tasks.xland.task import XLandTask
from procgen_bench.tasks.xland.ways import player_way

#: What an option speaks of, from easy to hard: the player itself, objects and floors among themselves, the opponent.
KINDS = ("oneself", "objects", "opponent")
#: Bounds of the ways, metres: success falls off between 4 and 9.
WAYS = (0.0, 2.0, 4.0, 6.0, 9.0, np.inf)


def kind_of(goal: Goal) -> str:
    """The one of ``KINDS`` of its easiest option, which is as hard as the hardest of its literals."""
    options = [max(map(_difficulty, np.flatnonzero(row).tolist())) for row in goal.matrix]
    return KINDS[min(options)]


def task_groups(tasks: Sequence[XLandTask]) -> dict[str, np.ndarray]:
    """Which tasks are in each group, bool (n,) by the group's name; groups without tasks are left out.

    Every task is in two: one of ``KINDS``, and one of the ways between neighbours of ``WAYS``, from player 1's start to
    the nearest object that its goal names (:func:`.player_way`), or of the goals that name no object.
    """
    goals = [task.game.goals[0] for task in tasks]
    kinds = np.array([kind_of(goal) for goal in goals])
    ways = np.array([player_way(task.world, goal) for task, goal in zip(tasks, goals)])
    groups = {kind: kinds == kind for kind in KINDS}
    for least, most in pairwise(WAYS):
        name = f"{least:g} m and more" if most == np.inf else f"{least:g} to {most:g} m"
        groups[name] = (ways >= least) & (ways < most)
    groups["no object named"] = np.isnan(ways)
    return {name: chosen for name, chosen in groups.items() if chosen.any()}


def _difficulty(number: int) -> int:
    atom = ATOMS[number]
    if OPPONENT in (atom.first, atom.second):
        return KINDS.index("opponent")
    return KINDS.index("oneself" if ME in (atom.first, atom.second) else "objects")
