"""Normalisers: what games are worth, frozen under a version, so that a new row never changes what an old one scores.

A normaliser is the table of the returns of a fixed set of players on every task of a benchmark, with the value of every
game's best mixture. Files are never changed once they are published: better players make a further version, and rows
tell under which they were scored. ``python -m procgen_bench.leaderboards.xland.normaliser_making`` makes them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from procgen_bench.core.errors import UnknownNameError
from procgen_bench.core.suite_file import checksum, read_suite_file, write_suite_file
from procgen_bench.leaderboards.xland.evaluation_tasks import EvaluationTask
from procgen_bench.leaderboards.xland.mixtures import best_values, game_payoffs
from procgen_bench.leaderboards.xland.returns import ReturnTable

FOLDER = Path(__file__).parent / "data"
#: The published ones: the checksum of each (:func:`~procgen_bench.core.suite_file.checksum`), by benchmark and version.
PUBLISHED: dict[tuple[str, int], str] = {
    ("xland/mini", 3): "e38bb2cdb2a25eb6f8bc05023072d6a27f3e522b6f8f0914e3f7d9a0d54f3f6d",
    ("xland/small", 3): "dbd142aba60e4bfc3050f5aa1253b141ddcab30c3f0115653d6e3e66dab8e72d",
}


@dataclass(frozen=True, eq=False)
class Normaliser:
    """What the games of a benchmark are worth, to a fixed set of players.

    Attributes:
        benchmark: Id of the benchmark.
        version: Its own version, from 1; the benchmark's is another.
        table: The players' returns on all tasks of the benchmark, in the suite's order.
        values: What every game's best mixture of players is worth, by the game's identity: returns are divided by it.
    """

    benchmark: str
    version: int
    table: ReturnTable
    values: Mapping[str, float]

    @cached_property
    def unrewarded(self) -> dict[str, tuple[str, ...]]:
        """The games that have no score, for there is nothing to divide by, and the co-players who leave all players
        without any reward in them."""
        return {game: _merciless(self.table, game) for game, value in self.values.items() if value == 0}

    @property
    def checksum(self) -> str:
        """SHA-256 of what it holds."""
        return checksum(_packed(self))


def frozen(benchmark: str, version: int, table: ReturnTable) -> Normaliser:
    """A normaliser of these players.

    Raises:
        InvalidReturnsError: The table is not whole, see :func:`~.mixtures.game_payoffs`.
    """
    return Normaliser(benchmark, version, table, best_values(table))


def write_normaliser(normaliser: Normaliser, folder: Path = FOLDER) -> str:
    """Write a normaliser's file into ``folder``; returns its checksum, which :data:`PUBLISHED` is to hold."""
    return write_suite_file(folder, _name(normaliser.benchmark, normaliser.version), _packed(normaliser))


def load_normaliser(benchmark: str, version: int) -> Normaliser:
    """A published normaliser.

    Args:
        benchmark: Id of the benchmark.
        version: The normaliser's.

    Raises:
        UnknownNameError: The benchmark has no normaliser of this version.
        CorruptSuiteError: The file does not hold what was published.
    """
    if (benchmark, version) not in PUBLISHED:
        raise UnknownNameError(f"normaliser of {benchmark}", version, list(map(str, published_versions(benchmark))))
    return _read(benchmark, version, FOLDER, PUBLISHED[benchmark, version])


def published_versions(benchmark: str) -> list[int]:
    """The versions of a benchmark's normalisers."""
    return sorted(version for of_one, version in PUBLISHED if of_one == benchmark)


@lru_cache(maxsize=16)
def _read(benchmark: str, version: int, folder: Path, expected: str) -> Normaliser:
    arrays = read_suite_file(folder / f"{_name(benchmark, version)}.npz", expected)
    games, worlds, co_players = (arrays[name].tolist() for name in ("games", "worlds", "co_players"))
    tasks = tuple(
        EvaluationTask(games[game], worlds[world], co_players[co_player])
        for game, world, co_player in arrays["tasks"].tolist()
    )
    table = ReturnTable(tuple(arrays["players"].tolist()), tasks, arrays["returns"])
    return Normaliser(benchmark, version, table, dict(zip(games, arrays["values"].tolist(), strict=True)))


def _packed(normaliser: Normaliser) -> dict[str, np.ndarray]:
    """As arrays; tasks as places of their game, world and co-player, int32 (T, 3)."""
    table = normaliser.table
    names = [list(dict.fromkeys(parts)) for parts in zip(*table.tasks)]
    places = [{name: place for place, name in enumerate(of_kind)} for of_kind in names]
    tasks = [[of_kind[part] for of_kind, part in zip(places, task)] for task in table.tasks]
    return {
        **{kind: np.array(of_kind) for kind, of_kind in zip(("games", "worlds", "co_players"), names)},
        "players": np.array(table.policies),
        "tasks": np.array(tasks, np.int32),
        "returns": table.returns,
        "values": np.array([normaliser.values[game] for game in table.games]),
    }


def _merciless(table: ReturnTable, game: str) -> tuple[str, ...]:
    co_players = sorted({table.tasks[place].co_player for place in table.tasks_by_game[game]})
    return tuple(name for name, worst in zip(co_players, game_payoffs(table, game).max(axis=0)) if worst == 0)


def _name(benchmark: str, version: int) -> str:
    return f"{benchmark.partition('/')[2]}-v{version}"
