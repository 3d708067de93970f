"""XLandTask: a world, a game, and the players that the scored one meets (2.2).

Its text has the goals, player 1's first, then a line of the co-players where they are named, then the world in the form
of :mod:`procgen_bench.tasks.xland.worlds.text`. Empty lines, and what follows a ``#``, are ignored.

::

    near(me,purple sphere) | ~see(opponent,me)
    hold(me,purple sphere)
    co-players: noop

    0. 0. 0. 0. 0.
    0. 0. 0. 0. 0.
    0. 0. 0. 0. 0.
    0. 0. 0. 0. 0.
    0. 0. 0. 0. 0.
    purple sphere 0.8 m at 3.5 1.5
    blue player at 0.5 4.5
    red player at 4.5 4.5 facing 1.57
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.task import Task
from procgen_bench.tasks.xland.co_players import CO_PLAYERS, check_co_player
from procgen_bench.tasks.xland.entities import COLOURS, FLOORS, SHAPES
from procgen_bench.tasks.xland.games.game import Game, parse_game
from procgen_bench.tasks.xland.reach import reachable_tiles
from procgen_bench.tasks.xland.worlds.world import World

_CO_PLAYERS = "co-players:"


@dataclass(frozen=True, eq=False)
class XLandTask(Task):
    """What player 1 is set to do.

    Attributes:
        world: The world, with as many players as the game has.
        game: The goals, player 1's first.
        co_players: Names of the policies of players 2 and 3 (:mod:`procgen_bench.tasks.xland.co_players`); none where
            the caller chooses them.
    """

    world: World
    game: Game
    co_players: tuple[str, ...] = ()

    def __post_init__(self):
        object.__setattr__(self, "co_players", tuple(self.co_players))
        super().__post_init__()

    def to_text(self) -> str:
        """The task in a form that people read and write, see above; numbers are printed in full."""
        named = [" ".join([_CO_PLAYERS, *self.co_players])] if self.co_players else []
        return "\n".join([str(self.game), *named, "", self.world.to_text()])

    @classmethod
    def from_text(cls, text: str) -> "XLandTask":
        """The task that :meth:`to_text` shows, or that a person wrote in its form.

        Raises:
            InvalidTaskError: The text has another form (the line is named), or shows no valid task.
        """
        lines = [line.partition("#")[0].strip() for line in text.splitlines()]
        head = list(takewhile(lambda line: not line[:1].isdigit(), lines))
        named = [line.removeprefix(_CO_PLAYERS) for line in head if line.startswith(_CO_PLAYERS)]
        game = parse_game("\n".join("" if line.startswith(_CO_PLAYERS) else line for line in head))
        world = World.from_text("\n".join([*([""] * len(head)), *lines[len(head) :]]))
        task = cls(world, game, _read_co_players(named))
        task.validate()
        return task

    def validate(self) -> None:
        """Raise :class:`InvalidTaskError` or :class:`UnknownNameError` unless the task can be played.

        The world is valid and has as many players as the game; every object that the game names is in the world, where
        some player can come to it; every floor that it names is there; and either none or all co-players are named.
        """
        self.world.validate()
        players = len(self.world.player_colours)
        if players != self.game.num_players:
            raise InvalidTaskError(
                "number of players of the world", players, f"{self.game.num_players}, as of the game"
            )
        self._check_objects()
        for floor in sorted(self.game.floors):
            if not (self.world.floors == FLOORS.index(floor)).any():
                raise InvalidTaskError("floors", f"without {floor}", f"a {floor} floor, which the game names")
        if self.co_players and len(self.co_players) != players - 1:
            raise InvalidTaskError("number of co-players", len(self.co_players), f"0 or {players - 1}")
        for name in self.co_players:
            check_co_player(name)

    def _check_objects(self) -> None:
        """Every object that the game names is within the reach of some player."""
        reachable = reachable_tiles(self.world)
        for shape, colour in sorted(self.game.objects):
            is_it = (self.world.object_shapes == SHAPES.index(shape)) & (
                self.world.object_colours == COLOURS.index(colour)
            )
            cells = self.world.object_positions[is_it].astype(np.int64)[:, ::-1].tolist()
            if not cells:
                raise InvalidTaskError("objects", f"without {colour} {shape}", "every object that the game names")
            if not any(reachable[row, column] for row, column in cells):
                raise InvalidTaskError(
                    f"the {colour} {shape}'s tile", cells[0], "a tile [row, column] that some player can come to"
                )


def _read_co_players(named: Sequence[str]) -> tuple[str, ...]:
    """The names in a text's lines of co-players, of which there is one at most."""
    if len(named) > 1:
        raise InvalidTaskError(f"number of lines {_CO_PLAYERS!r}", len(named), "0 or 1")
    names = tuple(name for line in named for name in line.split())
    for name in names:
        if name not in CO_PLAYERS:
            raise InvalidTaskError("co-player", name, f"one of {', '.join(CO_PLAYERS)}")
    return names
