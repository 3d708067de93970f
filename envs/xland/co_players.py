"""The players that a task names to play against, by name; see :mod:`procgen_bench.tasks.xland.co_players`."""

from procgen_bench.envs.xland.participants import NoopParticipant, Participant, RandomParticipant
from procgen_bench.envs.xland.scripted.player import ScriptedParticipant
from procgen_bench.envs.xland.scripted.tempers import CLUMSY, CONTRARY, FOLLOWER, HUNTER, STEADY, SWIFT
from procgen_bench.tasks.xland.co_players import check_co_player

_TEMPERS = {
    "clumsy": CLUMSY,
    "steady": STEADY,
    "swift": SWIFT,
    "contrary": CONTRARY,
    "hunter": HUNTER,
    "follower": FOLLOWER,
}


def new_co_player(name: str) -> Participant:
    """A new participant that plays as its name says.

    Raises:
        UnknownNameError: There is no co-player of this name.
    """
    check_co_player(name)
    if name == "noop":
        return NoopParticipant()
    if name == "random":
        return RandomParticipant()
    return ScriptedParticipant(_TEMPERS[name])
