"""Figure 13: percentiles of normalised scores and participation by generation, in held-out games of the small (6.1).

And where the returns come from: by what goals speak of, and by the player's way to what they name, how often each
generation is rewarded, and what it gains over a player that does nothing in the same episodes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from procgen_bench.baselines.training.normalised_scores import UNCUT, score_percentiles, uncut_percentiles
from procgen_bench.leaderboards.reproduction.measured import KeyNumber, waiting
from procgen_bench.leaderboards.reproduction.xland.matches import listed, names_of
from procgen_bench.leaderboards.reproduction.xland.playing import load_player
from procgen_bench.leaderboards.reproduction.xland.validation_scores import draw_validation_tasks
from procgen_bench.tasks.xland.groups import task_groups

_IDLE = "noop"
#: Percentiles that are drawn: the paper's, and where the weaker agents of the small differ.
PERCENTILES = (10, 20, 50, 75, 90)


@dataclass(frozen=True)
class GenerationScores:
    """How each generation does.

    Attributes:
        names: Of the generations, the earliest first.
        participation: float64 (K,), shares of episodes that are rewarded at least once.
        percentiles: float64 (K, 5), of normalised scores over tasks, by :data:`PERCENTILES`, cut at 1.
        uncut: float64 (K, 5), as ``percentiles``, of scores that are not cut.
        means, uncut_means: float64 (K,), mean normalised scores.
        returns: float64 (K,), mean returns.
        groups: How many tasks there are, and in each group of :func:`.task_groups`.
        rewarded: float64 (K, groups), shares of a group's episodes that are rewarded at least once.
        gains: float64 (K, groups), mean returns less those of a player that does nothing.
    """

    names: list[str]
    participation: np.ndarray
    percentiles: np.ndarray
    uncut: np.ndarray
    means: np.ndarray
    uncut_means: np.ndarray
    returns: np.ndarray
    groups: dict[str, int]
    rewarded: np.ndarray
    gains: np.ndarray

    def key_numbers(self) -> list[KeyNumber]:
        """By generation, beside the paper's second and fifth."""
        place = PERCENTILES.index(50)
        return [
            KeyNumber("participation", listed(self.names, self.participation), "0.91, then 0.95"),
            KeyNumber("median", listed(self.names, self.percentiles[:, place])),
            KeyNumber("median, uncut", listed(self.names, self.uncut[:, place]), "0.79, then 1.12"),
            KeyNumber("percentile 10", listed(self.names, self.percentiles[:, 0]), "0.23, then 0.82"),
            KeyNumber("mean normalised score", listed(self.names, self.means)),
            KeyNumber("mean normalised score, uncut", listed(self.names, self.uncut_means)),
            KeyNumber("mean return, of 300", listed(self.names, self.returns)),
            *(
                KeyNumber(
                    f"{group} ({count} tasks): rewarded; gain over doing nothing",
                    f"{listed(self.names, self.rewarded[:, place])}; {listed(self.names, self.gains[:, place])}",
                )
                for place, (group, count) in enumerate(self.groups.items())
            ),
        ]

    def draw(self) -> Figure:
        """Participation, percentiles and the mean over generations; below, gains by group."""
        picture = Figure(figsize=(max(3.4 + 0.9 * len(self.names), 8.0), 7.6), layout="constrained")
        panel, below = picture.subplots(2)
        places = range(len(self.names))
        panel.plot(places, self.participation, "o-", color="k", label="participation")
        for number, percentile in enumerate(PERCENTILES):
            colour = f"C{number}"
            panel.plot(places, self.percentiles[:, number], "o-", color=colour, label=f"percentile {percentile}")
        panel.plot(places, self.means, "s--", color="0.5", label="mean")
        panel.set_xticks(places, self.names, fontsize=8)
        panel.set(ylim=(-0.02, 1.05), xlabel="generation", ylabel="normalised score, or share of episodes")
        panel.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1, 1))
        width = 0.8 / len(self.names)
        for number, name in enumerate(self.names):
            below.bar(np.arange(len(self.groups)) + number * width, self.gains[number], width, label=name)
        labels = [f"{group}\n{count} tasks" for group, count in self.groups.items()]
        below.set_xticks(np.arange(len(labels)) + 0.4 - width / 2, labels, fontsize=7)
        below.set(xlabel="easiest option; way to an object", ylabel="return less that of doing nothing")
        below.axhline(0, color="0.5", linewidth=0.8)
        below.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1, 1))
        return picture


def measure_generations(samples: int, rng: np.random.Generator, policies: Sequence[str]) -> GenerationScores:
    """Play ``samples`` tasks of the suite, two episodes each, with every generation; the same for all.

    Raises:
        InvalidOptionError: The suite has fewer tasks.
    """
    drawn, rows = draw_validation_tasks(samples, rng, 13), []
    groups = {"all": np.ones(samples, np.bool_)} | task_groups(drawn.tasks)
    idle, _ = drawn.play(load_player(_IDLE))
    for source in waiting(policies, "generation"):
        returns, successes = drawn.play(load_player(source))
        scores = score_percentiles(returns, drawn.best, PERCENTILES)
        uncut = uncut_percentiles(returns, drawn.best, PERCENTILES)
        by_level = [
            [found[f"{prefix}percentile_{level}"] for level in PERCENTILES]
            for prefix, found in (("", scores), (UNCUT, uncut))
        ]
        both_means = scores["normalised_score"], uncut[f"{UNCUT}normalised_score"]
        by_group = [[column[chosen].mean() for chosen in groups.values()] for column in (successes, returns - idle)]
        rows.append((successes.mean(), *by_level, *both_means, returns.mean(), *by_group))
    names = names_of(policies, "generation")
    counts = {name: int(chosen.sum()) for name, chosen in groups.items()}
    participation, cut, beyond, means, beyond_means, totals, rewarded, gains = map(np.array, zip(*rows))
    return GenerationScores(
        names, participation, cut, beyond, means, beyond_means, totals, counts, rewarded=rewarded, gains=gains
    )
