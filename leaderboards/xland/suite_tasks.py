"""The evaluation tasks of XLand's suites: world-game pairs with their co-players (4.2)."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from procgen_bench.leaderboards.xland.errors import InvalidReturnsError
from procgen_bench.leaderboards.xland.returns import EvaluationTask
from procgen_bench.task_suite import TaskSuite
from procgen_bench.tasks.xland.co_players import TEST_CO_PLAYERS, check_co_player, evaluation_teams
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.suites import EVALUATION_SUITES, name_in_test
from procgen_bench.tasks.xland.task import XLandTask

#: The co-player of tasks of one player.
NOBODY = "nobody"
_DIGITS = 16


def suite_tasks(suite: TaskSuite, co_players: Sequence[str] = TEST_CO_PLAYERS) -> tuple[EvaluationTask, ...]:
    """Every task of a suite with every co-player, in the suite's order.

    Worlds are named as the suite names its tasks, games by :func:`game_identity`. Tasks that leave co-players open are
    played with each team of :func:`~procgen_bench.tasks.xland.co_players.evaluation_teams`. Suites of the evaluation
    hold these meetings already: of ``evaluation`` come the same as of ``test``.

    Hand-authored tasks, and any other that fix their co-players or have none, are each a game of their own, named as
    the task, whose co-player is the team: the names joined by " + ", or ``"nobody"``.

    Raises:
        UnknownNameError: There is no such co-player.
        InvalidReturnsError: No co-players.
    """
    if not co_players:
        raise InvalidReturnsError("number of co-players", 0, "at least 1")
    for name in co_players:
        check_co_player(name)
    tasks: list[EvaluationTask] = []
    for name, task in zip(suite.task_names, suite.tasks):
        if suite.name in EVALUATION_SUITES:
            tasks += _meetings(name_in_test(name), replace(task, co_players=()), task.co_players[:1])
        else:
            tasks += _meetings(name, task, co_players)
    return tuple(tasks)


def _meetings(world: str, task: XLandTask, co_players: Sequence[str]) -> list[EvaluationTask]:
    teams = evaluation_teams(task.game.num_players, task.co_players, co_players)
    if task.co_players or task.game.num_players == 1:
        return [EvaluationTask(world, world, " + ".join(team) or NOBODY) for team in teams]
    game = game_identity(task.game)
    return [EvaluationTask(game, world, team[0]) for team in teams]


def game_identity(game: Game) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of the game's text."""
    return hashlib.sha256(str(game).encode()).hexdigest()[:_DIGITS]
