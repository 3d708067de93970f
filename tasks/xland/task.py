"""XLandTask: a world, a game, and the players that the scored one meets (2.2)."""

from dataclasses import dataclass

import numpy as np

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.task import Task
from procgen_bench.tasks.xland.co_players import check_co_player
from procgen_bench.tasks.xland.entities import COLOURS, FLOORS, SHAPES
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.reach import reachable_tiles
from procgen_bench.tasks.xland.worlds.world import World


@dataclass(frozen=True, eq=False)
class XLandTask(Task):
    """What player 1 is set to do.

    Attributes:
        world: The world, with as many players as the game has.
        game: The goals, player 1's first.
        co_players: Names of the policies of players 2 and 3 (:mod:`procgen_bench.tasks.xland.co_players`); none where
            that is left to whoever plays the task.
    """

    world: World
    game: Game
    co_players: tuple[str, ...] = ()

    def __post_init__(self):
        object.__setattr__(self, "co_players", tuple(self.co_players))
        super().__post_init__()

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
