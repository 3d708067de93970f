"""Many worlds in one compiled call: their steps, and what their players observe, have earned and make true."""

from typing import NamedTuple

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.pointers import block, matrix
from procgen_bench.envs.xland.observations import NO_ATOM, ShownArrays, show_world
from procgen_bench.envs.xland.stepping import advance


class PlayerRows(NamedTuple):
    """What is observed and earned in N worlds of at most P players, a row a player.

    See :class:`~procgen_bench.envs.xland.worlds.WorldRows`, of which these are arrays.

    Attributes:
        shown: What is observed, (N * P, ...), but for pictures and goals.
        goal_atoms: int16 (N * P, 12), as observed.
        rewards: float64 (N * P,).
        all_rewards: float64 (N * P, 3).
        successes: bool (N * P,).
        goal_truths: bool (N * P, 12).
    """

    shown: ShownArrays
    goal_atoms: np.ndarray
    rewards: np.ndarray
    all_rewards: np.ndarray
    successes: np.ndarray
    goal_truths: np.ndarray


@njit(nogil=True)
def step_rows(worlds, chosen, actions, sound, privileged, rows):
    """Advance worlds by 2/15 s, and write what came of it.

    Args:
        worlds: WORLD (N,).
        chosen: int64 (n,), which of them.
        actions: int64 (N, P, 6), valid ones, of players that a world has not, too.
        sound: bool (N,), written: whether the physics is sound.
        privileged: Whether players know of what they do not see.
        rows: ``PlayerRows``, those of the players that there are written.
    """
    seats = actions.shape[1]
    for number in chosen:
        sound[number] = advance(worlds[number : number + 1], actions[number])
        earned, first = matrix(worlds[number].game.rewards, np.float64)[0], seats * number
        for p in range(earned.shape[0]):
            rows.rewards[first + p] = earned[p]
            rows.successes[first + p] |= earned[p] > 0.0
            for other in range(earned.shape[0]):
                rows.all_rewards[first + p, other] = earned[other]
        _write(worlds[number], actions[number], privileged, rows, first)


@njit
def write_rows(worlds, number, actions, privileged, rows):
    """Write what the players of a world observe, and how their atoms stand; ``actions`` (int64 (at least P, 6)) are
    their last ones, (0, 6) before the first step. The others are those of :func:`step_rows`."""
    seats = rows.rewards.shape[0] // worlds.shape[0]
    _write(worlds[number], actions, privileged, rows, seats * number)


@njit
def _write(world, actions, privileged, rows, first):
    truths = block(world.game.truths, np.bool_)[0]
    show_world(world, actions, privileged, rows.shown, first, truths.shape[0])
    for p in range(truths.shape[0]):
        for column in range(rows.goal_atoms.shape[1]):
            atom = rows.goal_atoms[first + p, column]
            rows.goal_truths[first + p, column] = atom != NO_ATOM and truths[p, atom]
