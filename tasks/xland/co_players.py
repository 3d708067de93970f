"""The players that a task may name to play against: frozen policies, part of what the task is (4.2, table 8)."""

from procgen_bench.core.errors import UnknownNameError

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
#: Those that agents are trained with: the others of the test suite are held out (4.3).
TRAINING_CO_PLAYERS = ("noop", "random")


def check_co_player(name: str) -> None:
    """Raise :class:`UnknownNameError` unless there is a co-player of this name."""
    if name not in CO_PLAYERS:
        raise UnknownNameError("co-player", name, list(CO_PLAYERS))


def evaluation_teams(num_players: int) -> tuple[tuple[str, ...], ...]:
    """The teams with which a test task of so many players is evaluated, in turn: each names who plays players 2 and 3.

    Each of :data:`TEST_CO_PLAYERS` is a team, in a game of three as both others. A task of one player has one team,
    which is empty.
    """
    if num_players == 1:
        return ((),)
    return tuple((name,) * (num_players - 1) for name in TEST_CO_PLAYERS)
