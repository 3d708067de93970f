"""Seats: who plays the players beside the first."""

from collections.abc import Sequence

import numpy as np

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.policy import Policy
from procgen_bench.envs.xland.co_players import new_co_player
from procgen_bench.envs.xland.participants import Participant, PolicyParticipant
from procgen_bench.tasks.xland import XLandTask
from procgen_bench.tasks.xland.co_players import TEST_CO_PLAYERS, check_co_player

#: A co-player by its name, or a policy.
CoPlayer = str | Policy


def check_co_players(co_players: CoPlayer | Sequence[CoPlayer] | None, only_names: bool = False) -> None:
    """Refuse what cannot take seats.

    Raises:
        InvalidOptionError: There is something that is neither a name nor a policy.
        UnknownNameError: There is no such co-player.
    """
    kinds = "names of co-players" if only_names else "names of co-players, or policies"
    if co_players is None:
        return
    if not isinstance(co_players, Sequence | Policy):
        raise InvalidOptionError(f"co_players is {co_players!r}, expected {kinds}")
    for one in [co_players] if isinstance(co_players, CoPlayer) else co_players:
        if isinstance(one, str):
            check_co_player(one)
        elif only_names or not isinstance(one, Policy):
            raise InvalidOptionError(f"co_players holds {one!r}, expected {kinds}")


def fill_seats(
    task: XLandTask, co_players: CoPlayer | Sequence[CoPlayer] | None, rng: np.random.Generator
) -> list[Participant]:
    """A participant for every player of the task beside the first.

    Args:
        task: Its co-players play where it names them.
        co_players: Who plays otherwise: one for all seats, one for each, or ``None`` to draw them from those of the
            test suite.
        rng: Draws them.

    Raises:
        InvalidOptionError: There are fewer co-players than seats.
    """
    num_seats = task.game.num_players - 1
    if task.co_players:
        chosen: Sequence[CoPlayer] = task.co_players
    elif co_players is None:
        chosen = [TEST_CO_PLAYERS[place] for place in rng.integers(len(TEST_CO_PLAYERS), size=num_seats)]
    elif isinstance(co_players, CoPlayer):
        chosen = [co_players] * num_seats
    else:
        chosen = co_players[:num_seats]
    if len(chosen) < num_seats:
        raise InvalidOptionError(f"co_players are {len(chosen)}, but the task has {num_seats} players beside the first")
    return [PolicyParticipant(one) if isinstance(one, Policy) else new_co_player(one) for one in chosen]
