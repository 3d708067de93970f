"""What a game's best mixture is sure of: the known policies' Nash equilibrium against the co-players (4.1)."""

from collections.abc import Sequence

import numpy as np

from procgen_bench.core.errors import UnknownNameError
from procgen_bench.core.progress import Progress
from procgen_bench.leaderboards.xland.errors import InvalidReturnsError
from procgen_bench.leaderboards.xland.evaluation_tasks import EvaluationTask
from procgen_bench.leaderboards.xland.matrix_games import game_value
from procgen_bench.leaderboards.xland.returns import ReturnTable


def best_values(table: ReturnTable) -> dict[str, float]:
    """The value of every game's best mixture, by the game's identity: what returns are divided by.

    It is exactly 0 where some co-player leaves all known policies without any reward.

    Args:
        table: Returns of the known policies.

    Raises:
        InvalidReturnsError: As :func:`game_payoffs`.
    """
    games = Progress(table.games, desc="best mixtures", unit="game", delay=2, leave=False)
    return {game: game_value(game_payoffs(table, game)) for game in games}


def game_payoffs(table: ReturnTable, game: str) -> np.ndarray:
    """The payoff table of a game, whichever the order of policies and tasks.

    Args:
        table: Returns of the known policies.
        game: Identity of the game.

    Returns:
        float64 (P, C), mean returns over the game's worlds of every policy as player 1 with every co-player, at least
        0; both in alphabetical order.

    Raises:
        UnknownNameError: There is no such game.
        InvalidReturnsError: A world of the game is not played with every co-player that some other world of it is
            played with: payoffs would be means over different worlds.
    """
    if game not in table.tasks_by_game:
        raise UnknownNameError("game", game, list(table.games))
    places = table.tasks_by_game[game]
    tasks = [table.tasks[place] for place in places]
    co_players = sorted({task.co_player for task in tasks})
    _check_whole(game, tasks, co_players)
    of_co_player = {
        name: [place for place, task in zip(places, tasks) if task.co_player == name] for name in co_players
    }
    # Worlds in one order, so that rounding does not depend on that of the tasks.
    ordered = [sorted(of_co_player[name], key=lambda place: table.tasks[place].world) for name in co_players]
    rows = np.argsort(table.policies)
    return np.stack([table.returns[np.ix_(rows, worlds)].mean(axis=1) for worlds in ordered], axis=1)


def _check_whole(game: str, tasks: Sequence[EvaluationTask], co_players: Sequence[str]) -> None:
    played = {(task.world, task.co_player) for task in tasks}
    for world in sorted({task.world for task in tasks}):
        for name in co_players:
            if (world, name) not in played:
                task = EvaluationTask(game, world, name)
                raise InvalidReturnsError(
                    f"task {task}", "missing", "every world of a game with each of its co-players"
                )
