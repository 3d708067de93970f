"""The evaluation tasks of XLand's suites: world-game pairs with their co-players (4.2)."""

import hashlib
from collections.abc import Sequence

from procgen_bench.leaderboards.xland.errors import InvalidReturnsError
from procgen_bench.leaderboards.xland.returns import EvaluationTask
from procgen_bench.task_suite import TaskSuite
from procgen_bench.tasks.xland.co_players import TEST_CO_PLAYERS, check_co_player
from procgen_bench.tasks.xland.games.game import Game

#: The co-player of tasks of one player.
NOBODY = "nobody"
_DIGITS = 16


def suite_tasks(suite: TaskSuite, co_players: Sequence[str] = TEST_CO_PLAYERS) -> tuple[EvaluationTask, ...]:
    """Every task of a suite with every co-player, in the suite's order.

    Worlds are named as the suite names its tasks. Tasks that leave co-players open are played with each of
    ``co_players``, who in a game of three is both other players; their games are named by :func:`game_identity`. Tasks
    that fix their co-players (as hand-authored ones do), or have none, are each a game of their own, named as the task,
    whose co-player is the team: the names joined by " + ", or ``"nobody"``.

    Raises:
        UnknownNameError: There is no such co-player.
        InvalidReturnsError: No co-players.
    """
    if not co_players:
        raise InvalidReturnsError("number of co-players", 0, "at least 1")
    for name in co_players:
        check_co_player(name)
    tasks: list[EvaluationTask] = []
    for world, task in zip(suite.task_names, suite.tasks):
        if task.co_players or task.game.num_players == 1:
            tasks.append(EvaluationTask(world, world, " + ".join(task.co_players) or NOBODY))
        else:
            game = game_identity(task.game)
            tasks += [EvaluationTask(game, world, name) for name in co_players]
    return tuple(tasks)


def game_identity(game: Game) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of the game's text."""
    return hashlib.sha256(str(game).encode()).hexdigest()[:_DIGITS]
