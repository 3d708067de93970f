"""EvaluationTask: what the evaluation counts as a task, a world-game pair with its co-players (4.2)."""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from procgen_bench.core.task_suite import TaskSuite
from procgen_bench.leaderboards.xland.errors import InvalidReturnsError
from procgen_bench.tasks.xland.games.game import Game

#: The co-player of tasks of one player.
_NOBODY = "nobody"
#: Digits of the digests that name games and worlds.
_DIGITS = 16


class EvaluationTask(NamedTuple):
    """A world-game pair and who else plays.

    Attributes:
        game: Identity of the game: tasks of one game have the same.
        world: Identity of the world.
        co_player: Name of the policy of all other players, or of the team that they are.
    """

    game: str
    world: str
    co_player: str

    def __str__(self) -> str:
        return f"game {self.game!r}, world {self.world!r}, co-player {self.co_player!r}"


def benchmark_tasks(suite: TaskSuite) -> tuple[EvaluationTask, ...]:
    """Every task of a benchmark's suite, whose tasks name their co-players themselves, in the suite's order.

    Tasks of one game have that of :func:`game_identity`, worlds differ by what they are, and a co-player who is
    both other players of a game of three bears its one name.

    Raises:
        InvalidReturnsError: A task of several players leaves its co-players open.
    """
    tasks = []
    for name, task in zip(suite.task_names, suite.tasks):
        if len(task.co_players) != task.game.num_players - 1:
            raise InvalidReturnsError(f"co-players of task {name!r}", task.co_players, "a name for every other player")
        world = task.world.fingerprint()[:_DIGITS]
        tasks.append(EvaluationTask(game_identity(task.game), world, team_name(task.co_players)))
    return tuple(tasks)


def game_identity(game: Game) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of the game's text."""
    return hashlib.sha256(str(game).encode()).hexdigest()[:_DIGITS]


def team_name(co_players: Sequence[str]) -> str:
    """The co-player that is all other players; else their names joined by " + "; ``"nobody"`` of none."""
    return " + ".join(co_players if len(set(co_players)) > 1 else co_players[:1]) or _NOBODY
