"""Games of the evaluation (4.2): even over competitiveness and balance, and there over players, options, predicates."""

from collections.abc import Iterator
from itertools import cycle, product

import numpy as np

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.entities import MAX_PLAYERS
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.games.generation import MAX_CONJUNCTIONS, MAX_OPTIONS, PREDICATES, generate_game
from procgen_bench.tasks.xland.games.properties import game_properties
from procgen_bench.tasks.xland.games.recolouring import canonical
from procgen_bench.tasks.xland.hold_out import Taken, short_hash

#: Middles of the buckets of competitiveness and of balance; the first and last are at the extreme values.
LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)
#: The buckets that hold games: balance is at least 1 - competitiveness.
BUCKETS = tuple((first, second) for first, second in product(range(5), repeat=2) if first + second >= 4)
#: Players, options, and predicates of the longest option.
SIZES = tuple(product(range(2, MAX_PLAYERS + 1), range(1, MAX_OPTIONS + 1), range(1, MAX_CONJUNCTIONS + 1)))
#: Games drawn of one size for one bucket until the bucket is taken to have no (more) games of that size.
TRIES = 40


def check_evaluation_game(game: Game) -> None:
    """Raise :class:`InvalidTaskError` unless ``game`` may be one of the evaluation.

    It is of two or three players, none of its goals is trivial or has over three options, no option has over three
    predicates, and all goals together name at most six atoms.
    """
    atoms = np.unique(np.concatenate([goal.atoms for goal in game.goals]))
    if len(atoms) > PREDICATES:
        expected = f"at most {PREDICATES} in a game of the evaluation"
        raise InvalidTaskError("number of different atoms of the game", len(atoms), expected)
    if game.num_players < 2:
        raise InvalidTaskError("number of players of a game of the evaluation", game.num_players, "2 or 3")
    for number, goal in enumerate(game.goals, start=1):
        if len(goal.matrix) > MAX_OPTIONS:
            raise InvalidTaskError(f"number of options of goal {number}", len(goal.matrix), f"at most {MAX_OPTIONS}")
        longest = int(abs(goal.matrix).sum(axis=1).max())
        if longest > MAX_CONJUNCTIONS:
            raise InvalidTaskError(f"predicates in an option of goal {number}", longest, f"at most {MAX_CONJUNCTIONS}")
    if game_properties(game).trivial:
        raise InvalidTaskError("a goal of the game", "always or never rewarded", "goals that are not trivial")


def bucket(game: Game) -> tuple[int, int] | None:
    """Places in ``LEVELS`` of a game's competitiveness and balance; None for a trivial game."""
    properties = game_properties(game)
    if properties.trivial:
        return None
    return round(properties.competitiveness * 4), round(properties.balance * 4)


def size(game: Game) -> tuple[int, int, int]:
    """Players, options of each goal, and predicates of the longest option, of a game of the evaluation."""
    longest = max(int(abs(goal.matrix).sum(axis=1).max()) for goal in game.goals)
    return game.num_players, len(game.goals[0].matrix), longest


def game_like(rng: np.random.Generator, game: Game, taken: Taken) -> Game:
    """A game of the bucket and the size of ``game``, which is of the evaluation; it is not ``taken``."""
    target = bucket(game)
    assert target is not None  # no game of the evaluation is trivial
    while True:
        new = _new_game(rng, target, size(game), set())
        if new is not None and not taken.has_game(new):
            return new


def evaluation_games(rng: np.random.Generator, count: int, taken: set[int]) -> Iterator[Game]:
    """``count`` games, no two of them alike under recolouring; bucket by bucket, and size by size in each.

    A bucket's sizes take turns; one that has no (more) new games is passed over from then on, so that buckets are even
    even where sizes cannot be.

    Args:
        rng: The random generator.
        count: Number of games.
        taken: Hashes (:func:`~procgen_bench.tasks.xland.hold_out.short_hash`) of games that may not come; those that
            come are added.

    Raises:
        RuntimeError: A bucket has not enough games.
    """
    quotas = np.diff(np.linspace(0, count, len(BUCKETS) + 1).astype(np.int64))
    for target, quota in zip(BUCKETS, quotas.tolist()):
        sizes, found = dict.fromkeys(SIZES), 0
        for size in cycle(SIZES):
            if found == quota:
                break
            if not sizes:
                raise RuntimeError(f"the bucket {target} of competitiveness and balance has {found} games, not {quota}")
            if size in sizes:
                game = _new_game(rng, target, size, taken)
                if game is None:
                    del sizes[size]
                else:
                    found += 1
                    yield game


def _new_game(rng: np.random.Generator, target: tuple[int, int], size: tuple[int, int, int], taken: set[int]):
    """A game of this bucket and size that is not taken, None where all tries fail."""
    players, options, conjunctions = size
    for _ in range(TRIES):
        game = generate_game(rng, options, conjunctions, LEVELS[target[0]], LEVELS[target[1]], players)
        if bucket(game) == target:
            form = short_hash(canonical(game))
            if form not in taken:
                taken.add(form)
                return game
    return None
