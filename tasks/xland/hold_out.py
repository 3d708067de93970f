"""What training may not see: the games and worlds of all suites, under recolouring and reflection (A.3), and a share of
all others, of which fresh tasks are made.

Games and worlds are compared by canonical forms, of which 64 bits are kept: two of a million different ones share them
with a chance below one in ten million.

The simplest tasks are an exception: one literal for every player, in a flat room. There are few such rooms and games,
and suites have many of them, so that hardly any would be left to begin learning with. They are told apart by what
stands where, and all but those of the suites may be trained on. Fresh tasks are none of them.
"""

import hashlib
from collections.abc import Callable, Container
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.marks import is_among
from procgen_bench.core.suite_file import read_suite_file
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.games.generation import generate_game, sample_game_of_one
from procgen_bench.tasks.xland.games.recolouring import canonical
from procgen_bench.tasks.xland.worlds.generation import generate_world
from procgen_bench.tasks.xland.worlds.symmetry import canonical_world
from procgen_bench.tasks.xland.worlds.tiles import TileKind
from procgen_bench.tasks.xland.worlds.world import World

#: SHA-256 over ``data/hold_out.npz``'s arrays; ``python -m procgen_bench.tasks.xland.generate`` prints it.
CHECKSUM = "9455d6e9df041dfffe3e1c342cee276bcee0be7dbac77d04ca124735c5d0d0e7"
#: Share of all games, and of all worlds, that is kept for fresh tasks: a budget meets most small games.
FRESH_SHARE = 0.25
#: How many worlds in a row may all be taken before the options are refused: of such sizes there are hardly any others.
MOST_TAKEN = 100
#: How many games. Of those with one predicate an option and an extreme competitiveness nearly all are; others are left.
MOST_TAKEN_GAMES = 10_000


def short_hash(canonical_form: str) -> int:
    """The first 64 bits of a canonical form, which is a hexadecimal SHA-256."""
    return int(canonical_form[:16], 16)


@dataclass(frozen=True)
class Taken:
    """Games and worlds that may not be drawn.

    Attributes:
        games: Their short hashes.
        worlds: Those of the worlds.
    """

    games: Container[int]
    worlds: Container[int]

    def has_game(self, game: Game) -> bool:
        """Whether ``game`` is among them, or a recolouring of it."""
        return short_hash(canonical(game)) in self.games

    def has_world(self, world: World) -> bool:
        """Whether a world of these tiles is among them, reflected or rotated."""
        return short_hash(canonical_world(world)) in self.worlds


@dataclass(frozen=True)
class _WithAShare:
    """The short hashes of suites, and all others that are kept fresh, or all that are not.

    Attributes:
        kind: ``"game"`` or ``"world"``.
        suites: Short hashes of those of the suites.
        is_fresh: Whether those that are kept fresh are contained, or those that are not.
    """

    kind: str
    suites: frozenset[int]
    is_fresh: bool

    def __contains__(self, form: object) -> bool:
        assert isinstance(form, int)
        return form in self.suites or is_among(_mark(self.kind, form), FRESH_SHARE) == self.is_fresh


def is_held_out_game(game: Game) -> bool:
    """Whether some suite has ``game``, or a recolouring of it."""
    return held_out().has_game(game)


def is_held_out_world(world: World) -> bool:
    """Whether some suite has a world of these tiles, reflected or rotated."""
    return held_out().has_world(world)


@cache
def held_out() -> Taken:
    """The games and worlds of all suites."""
    known = _held_out()
    return Taken(known["games"], known["worlds"])


@cache
def no_training() -> Taken:
    """The games and worlds that may not be trained on: those of all suites, and those that are kept fresh."""
    return _beside_suites(is_fresh=True)


@cache
def no_fresh() -> Taken:
    """The games and worlds of which no fresh task is made: those of all suites, and those that may be trained on."""
    return _beside_suites(is_fresh=False)


def is_simplest(game: Game, world: World) -> bool:
    """Whether every goal is one literal, and the world a flat room of a size that some suite has."""
    return is_flat_task(game, world) and held_out().has_world(world)


def is_flat_task(game: Game, world: World) -> bool:
    """Whether every goal is one literal, and the world a flat room: all tiles are flat, at one level."""
    is_flat = (world.kinds == TileKind.FLAT).all() and (world.levels == world.levels[0, 0]).all()
    return bool(is_flat) and all(np.count_nonzero(goal.matrix) == 1 for goal in game.goals)


def simplest_form(game: Game, world: World) -> int:
    """64 bits that two of the simplest tasks share if they are the same but for colours, rotation or reflection: of the
    game, the room, and how far everything in it is from everything else (millimetres)."""
    things = np.concatenate([world.object_positions, world.player_positions]) * world.tile_size[:2]
    apart = np.linalg.norm(things[:, np.newaxis] - things, axis=-1)[np.triu_indices(len(things), 1)]
    parts = canonical(game), canonical_world(world), np.sort(np.round(apart * 1000).astype(np.int64)).tolist()
    return short_hash(hashlib.sha256(repr(parts).encode()).hexdigest())


def marks(game: Game, world: World) -> frozenset[str]:
    """What a game and a world share with all that are the same but for colours, rotation or reflection; one of the two
    together for the simplest tasks (:func:`is_simplest`)."""
    if is_simplest(game, world):
        return frozenset((_mark("task", simplest_form(game, world)),))
    return frozenset((_mark("game", short_hash(canonical(game))), _mark("world", short_hash(canonical_world(world)))))


@cache
def held_out_marks() -> frozenset[str]:
    """The marks of every game and every world of all suites, and of the simplest of their tasks."""
    return frozenset(_mark(kind, form) for kind in ("game", "world", "task") for form in _held_out()[f"{kind}s"])


def training_game(rng: np.random.Generator, *args, taken: Taken | None = None, **kwargs) -> Game:
    """:func:`~procgen_bench.tasks.xland.games.generation.generate_game`, until one is not taken.

    Raises:
        InvalidOptionError: All of :data:`MOST_TAKEN_GAMES` are taken.
    """
    return _first_game(lambda: generate_game(rng, *args, **kwargs), taken)


def training_game_of_one(rng: np.random.Generator, *args, taken: Taken | None = None, **kwargs) -> Game:
    """:func:`~procgen_bench.tasks.xland.games.generation.sample_game_of_one`, until one is not taken.

    Raises:
        InvalidOptionError: All of :data:`MOST_TAKEN_GAMES` are taken.
    """
    return _first_game(lambda: sample_game_of_one(rng, *args, **kwargs), taken)


def training_world(
    rng: np.random.Generator, *args, taken: Taken | None = None, simplest_for: Game | None = None, **kwargs
) -> World:
    """:func:`~procgen_bench.tasks.xland.worlds.generation.generate_world`, until one is not taken.

    With ``simplest_for``, a game, also a taken one in which its tasks are of the simplest (:func:`is_simplest`).

    Raises:
        InvalidOptionError: All of :data:`MOST_TAKEN` are taken: there are few such worlds.
    """
    rules = taken or no_training()

    def is_taken(world: World) -> bool:
        return rules.has_world(world) and (simplest_for is None or not is_simplest(simplest_for, world))

    return _first(lambda: generate_world(rng, *args, **kwargs), is_taken, MOST_TAKEN, "worlds")


def _mark(kind: str, form: int) -> str:
    return f"{kind} {form:016x}"


def _first_game(make: Callable[[], Game], taken: Taken | None) -> Game:
    return _first(make, (taken or no_training()).has_game, MOST_TAKEN_GAMES, "games")


def _first(make: Callable, is_taken: Callable[..., bool], most: int, kind: str):
    """The first of at most so many things made that is not taken."""
    for _ in range(most):
        made = make()
        if not is_taken(made):
            return made
    raise InvalidOptionError(
        f"all of {most} {kind} drawn with these options are in suites or kept fresh; expected options that give more "
        f"{kind}"
    )


def _beside_suites(is_fresh: bool) -> Taken:
    known = _held_out()
    return Taken(
        games=_WithAShare("game", known["games"], is_fresh), worlds=_WithAShare("world", known["worlds"], is_fresh)
    )


@cache
def _held_out() -> dict[str, frozenset[int]]:
    path = Path(__file__).parent / "data" / "hold_out.npz"
    return {name: frozenset(array.tolist()) for name, array in read_suite_file(path, CHECKSUM).items()}
