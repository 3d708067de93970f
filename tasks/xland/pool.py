"""The pool: games that are searched for once, of which those that are trained on are recolourings.

A search takes a tenth of a second, so what is found for the sizes of XLandSmall-v0 is kept as data.
"""

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from procgen_bench.core.progress import Progress
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.core.suite_file import read_suite_file
from procgen_bench.tasks.xland.evaluation.packing import pack_games, unpack_game
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.hold_out import Taken, training_game, training_game_of_one

#: A number, or the least and the greatest of which one is drawn evenly; a list, too, as JSON has it.
Numbers = int | tuple[int, int]
#: Most different games that may be searched for beforehand: as many are kept in memory.
MAX_POOLED = 2**14
#: Sizes of the goals of XLandSmall-v0.
SMALL_SIZES: dict[str, Numbers] = {"options": (1, 2), "predicates": (1, 2)}
#: Games of these sizes, for two players, that ``data/pool.npz`` holds.
NUM_KEPT = 2_048
#: SHA-256 over that file's arrays; ``python -m procgen_bench.tasks.xland.generate`` prints it.
CHECKSUM = "509e16f59ba6b8228436118af12b6bafdf97084b1c7175bc2cf350dc90d0d1d1"


@lru_cache(MAX_POOLED)
def pooled_game(number: int, players: int, options: Numbers, predicates: Numbers) -> Game:
    """The game of a number among those that are searched for once; it and its recolourings may be trained on."""
    if number < NUM_KEPT and players == 2 and {"options": options, "predicates": predicates} == SMALL_SIZES:
        return unpack_game(_kept(), number)
    return _found(number, players, options, predicates)


def pool_arrays() -> dict[str, np.ndarray]:
    """What ``data/pool.npz`` holds: the games of the small sizes, searched for again."""
    numbers = Progress(range(NUM_KEPT), desc="pool")
    return pack_games([_found(number, 2, **SMALL_SIZES) for number in numbers])


def searched_game(
    rng: np.random.Generator, players: int, options: Numbers, predicates: Numbers, taken: Taken | None
) -> Game:
    """A game of these sizes, found by search towards any competitiveness and balance; of one player, naively."""
    sizes = drawn_number(rng, options), drawn_number(rng, predicates)
    if players == 1:
        return training_game_of_one(rng, *sizes, taken=taken)
    return training_game(rng, *sizes, *rng.random(2).tolist(), taken=taken, players=players)


def drawn_number(rng: np.random.Generator, numbers: Numbers) -> int:
    """A number of those from the least to the greatest."""
    least, most = (numbers, numbers) if isinstance(numbers, int) else numbers
    return least if least == most else int(rng.integers(least, most + 1))


def _found(number: int, players: int, options: Numbers, predicates: Numbers) -> Game:
    rng = np.random.default_rng(seed_from_parts("pooled game", number, players, options, predicates))
    return searched_game(rng, players, options, predicates, None)


@cache
def _kept() -> Mapping[str, np.ndarray]:
    return read_suite_file(Path(__file__).parent / "data" / "pool.npz", CHECKSUM)
