"""Seats: who plays the players whom nobody steps."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.policy import Policy
from procgen_bench.envs.xland.actions import action_space
from procgen_bench.envs.xland.co_players import new_co_player
from procgen_bench.envs.xland.participants import Participant, PolicyParticipant
from procgen_bench.tasks.xland import XLandTask
from procgen_bench.tasks.xland.co_players import TRAINING_CO_PLAYERS, check_co_player

#: A co-player by its name, a policy, or a function of observations and episode starts, as a policy's ``act``.
CoPlayer = str | Policy | Callable[..., np.ndarray]

_KINDS = "names of co-players, policies or functions"


def is_one(co_players: Any) -> bool:
    """Whether this is one co-player, rather than several or none."""
    return isinstance(co_players, str | Policy) or callable(co_players)


def check_co_players(
    co_players: Any, only_names: bool = False, open_seats: bool = False, shown: Mapping[str, Any] | None = None
) -> None:
    """Refuse what cannot take seats.

    Args:
        co_players: One, a sequence, or ``None``.
        only_names: Whether there may be names alone.
        open_seats: Whether ``None`` in a sequence leaves a seat to somebody else.
        shown: ``observation`` and ``privileged``, the arguments by which all players observe; ``None`` with names.

    Raises:
        InvalidOptionError: There is something that is no co-player, or a policy for other actions or observations.
        UnknownNameError: There is no such co-player.
    """
    kinds = "names of co-players" if only_names else _KINDS
    if co_players is None:
        return
    if not (is_one(co_players) or isinstance(co_players, Sequence)):
        raise InvalidOptionError(f"co_players is {co_players!r}, expected {kinds}")
    for one in [co_players] if is_one(co_players) else co_players:
        if isinstance(one, str):
            check_co_player(one)
        elif one is None and open_seats:
            continue
        elif only_names or not is_one(one):
            raise InvalidOptionError(f"co_players holds {one!r}, expected {kinds}")
        elif getattr(one, "action_space", None) not in (None, action_space()):
            raise InvalidOptionError(
                f"co_players holds {one!r}, which plays {one.action_space}, expected a policy for {action_space()}"
            )
        for name, value in (shown or {}).items():
            if getattr(one, "environment_options", {}).get(name, value) != value:
                raise InvalidOptionError(
                    f"co_players holds {one!r}, which plays with {one.environment_options}, expected a policy for "
                    f"{name}={value!r}, by which all players observe"
                )


def fill_seats(
    task: XLandTask, co_players: CoPlayer | Sequence[CoPlayer] | None, rng: np.random.Generator
) -> list[Participant]:
    """A participant for every player of the task other than the first.

    Args:
        task: Its co-players play where ``co_players`` is ``None``, if it names any.
        co_players: One for all seats, one for each, or ``None``: the task's, or drawn from those of training.
        rng: Draws them.

    Raises:
        InvalidOptionError: There are fewer co-players than seats.
    """
    num_seats = task.game.num_players - 1
    if co_players is not None:
        chosen = seated(co_players, num_seats)
    elif task.co_players:
        chosen = list(task.co_players)
    else:
        chosen = [TRAINING_CO_PLAYERS[place] for place in rng.integers(len(TRAINING_CO_PLAYERS), size=num_seats)]
    return [new_co_player(one) if isinstance(one, str) else PolicyParticipant(one) for one in chosen]


def seated(co_players: Any, num_seats: int) -> list[Any]:
    """Who sits where, from one co-player for all seats or one for each.

    Raises:
        InvalidOptionError: There are fewer co-players than seats.
    """
    if is_one(co_players):
        return [co_players] * num_seats
    if len(co_players) < num_seats:
        raise InvalidOptionError(
            f"co_players are {len(co_players)}, but the task has {num_seats} players other than the first"
        )
    return list(co_players[:num_seats])
