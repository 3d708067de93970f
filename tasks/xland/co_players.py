"""The players that a task may name to play against: frozen policies, part of what the task is (4.2, table 8)."""

from procgen_bench.errors import UnknownNameError

#: What each does, by name. Those of the evaluation come first: every test task is played with each of the seven.
CO_PLAYERS = {
    "noop": "does nothing",
    "random": "draws each action evenly from the whole action space",
    "clumsy": "pursues its goal, slowly and with every third action at random",
    "steady": "pursues its goal at a walk, one option until it holds or has failed",
    "swift": "pursues its goal at full speed, and turns to whatever option is closest",
    "contrary": "keeps the others from their goals, and minds its own when it has nothing to undo",
    "hunter": "seeks the other players, and uses its gadget on whom it sees",
    "follower": "follows the player that is closest, wherever it goes",
}
#: The seven of the test suite.
TEST_CO_PLAYERS = tuple(CO_PLAYERS)[:7]


def check_co_player(name: str) -> None:
    """Raise :class:`UnknownNameError` unless there is a co-player of this name."""
    if name not in CO_PLAYERS:
        raise UnknownNameError("co-player", name, list(CO_PLAYERS))
