"""New tasks: a game and a world for it, of the sizes that are asked for, and worth playing.

Both may be trained on, unless others are asked for.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from procgen_bench.core.checks import check_choice
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.tasks.xland.close_starts import brought_close
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.games.generation import MAX_CONJUNCTIONS, MAX_OPTIONS
from procgen_bench.tasks.xland.games.recolouring import RECOLOURINGS, recolour_game
from procgen_bench.tasks.xland.games.templates import ALL_SKILLS, STAGES, skill_game, template_game
from procgen_bench.tasks.xland.hold_out import Taken, no_training, training_world
from procgen_bench.tasks.xland.pool import MAX_POOLED, SMALL_SIZES, Numbers, drawn_number, pooled_game, searched_game
from procgen_bench.tasks.xland.predicates.starts import met_at_the_start
from procgen_bench.tasks.xland.task import XLandTask
from procgen_bench.tasks.xland.ways import Way, with_ways
from procgen_bench.tasks.xland.worlds.generation import condition
from procgen_bench.tasks.xland.worlds.options import NUM_OBJECTS
from procgen_bench.tasks.xland.worlds.tiles import NUM_LEVELS
from procgen_bench.tasks.xland.worlds.validity import GREATEST_SIDE, LEAST_SIDE, MAX_METRES
from procgen_bench.tasks.xland.worlds.world import World

#: The family to learn in the small, XLandSmall-v0: arguments of the environment and of its task space.
SMALL: dict[str, Any] = {"sides": (5, 9), "max_level": 1, "objects": (4, 6), **SMALL_SIZES}
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
        templates: Chance, 0 to 1, that a game is of the templates
            (:mod:`procgen_bench.tasks.xland.games.templates`), whose goals are easy ones.
        template_stages: From how many stages of these, the easiest first: 1 (a literal about oneself) to 4.
        pooled_games: How many different games are searched for, 0 to 16,384, of which those drawn are recolourings;
            0: every one is searched for. A search takes most of the time that drawing a task does.
        close_starts: Chance, 0 to 1, that players begin close to an object that their goals name
            (:mod:`procgen_bench.tasks.xland.close_starts`).
        skill: The one of ``ALL_SKILLS`` (:mod:`procgen_bench.tasks.xland.games.templates`) of which all games are, and
            nothing else, or several joined by ``|``, one drawn for each game; empty: games are as the above say.
        player_way: Least and greatest metres from player 1's start to the first object that its goal names, and of
            the other players' where it can be; ``None``: worlds are not changed for it.
        object_way: Least and greatest metres from that object to where the goal wants it; see
            :mod:`procgen_bench.tasks.xland.ways`.
        mutation: How strongly a mutation of the task space changes a world, 0 to 1, while the game stays; open rooms
            get more complex from mutation to mutation, up to any level, and games are drawn that may be trained on in
            all worlds. ``None``: mutations change a world by 0.1, or the game's colours, and an open room stays open.

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
    templates: float = 0.0
    template_stages: int = len(STAGES)
    pooled_games: int = 0
    close_starts: float = 0.0
    skill: str = ""
    player_way: Way | None = None
    object_way: Way | None = None
    mutation: float | None = None

    def __post_init__(self):
        for name, (least, most) in _RANGES.items():
            object.__setattr__(self, name, _checked_numbers(name, getattr(self, name), least, most))
        check_choice("max_level", self.max_level, range(NUM_LEVELS))
        check_choice("earned", self.earned, (False, True))
        for skill in self.skill.split("|"):
            check_choice("skill", skill, ("", *ALL_SKILLS) if skill == self.skill else tuple(ALL_SKILLS))
        for name in ("player_way", "object_way"):
            object.__setattr__(self, name, _checked_way(name, getattr(self, name)))
        check_choice("template_stages", self.template_stages, range(1, len(STAGES) + 1))
        if type(self.pooled_games) is not int or not 0 <= self.pooled_games <= MAX_POOLED:
            raise InvalidOptionError(f"pooled_games is {self.pooled_games!r}, expected an integer in [0, {MAX_POOLED}]")
        for name in ("tools", "templates", "close_starts", *(() if self.mutation is None else ("mutation",))):
            chance = getattr(self, name)
            if isinstance(chance, bool) or not isinstance(chance, int | float) or not 0 <= chance <= 1:
                raise InvalidOptionError(f"{name} is {chance!r}, expected a number in [0, 1]")


def draw_small_task(rng: np.random.Generator, taken: Taken | None = None) -> XLandTask:
    """A task of two players as :data:`SMALL` says; see :func:`draw_task`."""
    return draw_task(rng, 2, DrawOptions(**SMALL), taken)


def draw_skill_task(rng: np.random.Generator, skill: str, taken: Taken | None = None) -> XLandTask:
    """A small task of two players whose goals are of one skill, one of ``SKILLS``; its world is not ``taken``."""
    return draw_task(rng, 2, DrawOptions(**SMALL, skill=skill), taken)


def draw_task(rng: np.random.Generator, players: int, options: DrawOptions, taken: Taken | None = None) -> XLandTask:
    """A task for so many players (1 to 3), which leaves co-players open; neither its game nor its world is ``taken``:
    by default, those are that may not be trained on. Games of a skill are few, and all may be drawn. In flat rooms
    (``max_level`` 0) a game of one literal for every player is drawn even so: see
    :func:`~procgen_bench.tasks.xland.hold_out.is_simplest`.

    Games are drawn by search towards any competitiveness and balance; those of one player, which have neither, naively.

    Raises:
        InvalidOptionError: Games of this size name more objects than the world is to have, or all worlds are taken.
        NoWorldError: The world is too small for what is asked of it.
    """
    while True:
        if options.skill:
            skills = options.skill.split("|")
            skill = skills[0] if len(skills) == 1 else str(rng.choice(skills))
            game, objects = _skill_game_in(rng, players, skill, options)
        else:
            objects = drawn_number(rng, options.objects)
            game = _draw_game(rng, players, objects, options, taken)
        task = _in_a_world(rng, game, objects, options, taken)
        if task is not None:
            return task


def draw_task_of(rng: np.random.Generator, game: Game, options: DrawOptions) -> XLandTask:
    """A task of a game in a world that may be trained on, of the sizes of ``options``, which leaves co-players open.

    Raises:
        InvalidOptionError: The game names more objects than the world is to have, or nobody's goal is ever open there.
        NoWorldError: The world is too small for what is asked of it.
    """
    objects = drawn_number(rng, options.objects)
    if len(game.objects) > objects:
        raise InvalidOptionError(f"objects is {objects}, expected at least {len(game.objects)}, which the game names")
    for _ in range(MAX_GAMES):
        task = _in_a_world(rng, game, objects, options, None)
        if task is not None:
            return task
    raise InvalidOptionError(f"{game!r} is met at the start in {MAX_GAMES * MAX_WORLDS} worlds, expected another game")


def _in_a_world(
    rng: np.random.Generator, game: Game, objects: int, options: DrawOptions, taken: Taken | None
) -> XLandTask | None:
    """The game in a world of so many objects in which it means something; ``None`` where some have shown none."""
    for _ in range(MAX_WORLDS):
        world = _draw_world(rng, game, objects, options, taken)
        if not (options.earned and met_at_the_start(world, game).any()):
            if options.player_way or options.object_way:
                moved = with_ways(rng, world, game, options.player_way, options.object_way)
                if moved is None:
                    continue
                return XLandTask(moved, game)
            is_close = options.close_starts and rng.random() < options.close_starts
            return XLandTask(brought_close(rng, world, game) if is_close else world, game)
    return None


def _draw_world(rng: np.random.Generator, game: Game, objects: int, options: DrawOptions, taken: Taken | None) -> World:
    """A world of so many objects that has all that the game needs."""
    width, height = drawn_number(rng, options.sides), drawn_number(rng, options.sides)
    wanted = {"objects": objects, "including": game.objects, "players": game.num_players}
    # Where other worlds are asked for too, the simplest are not missed.
    simplest_for = game if taken is None and options.max_level == 0 else None
    drawn = {"max_level": options.max_level, "tools": options.tools, **wanted}
    world = training_world(rng, width, height, taken=taken, simplest_for=simplest_for, **drawn)
    return condition(world, game, rng)


def _skill_game_in(rng: np.random.Generator, players: int, skill: str, options: DrawOptions) -> tuple[Game, int]:
    """A game of a skill, and how many objects its world has, at least those that it names."""
    for _ in range(MAX_GAMES):
        game, objects = skill_game(rng, players, skill), drawn_number(rng, options.objects)
        # Worlds that evolve are no flat rooms for long, and elsewhere a game that is held out is not trained on.
        may_evolve = options.mutation is None or not no_training().has_game(game)
        if len(game.objects) <= objects and may_evolve:
            return game, objects
    raise InvalidOptionError(
        f"objects is {options.objects}, expected more: {MAX_GAMES} games of the skill {skill!r} named more objects, or "
        "are to stay in worlds that evolve and may not be trained on there"
    )


def _draw_game(rng: np.random.Generator, players: int, objects: int, options: DrawOptions, taken: Taken | None) -> Game:
    """A game that names at most so many objects."""
    for _ in range(MAX_GAMES):
        if options.templates and rng.random() < options.templates:
            game = template_game(rng, players, options.template_stages)
            if (taken or no_training()).has_game(game):
                continue
        elif options.pooled_games and taken is None:
            pooled = pooled_game(int(rng.integers(options.pooled_games)), players, options.options, options.predicates)
            game = recolour_game(pooled, int(rng.integers(len(RECOLOURINGS))))
        else:
            game = searched_game(rng, players, options.options, options.predicates, taken)
        if len(game.objects) <= objects:
            return game
    raise InvalidOptionError(
        f"objects is {objects}, expected more: {MAX_GAMES} games of {options.options} options of up to "
        f"{options.predicates} predicates named more objects than that, or are in a suite or kept fresh"
    )


def _checked_way(name: str, value: Any) -> Way | None:
    """The value as a pair of metres."""
    if value is None:
        return None
    pair = tuple(value) if isinstance(value, list | tuple) else ()
    is_pair = len(pair) == 2 and all(isinstance(one, int | float) and not isinstance(one, bool) for one in pair)
    if not is_pair or not 0 <= pair[0] < pair[1] <= MAX_METRES:
        raise InvalidOptionError(
            f"{name} is {value!r}, expected two numbers of metres, the less first, at most {MAX_METRES}"
        )
    return float(pair[0]), float(pair[1])


def _checked_numbers(name: str, value: Any, least: int, most: int) -> Numbers:
    """The value as :data:`Numbers`, within a range."""
    pair = [value] if isinstance(value, int) else value
    is_pair = isinstance(pair, list | tuple) and len(pair) in (1, 2) and all(type(one) is int for one in pair)
    if not is_pair or not least <= pair[0] <= pair[-1] <= most:
        raise InvalidOptionError(f"{name} is {value!r}, expected an integer in [{least}, {most}], or a pair of such")
    return value if isinstance(value, int) else (pair[0], pair[-1])
