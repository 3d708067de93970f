"""New tasks: a game and a world for it, neither of any suite, of the sizes that are asked for, and worth playing."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from procgen_bench.core.checks import check_choice
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.games.generation import MAX_CONJUNCTIONS, MAX_OPTIONS
from procgen_bench.tasks.xland.hold_out import Taken, training_game, training_game_of_one, training_world
from procgen_bench.tasks.xland.predicates.starts import met_at_the_start
from procgen_bench.tasks.xland.task import XLandTask
from procgen_bench.tasks.xland.worlds.generation import condition
from procgen_bench.tasks.xland.worlds.options import NUM_OBJECTS
from procgen_bench.tasks.xland.worlds.tiles import NUM_LEVELS
from procgen_bench.tasks.xland.worlds.validity import GREATEST_SIDE, LEAST_SIDE
from procgen_bench.tasks.xland.worlds.world import World

#: A number, or the least and the greatest of which one is drawn evenly; a list, too, as JSON has it.
Numbers = int | tuple[int, int]
#: The family to learn in the small, XLandSmall-v0: arguments of the environment and of its task space.
SMALL: dict[str, Any] = {"sides": (5, 9), "max_level": 1, "objects": (4, 6), "options": (1, 2), "predicates": (1, 2)}
#: Chance that a world is drawn with a tool.
TOOLS = 0.25
#: Worlds drawn for a game until one meets no player's goal at the start; games are dear, worlds are not.
MAX_WORLDS = 4
#: Games drawn until one names as few objects as the world has.
MAX_GAMES = 100
#: Least and greatest of each field's numbers.
_RANGES = {
    "sides": (LEAST_SIDE, GREATEST_SIDE),
    "objects": (1, NUM_OBJECTS),
    "options": (1, MAX_OPTIONS),
    "predicates": (1, MAX_CONJUNCTIONS),
}


@dataclass(frozen=True)
class DrawOptions:
    """What drawn tasks are like.

    Attributes:
        sides: Tiles along either side of the world, 5 to 15.
        max_level: Highest level of a floor, 0 to 5.
        objects: Objects of the world, 1 to 12, all different. Games name none but these.
        options: Options of every goal, 1 to 3.
        predicates: Most predicates in an option, 1 to 3.
        earned: Whether tasks are refused in which some player's goal is met at the start: doing nothing is rewarded
            there.
        tools: Chance, 0 to 1, that one of the world's slabs is 2.2 to 2.8 m long: a ramp up a ledge.

    Raises:
        InvalidOptionError: A value is none of these.
    """

    sides: Numbers = (9, GREATEST_SIDE)
    max_level: int = NUM_LEVELS - 1
    objects: Numbers = NUM_OBJECTS
    options: Numbers = (1, MAX_OPTIONS)
    predicates: Numbers = (1, MAX_CONJUNCTIONS)
    earned: bool = True
    tools: float = TOOLS

    def __post_init__(self):
        for name, (least, most) in _RANGES.items():
            object.__setattr__(self, name, _checked_numbers(name, getattr(self, name), least, most))
        check_choice("max_level", self.max_level, range(NUM_LEVELS))
        check_choice("earned", self.earned, (False, True))
        if isinstance(self.tools, bool) or not isinstance(self.tools, int | float) or not 0 <= self.tools <= 1:
            raise InvalidOptionError(f"tools is {self.tools!r}, expected a number in [0, 1]")


def draw_small_task(rng: np.random.Generator, taken: Taken | None = None) -> XLandTask:
    """A task of two players as :data:`SMALL` says; see :func:`draw_task`."""
    return draw_task(rng, 2, DrawOptions(**SMALL), taken)


def draw_task(rng: np.random.Generator, players: int, options: DrawOptions, taken: Taken | None = None) -> XLandTask:
    """A task for so many players (1 to 3), which leaves co-players open; neither its game nor its world is ``taken``:
    by default, those of all suites are.

    Games are drawn by search towards any competitiveness and balance; those of one player, which have neither, naively.

    Raises:
        InvalidOptionError: Games of this size name more objects than the world is to have.
        NoWorldError: The world is too small for what is asked of it.
    """
    while True:
        objects = _drawn(rng, options.objects)
        game = _draw_game(rng, players, objects, options, taken)
        for _ in range(MAX_WORLDS):
            world = _draw_world(rng, game, objects, options, taken)
            if not (options.earned and met_at_the_start(world, game).any()):
                return XLandTask(world, game)


def _draw_world(rng: np.random.Generator, game: Game, objects: int, options: DrawOptions, taken: Taken | None) -> World:
    """A world of so many objects that has all that the game needs."""
    width, height = _drawn(rng, options.sides), _drawn(rng, options.sides)
    wanted = {"objects": objects, "including": game.objects, "players": game.num_players}
    world = training_world(rng, width, height, taken=taken, max_level=options.max_level, tools=options.tools, **wanted)
    return condition(world, game, rng)


def _draw_game(rng: np.random.Generator, players: int, objects: int, options: DrawOptions, taken: Taken | None) -> Game:
    """A game that names at most so many objects."""
    for _ in range(MAX_GAMES):
        sizes = _drawn(rng, options.options), _drawn(rng, options.predicates)
        if players == 1:
            game = training_game_of_one(rng, *sizes, taken=taken)
        else:
            game = training_game(rng, *sizes, *rng.random(2).tolist(), taken=taken, players=players)
        if len(game.objects) <= objects:
            return game
    raise InvalidOptionError(
        f"objects is {objects}, expected more: {MAX_GAMES} games of {sizes[0]} options of up to {sizes[1]} predicates "
        "named more objects than that"
    )


def _drawn(rng: np.random.Generator, numbers: Numbers) -> int:
    """A number of those from the least to the greatest."""
    least, most = (numbers, numbers) if isinstance(numbers, int) else numbers
    return least if least == most else int(rng.integers(least, most + 1))


def _checked_numbers(name: str, value: Any, least: int, most: int) -> Numbers:
    """The value as :data:`Numbers`, within a range."""
    pair = [value] if isinstance(value, int) else value
    is_pair = isinstance(pair, list | tuple) and len(pair) in (1, 2) and all(type(one) is int for one in pair)
    if not is_pair or not least <= pair[0] <= pair[-1] <= most:
        raise InvalidOptionError(f"{name} is {value!r}, expected an integer in [{least}, {most}], or a pair of such")
    return value if isinstance(value, int) else (pair[0], pair[-1])
