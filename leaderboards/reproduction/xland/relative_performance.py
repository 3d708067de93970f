"""Figure 18: in which games an agent does well, beside a player that does nothing and a scripted one (6.3.2).

By what goals speak of, by the player's way to what they name, and by the games' properties that the paper shows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.leaderboards.reproduction.measured import KeyNumber, waiting
from procgen_bench.leaderboards.reproduction.xland.playing import ENVIRONMENT, load_player
from procgen_bench.leaderboards.reproduction.xland.validation_scores import draw_validation_tasks
from procgen_bench.tasks.xland.games.goal import Goal
from procgen_bench.tasks.xland.games.properties import game_properties
from procgen_bench.tasks.xland.groups import task_groups
from procgen_bench.tasks.xland.task import XLandTask

_IDLE, _SCRIPTED = "noop", "xland-scripted"
#: Who is compared, by the rows of the arrays.
PLAYERS = ("the policy", "doing nothing", "scripted player")
_COLOURS = ("C0", "0.6", "C1")
#: Bounds of competitiveness: from here on a game is of the next third.
_THIRDS = (1 / 3, 2 / 3)
#: What the paper says of the agent's normalised score.
_PAPER = {
    "objects": "greatest with objects among themselves",
    "1 option": "higher with fewer options",
    "most competitive third": "higher in more competitive games",
    "3 predicates and more": "higher with more predicates",
}


@dataclass(frozen=True)
class RelativePerformance:
    """What three players get in each group of tasks.

    Attributes:
        policy: What the first of ``PLAYERS`` was loaded from.
        groups: How many tasks there are, and in each group.
        returns: float64 (3, groups), mean returns.
        participation: float64 (3, groups), shares of episodes that are rewarded at least once.
        gains: float64 (3, groups), mean returns less those of doing nothing.
        normalised: float64 (3, groups), mean shares of the best returns known, uncut, of the tasks that have one; NaN
            where a group has none.
    """

    policy: str
    groups: dict[str, int]
    returns: np.ndarray
    participation: np.ndarray
    gains: np.ndarray
    normalised: np.ndarray

    def key_numbers(self) -> list[KeyNumber]:
        """By group, the three players in turn; of the normalised score the policy's alone."""
        return [
            KeyNumber(
                f"{group} ({count} tasks): return; participation; gain; normalised score",
                "; ".join(
                    [
                        "/".join(f"{value:.0f}" for value in self.returns[:, place]),
                        "/".join(f"{value:.2f}" for value in self.participation[:, place]),
                        "/".join(f"{value:.0f}" for value in self.gains[[0, 2], place]),
                        f"{self.normalised[0, place]:.2f}",
                    ]
                ),
                _PAPER.get(group, ""),
            )
            for place, (group, count) in enumerate(self.groups.items())
        ]

    def draw(self) -> Figure:
        """Bars by group: returns, participation, gains over doing nothing, normalised scores."""
        picture = Figure(figsize=(max(0.62 * len(self.groups), 8.0), 9.0), layout="constrained")
        panels = picture.subplots(4, sharex=True)
        measures = {
            "return": self.returns,
            "share of episodes rewarded": self.participation,
            "return less that of doing nothing": self.gains,
            "normalised score, uncut": self.normalised,
        }
        for panel, (label, values) in zip(panels, measures.items()):
            for player, (name, colour) in enumerate(zip(PLAYERS, _COLOURS)):
                places = np.arange(len(self.groups)) + 0.27 * (player - 1)
                panel.bar(places, values[player], 0.27, color=colour, label=name)
            panel.set_ylabel(label, fontsize=7)
            panel.axhline(0, color="0.5", linewidth=0.8)
            panel.grid(alpha=0.3, axis="y")
        panels[0].legend(fontsize=7, ncols=3, loc="lower right", bbox_to_anchor=(1, 1))
        labels = [f"{group}\n{count} tasks" for group, count in self.groups.items()]
        panels[-1].set_xticks(range(len(labels)), labels, fontsize=7, rotation=60)
        return picture


def measure_relative_performance(
    samples: int, rng: np.random.Generator, policies: Sequence[str]
) -> RelativePerformance:
    """Play ``samples`` validation tasks, two episodes each, with a policy, with a player that does nothing and with the
    scripted one; the same for all.

    Raises:
        InvalidOptionError: The suite has fewer tasks.
    """
    drawn = draw_validation_tasks(samples, rng, 18)
    players = [load_player(policies[0]), load_player(_IDLE), load_policy(_SCRIPTED, ENVIRONMENT)]
    played = [drawn.play(player) for player in waiting(players, "player")]
    returns, successes = (np.stack(column) for column in zip(*played))
    groups = {"all": np.ones(samples, np.bool_)} | task_groups(drawn.tasks) | property_groups(drawn.tasks)
    shares = np.divide(returns, drawn.best, out=np.full_like(returns, np.nan), where=drawn.best > 0)
    by_group, shares_rewarded, gains = (
        np.stack([values[:, chosen].mean(axis=1) for chosen in groups.values()], axis=1)
        for values in (returns, successes, returns - returns[1])
    )
    normalised = np.stack([_mean_of_known(shares[:, chosen]) for chosen in groups.values()], axis=1)
    counts = {name: int(chosen.sum()) for name, chosen in groups.items()}
    return RelativePerformance(policies[0], counts, by_group, shares_rewarded, gains, normalised)


def property_groups(tasks: Sequence[XLandTask]) -> dict[str, np.ndarray]:
    """Which tasks are in each group by their games' properties, bool (n,) by name; groups without tasks are left out.

    Options and predicates are those of player 1's goal; competitiveness is the game's.
    """
    goals = [task.game.goals[0] for task in tasks]
    options = np.array([len(goal.matrix) for goal in goals])
    predicates = np.array([_num_predicates(goal) for goal in goals])
    thirds = np.digitize([game_properties(task.game).competitiveness for task in tasks], _THIRDS)
    groups = {
        "1 option": options == 1,
        "2 options and more": options > 1,
        "1 predicate": predicates == 1,
        "2 predicates": predicates == 2,
        "3 predicates and more": predicates > 2,
    }
    for place, name in enumerate(("least competitive third", "middle third", "most competitive third")):
        groups[name] = thirds == place
    return {name: chosen for name, chosen in groups.items() if chosen.any()}


def _num_predicates(goal: Goal) -> int:
    """How many different atoms a goal names."""
    return int((goal.matrix != 0).any(axis=0).sum())


def _mean_of_known(shares: np.ndarray) -> np.ndarray:
    """Means over tasks, (players,), of shares (players, n) that are NaN where nothing is known of a task."""
    known = ~np.isnan(shares[0])
    return shares[:, known].mean(axis=1) if known.any() else np.full(len(shares), np.nan)
