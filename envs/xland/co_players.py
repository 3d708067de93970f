"""The frozen players that tasks may name to play against, by name."""

from procgen_bench.envs.xland.participants import NoopParticipant, Participant, RandomParticipant
from procgen_bench.tasks.xland.co_players import check_co_player

_PARTICIPANTS = {"noop": NoopParticipant, "random": RandomParticipant}


def new_co_player(name: str) -> Participant:
    """A new participant that plays as the co-player ``name``; :class:`UnknownNameError` if there is none."""
    check_co_player(name)
    return _PARTICIPANTS.get(name, NoopParticipant)()
