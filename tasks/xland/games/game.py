"""Game: one goal for each player (2.2)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.task import Task
from procgen_bench.tasks.xland.entities import MAX_PLAYERS
from procgen_bench.tasks.xland.games.atoms import ATOMS, FLOOR_NAMES, OPPONENT
from procgen_bench.tasks.xland.games.goal import Goal, read_goal
from procgen_bench.tasks.xland.games.scanner import Scanner


@dataclass(frozen=True, eq=False, repr=False)
class Game(Task):
    """The goals of one to three players, each in its player's own words: me and opponent.

    What these stand for in games of two and three is in :mod:`procgen_bench.tasks.xland.games.resolution`.

    Attributes:
        goals: The goals, player 1's first.

    Raises:
        InvalidTaskError: No goal or more than three, or a game of one player whose goal names an opponent.
    """

    goals: tuple[Goal, ...]

    def __post_init__(self):
        object.__setattr__(self, "goals", tuple(self.goals))
        if not 1 <= len(self.goals) <= MAX_PLAYERS:
            raise InvalidTaskError("number of goals of the game", len(self.goals), f"1 to {MAX_PLAYERS}")
        for number, goal in enumerate(self.goals, start=1):
            if not isinstance(goal, Goal):
                raise InvalidTaskError(f"goal of player {number}", goal, "a Goal")
        if self.num_players == 1:
            for atom in self.goals[0].atoms:
                if OPPONENT in ATOMS[atom]:
                    raise InvalidTaskError("atom in a game of one player", str(ATOMS[atom]), "no opponent")

    @property
    def num_players(self) -> int:
        """Number of players."""
        return len(self.goals)

    @cached_property
    def objects(self) -> frozenset[tuple[str, str]]:
        """Shapes and colours of the objects that the goals name."""
        return frozenset[tuple[str, str]]().union(*(goal.objects for goal in self.goals))

    @cached_property
    def floors(self) -> frozenset[str]:
        """Colours of the floors that the goals name."""
        atoms = [ATOMS[place] for goal in self.goals for place in goal.atoms]
        return frozenset(atom.second.removesuffix(" floor") for atom in atoms if atom.second in FLOOR_NAMES)

    def rewards(self, truths: np.ndarray) -> np.ndarray:
        """Who is rewarded, bool (..., players).

        Args:
            truths: bool (..., players, 212): whether each atom is true as each player sees it.
        """
        truths = np.asarray(truths, np.bool_)
        return np.stack([goal.reward(truths[..., player, :]) for player, goal in enumerate(self.goals)], axis=-1)

    def __str__(self) -> str:
        return "\n".join(map(str, self.goals))

    def __repr__(self) -> str:
        return f"parse_game({str(self)!r})"


def parse_game(text: str) -> Game:
    """The game of a text with a line for every goal, player 1's first; empty lines do not matter.

    Raises:
        InvalidTaskError: The text is no game; names the line and the column, from 1.
    """
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    return Game(tuple(read_goal(Scanner(line, f"line {number} of the game")) for number, line in lines))
