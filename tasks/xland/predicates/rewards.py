"""Games as arrays, and the rewards that they give for truths of atoms."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from procgen_bench.core.checks import check_contiguous
from procgen_bench.core.compiled import njit
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.predicates.atom_table import NUM_ATOMS


class Goals(NamedTuple):
    """Goals of P players in G games, padded to O options.

    Attributes:
        options: int8 (G, P, O, 212): 1 for an atom that the option needs, -1 for one that it needs to be false, else 0.
        num_options: int64 (G, P), 1 to O.
    """

    options: np.ndarray
    num_options: np.ndarray

    def used_atoms(self) -> np.ndarray:
        """bool (G, P, 212): the atoms that every player's goal names, to be evaluated."""
        return (self.options != 0).any(axis=2)

    def of_games(self, games: np.ndarray) -> "Goals":
        """Goals of the games at the places ``games``, int64 (N,), each 0 to G - 1: one for every state of a batch,
        say."""
        return Goals(self.options[games], self.num_options[games])


def compile_goals(games: Sequence[Game]) -> Goals:
    """The goals of games that all have the same number of players.

    Raises:
        InvalidTaskError: There is no game, or games differ in their number of players.
    """
    if not games:
        raise InvalidTaskError("number of games", 0, "at least 1")
    num_players = games[0].num_players
    for g, game in enumerate(games):
        if game.num_players != num_players:
            raise InvalidTaskError(f"number of players of game {g}", game.num_players, f"{num_players}, as in game 0")
    num_options = np.array([[len(goal.matrix) for goal in game.goals] for game in games], np.int64)
    options = np.zeros((len(games), num_players, num_options.max(), NUM_ATOMS), np.int8)
    for game_options, game in zip(options, games):
        for goal_options, goal in zip(game_options, game.goals):
            goal_options[: len(goal.matrix)] = goal.matrix
    return Goals(options, num_options)


def rewards(truths: np.ndarray, goals: Goals, out: np.ndarray | None = None) -> np.ndarray:
    """1 for every player whose goal is met: some option has all of its literals true.

    Args:
        truths: bool (S, P, 212), see :func:`~procgen_bench.tasks.xland.predicates.evaluation.evaluate_atoms`.
        goals: Those of one game for all states, or of one for every state.
        out: float64 or bool (S, P), written and returned; a new array of float64 without.

    Returns:
        (S, P), 0 or 1.

    Raises:
        InvalidTaskError: The arrays do not fit together.
    """
    check_contiguous("truths", truths, np.bool_, (*np.shape(truths)[:1], goals.options.shape[1], NUM_ATOMS))
    if len(goals.options) not in (1, len(truths)):
        raise InvalidTaskError("number of games", len(goals.options), f"1 or {len(truths)}, the number of states")
    shape = truths.shape[:2]
    if out is None:
        out = np.empty(shape)
    else:
        check_contiguous("out", out, np.bool_ if getattr(out, "dtype", None) == np.bool_ else np.float64, shape)
    fill_rewards(truths, goals.options, goals.num_options, out)
    return out


@njit
def fill_rewards(truths, options, num_options, out):
    """Write the rewards of all states, unchecked: see :func:`rewards` and :class:`Goals`."""
    for s in range(out.shape[0]):
        game = s if options.shape[0] > 1 else 0
        for p in range(out.shape[1]):
            met = False
            for option in range(num_options[game, p]):
                met = met or _is_met(options[game, p, option], truths[s, p])
            out[s, p] = met


@njit
def _is_met(option, truths):
    """Whether all literals of an option are true: none is 1 at a false atom, or -1 at a true one."""
    broken = False
    for atom in range(option.shape[0]):
        broken |= option[atom] == 1 - 2 * np.int8(truths[atom])
    return not broken
