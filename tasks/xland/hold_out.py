"""What training may not see: the games and worlds of all suites, under recolouring and reflection (A.3).

Games and worlds are compared by canonical forms, of which 64 bits are kept: two of a million different ones share them
with a chance below one in ten million.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from procgen_bench.core.suite_file import read_suite_file
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.games.generation import generate_game, sample_game_of_one
from procgen_bench.tasks.xland.games.recolouring import canonical
from procgen_bench.tasks.xland.worlds.generation import generate_world
from procgen_bench.tasks.xland.worlds.symmetry import canonical_world
from procgen_bench.tasks.xland.worlds.world import World

#: SHA-256 over ``data/hold_out.npz``'s arrays; ``python -m procgen_bench.tasks.xland.generate`` prints it.
CHECKSUM = "313f48a57a8708ab6f496f64f7b10df1f4979f5e593b37db9dc3a14649f2eaf3"


def short_hash(canonical_form: str) -> int:
    """The first 64 bits of a canonical form, which is a hexadecimal SHA-256."""
    return int(canonical_form[:16], 16)


def is_held_out_game(game: Game) -> bool:
    """Whether some suite has ``game``, or a recolouring of it."""
    return short_hash(canonical(game)) in _held_out()["games"]


def is_held_out_world(world: World) -> bool:
    """Whether some suite has a world of these tiles, reflected or rotated."""
    return short_hash(canonical_world(world)) in _held_out()["worlds"]


def marks(game: Game, world: World) -> frozenset[str]:
    """What a game and a world share with all that are the same but for colours, rotation or reflection."""
    return frozenset((_mark("game", short_hash(canonical(game))), _mark("world", short_hash(canonical_world(world)))))


@cache
def held_out_marks() -> frozenset[str]:
    """The marks of every game and every world of all suites."""
    held_out = _held_out()
    games, worlds = ({_mark(kind, form) for form in held_out[f"{kind}s"]} for kind in ("game", "world"))
    return frozenset(games | worlds)


def training_game(rng: np.random.Generator, *args, **kwargs) -> Game:
    """:func:`~procgen_bench.tasks.xland.games.generation.generate_game`, again until no suite has the game."""
    return _first(lambda: generate_game(rng, *args, **kwargs), is_held_out_game)


def training_game_of_one(rng: np.random.Generator, *args, **kwargs) -> Game:
    """:func:`~procgen_bench.tasks.xland.games.generation.sample_game_of_one`, again until no suite has the game."""
    return _first(lambda: sample_game_of_one(rng, *args, **kwargs), is_held_out_game)


def training_world(rng: np.random.Generator, *args, **kwargs) -> World:
    """:func:`~procgen_bench.tasks.xland.worlds.generation.generate_world`, again until no suite has the world."""
    return _first(lambda: generate_world(rng, *args, **kwargs), is_held_out_world)


def _mark(kind: str, form: int) -> str:
    return f"{kind} {form:016x}"


def _first(make: Callable, is_held_out: Callable[..., bool]):
    """The first thing made that is not held out."""
    while True:
        made = make()
        if not is_held_out(made):
            return made


@cache
def _held_out() -> dict[str, frozenset[int]]:
    path = Path(__file__).parent / "data" / "hold_out.npz"
    return {name: frozenset(array.tolist()) for name, array in read_suite_file(path, CHECKSUM).items()}
