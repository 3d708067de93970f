"""Figures 23 and 24: checkpoints of a run in two games in which players can get into each other's way (6.4.3, A.9).

In the first, player 1 brings one of two spheres to its floor, and player 2 one of them to another floor: player 1
avoids conflict if it takes the sphere that player 2 does not want. The second is the game of Chicken, in which both can
cooperate whatever the other one does, but only one of them can dominate at a time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from procgen_bench.leaderboards.reproduction.measured import KeyNumber
from procgen_bench.leaderboards.reproduction.xland.matches import (
    draw_shares,
    listed,
    load_players,
    names_of,
    play_game,
    play_matches,
)
from procgen_bench.tasks.xland.games.game import Game, parse_game
from procgen_bench.tasks.xland.games.goal import parse_goal
from procgen_bench.tasks.xland.task import XLandTask

#: Player 1's options: with the sphere that both want, and with the one that it alone can use (A.9.2).
CONTESTED, FREE = "on(yellow sphere,orange floor)", "on(purple sphere,orange floor)"
_CONFLICT = parse_game(f"{CONTESTED} | {FREE}\non(yellow sphere,grey floor)")
#: The room seen from above. Both spheres are as far from either player, and from either floor. Player 1's floor is down
#: on the left, player 2's up on the right, and each looks towards its own. Training knows two levels, not three.
_ROOM = """
0. 0. 0> 1. 1. 1. 1> 2. 2.
0. 0. 0> 1. 1. 1. 1> 2. 2.
0. 0. 0> 1. 1. 1. 1> 2. 2.
0. 0. 0> 1. 1. 1. 1> 2. 2.
0. 0. 0> 1. 1. 1. 1> 2. 2.
0. 0. 0> 1. 1. 1. 1> 2. 2.
0. 0. 0> 1. 1. 1. 1> 2. 2.
floors 0 orange 1 brown 2 grey
{upper} sphere 0.8 m at 4.5 2.7
{lower} sphere 0.8 m at 4.5 4.3
blue player at 5.9 3.5 facing 3.1416
red player at 3.1 3.5 facing 0
"""
#: Either player's options in Chicken (A.9.3). Our copy of the paper has only their second literals. There dominating
#: pays twice as much, by two options in place of one; rewards here are 0 or 1, so each has one option.
COOPERATE = "see(me,black pyramid) & ~see(black pyramid,purple pyramid)"
DOMINATE = "see(me,yellow pyramid) & ~see(opponent,yellow pyramid)"
CHICKEN = Game((parse_goal(f"{COOPERATE} | {DOMINATE}"),) * 2)


@dataclass(frozen=True)
class ConflictAvoidance:
    """Every player 1 against every player 2, where one of two spheres is wanted by both.

    Attributes:
        names: Of the checkpoints, the earliest first.
        contested: float64 (K, K, episodes), shares of steps in which the sphere that both want meets player 1's goal.
        returns: float64 (K, K, episodes, 2), shares of steps in which each player is rewarded.
    """

    names: list[str]
    contested: np.ndarray
    returns: np.ndarray

    def key_numbers(self) -> list[KeyNumber]:
        """How player 1 meets its goal, and what both earn, over checkpoints."""
        first, second = (self.returns[..., player].mean(axis=2) for player in (0, 1))
        return [
            KeyNumber("conflicts avoided, by player 1", listed(self.names, self._avoided(1, 2)), "rises with training"),
            KeyNumber("conflicts avoided, by player 2", listed(self.names, self._avoided(0, 2))),
            KeyNumber("player 1 is rewarded", listed(self.names, first.mean(axis=1))),
            KeyNumber("player 1 is rewarded, by player 2", listed(self.names, first.mean(axis=0))),
            KeyNumber(f"{self.names[0]} is rewarded, by player 2", listed(self.names, first[0]), "falls with training"),
            KeyNumber("player 2 is rewarded", listed(self.names, second.mean(axis=0))),
        ]

    def draw(self) -> Figure:
        """Player 1 by player 2: conflicts avoided, and what player 1 earns."""
        return _draw_pairs(
            self.names,
            {
                "share of its rewarded steps in which\nplayer 1 uses the free sphere alone": self._avoided(2),
                "share of steps in which\nplayer 1 is rewarded": self.returns[..., 0].mean(axis=2),
            },
            ("player 1", "player 2"),
        )

    def _avoided(self, *axes: int) -> np.ndarray:
        """Means over these axes, nan where player 1 is never rewarded."""
        rewarded, contested = self.returns[..., 0].mean(axis=axes), self.contested.mean(axis=axes)
        return np.divide(rewarded - contested, rewarded, out=np.full(rewarded.shape, np.nan), where=rewarded > 0)


@dataclass(frozen=True)
class Chicken:
    """Every checkpoint against every other one in a game of cooperating and dominating, of which one can do both.

    Attributes:
        names: Of the checkpoints, the earliest first.
        cooperates: float64 (K, K, worlds), shares of steps in which player 1 meets its cooperative option.
        dominates: float64 (K, K, worlds), in which it meets the other one.
    """

    names: list[str]
    cooperates: np.ndarray
    dominates: np.ndarray

    def key_numbers(self) -> list[KeyNumber]:
        """What each checkpoint does against the earliest and against itself."""
        cooperates, dominates = self.cooperates.mean(axis=2), self.dominates.mean(axis=2)
        return [
            KeyNumber("cooperates, with itself", listed(self.names, cooperates.diagonal()), "rises with training"),
            KeyNumber("dominates, with itself", listed(self.names, dominates.diagonal())),
            KeyNumber(f"cooperates, with {self.names[0]}", listed(self.names, cooperates[:, 0])),
            KeyNumber(f"dominates, with {self.names[0]}", listed(self.names, dominates[:, 0]), "more than with others"),
            KeyNumber(f"dominates, with {self.names[-1]}", listed(self.names, dominates[:, -1])),
        ]

    def draw(self) -> Figure:
        """A checkpoint by its co-player: shares of steps in which it cooperates, and in which it dominates."""
        shares = {"cooperates": self.cooperates.mean(axis=2), "dominates": self.dominates.mean(axis=2)}
        return _draw_pairs(self.names, shares, ("player", "co-player"))


def measure_conflict_avoidance(samples: int, rng: np.random.Generator, policies: Sequence[str]) -> ConflictAvoidance:
    """Play every pair ``samples`` times in one room, and as often with the spheres in each other's place.

    Raises:
        InvalidOptionError: Policies observe otherwise than each other.
    """
    tasks = [conflict_task(is_swapped) for is_swapped in (False, True) for _ in range(samples)]
    found = play_matches(load_players(policies), tasks, int(rng.integers(2**31)))
    return ConflictAvoidance(names_of(policies), found.options[..., 0, _place(_CONFLICT, CONTESTED)], found.rewards)


def measure_chicken(samples: int, rng: np.random.Generator, policies: Sequence[str]) -> Chicken:
    """Play every pair in the same ``samples`` worlds.

    Raises:
        InvalidOptionError: Policies observe otherwise than each other.
    """
    options = play_game(CHICKEN, samples, rng, policies).options[..., 0, :]
    cooperates, dominates = (options[..., _place(CHICKEN, option)] for option in (COOPERATE, DOMINATE))
    return Chicken(names_of(policies), cooperates, dominates)


def conflict_task(is_swapped: bool) -> XLandTask:
    """The room of the two spheres, or the same with each in the other's place."""
    upper, lower = ("yellow", "purple") if is_swapped else ("purple", "yellow")
    return XLandTask.from_text(f"{_CONFLICT}\n{_ROOM.format(upper=upper, lower=lower)}")


def _place(game: Game, option: str) -> int:
    """The place of an option among those of player 1's goal."""
    return str(game.goals[0]).split(" | ").index(str(parse_goal(option)))


def _draw_pairs(names: Sequence[str], shares: dict[str, np.ndarray], axes: tuple[str, str]) -> Figure:
    """Panels of shares (K, K), rows by the first player and columns by the second."""
    side = 2.2 + 0.55 * len(names)
    picture = Figure(figsize=(side * len(shares), side), layout="constrained")
    panels: Any = picture.subplots(1, len(shares), squeeze=False)[0]
    for panel, (title, values) in zip(panels, shares.items()):
        draw_shares(panel, values, fontsize=7)
        panel.set_xticks(range(len(names)), names, fontsize=7, rotation=90)
        panel.set_yticks(range(len(names)), names, fontsize=7)
        panel.set_title(title, fontsize=9)
        panel.set(xlabel=axes[1], ylabel=axes[0])
    return picture
