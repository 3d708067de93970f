"""The best mixture of a game: the Nash equilibrium of the known policies against the co-players (4.1)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tqdm import tqdm

from procgen_bench.errors import UnknownNameError
from procgen_bench.leaderboards.xland.equilibria import equilibrium, game_value
from procgen_bench.leaderboards.xland.errors import InvalidReturnsError
from procgen_bench.leaderboards.xland.evaluation_tasks import EvaluationTask
from procgen_bench.leaderboards.xland.returns import ReturnTable


@dataclass(frozen=True, eq=False)
class Payoffs:
    """A game's payoff table; :func:`game_payoffs` names rows and columns in alphabetical order.

    Attributes:
        game: Identity of the game.
        policies: Policies as player 1, P of them.
        co_players: Co-players, C of them.
        returns: float64 (P, C), mean returns over the game's worlds, at least 0.
    """

    game: str
    policies: tuple[str, ...]
    co_players: tuple[str, ...]
    returns: np.ndarray


@dataclass(frozen=True)
class BestMixture:
    """The Nash equilibrium of a game's payoff table, which :mod:`.equilibria` picks by its rule for ties.

    Attributes:
        game: Identity of the game.
        value: Mean return that the mixture is sure of, whichever co-players it meets, at least 0.
        policies: Weight of every policy in player 1's mixture, in alphabetical order; they sum to 1.
        co_players: Weight of every co-player in the mixture that leaves player 1 the least.
    """

    game: str
    value: float
    policies: dict[str, float]
    co_players: dict[str, float]


def game_payoffs(table: ReturnTable, game: str) -> Payoffs:
    """The payoff table of a game.

    Args:
        table: Returns of the known policies.
        game: Identity of the game.

    Raises:
        UnknownNameError: There is no such game.
        InvalidReturnsError: A world of the game is not played with every co-player that some other world of it is
            played with: payoffs would be means over different worlds.
    """
    if game not in table.tasks_by_game:
        raise UnknownNameError("game", game, list(table.games))
    policies = tuple(sorted(table.policies))
    rows = [table.policies.index(policy) for policy in policies]
    places = table.tasks_by_game[game]
    tasks = [table.tasks[place] for place in places]
    co_players = tuple(sorted({task.co_player for task in tasks}))
    _check_whole(game, tasks, co_players)
    of_co_player = {
        name: [place for place, task in zip(places, tasks) if task.co_player == name] for name in co_players
    }
    # Worlds in one order, so that rounding does not depend on that of the tasks.
    ordered = [sorted(of_co_player[name], key=lambda place: table.tasks[place].world) for name in co_players]
    returns = np.stack([table.returns[np.ix_(rows, worlds)].mean(axis=1) for worlds in ordered], axis=1)
    return Payoffs(game, policies, co_players, returns)


def best_mixture(payoffs: Payoffs) -> BestMixture:
    """The best mixture of the known policies and the co-players against it; the order of neither matters."""
    rows, columns = np.argsort(payoffs.policies), np.argsort(payoffs.co_players)
    value, of_policies, of_co_players = equilibrium(payoffs.returns[np.ix_(rows, columns)])
    return BestMixture(
        payoffs.game,
        value,
        {payoffs.policies[row]: float(weight) for row, weight in zip(rows, of_policies)},
        {payoffs.co_players[column]: float(weight) for column, weight in zip(columns, of_co_players)},
    )


def best_values(table: ReturnTable) -> dict[str, float]:
    """The value of every game's best mixture, by the game's identity: what returns are divided by.

    It is exactly 0 where some co-player leaves all known policies without any reward.

    Args:
        table: Returns of the known policies.

    Raises:
        InvalidReturnsError: As :func:`game_payoffs`.
    """
    games = tqdm(table.games, desc="best mixtures", unit="game", delay=2, leave=False)
    return {game: game_value(game_payoffs(table, game).returns) for game in games}


def _check_whole(game: str, tasks: Sequence[EvaluationTask], co_players: Sequence[str]) -> None:
    played = {(task.world, task.co_player) for task in tasks}
    for world in sorted({task.world for task in tasks}):
        for name in co_players:
            if (world, name) not in played:
                task = EvaluationTask(game, world, name)
                raise InvalidReturnsError(
                    f"task {task}", "missing", "every world of a game with each of its co-players"
                )
