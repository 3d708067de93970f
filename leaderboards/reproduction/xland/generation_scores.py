"""Figure 13: percentiles of normalised scores and participation by generation, in held-out games of the small (6.1).

And where the returns come from: by what goals speak of, and by the player's way to what they name, how often each
generation is rewarded, and what it gains over a player that does nothing in the same episodes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from procgen_bench.baselines.training.evaluation import play_episodes, score_percentiles
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.task import Task
from procgen_bench.leaderboards.reproduction.measured import KeyNumber, waiting
from procgen_bench.leaderboards.reproduction.xland.checkpoint_matches import listed, names_of
from procgen_bench.leaderboards.reproduction.xland.playing import ENVIRONMENT, load_player, one_torch_thread
from procgen_bench.leaderboards.reproduction.xland.task_groups import task_groups

#: The games that curves are drawn by, ``small_validation``, in which this benchmark's learners are compared.
_BENCHMARK = "xland/small"
_EPISODES = 2
_IDLE = "noop"
#: Percentiles that are drawn: the paper's, and where the weaker agents of the small differ.
PERCENTILES = (10, 20, 50, 75, 90)


@dataclass(frozen=True)
class GenerationScores:
    """How each generation does.

    Attributes:
        names: Of the generations, the earliest first.
        participation: float64 (K,), shares of episodes that are rewarded at least once.
        percentiles: float64 (K, 5), of normalised scores over tasks, by :data:`PERCENTILES`.
        means: float64 (K,), mean normalised scores.
        returns: float64 (K,), mean returns.
        groups: How many tasks are in each group of :func:`.task_groups`.
        rewarded: float64 (K, groups), shares of a group's episodes that are rewarded at least once.
        gains: float64 (K, groups), mean returns less those of a player that does nothing.
    """

    names: list[str]
    participation: np.ndarray
    percentiles: np.ndarray
    means: np.ndarray
    returns: np.ndarray
    groups: dict[str, int]
    rewarded: np.ndarray
    gains: np.ndarray

    def key_numbers(self) -> list[KeyNumber]:
        """By generation, beside the paper's second and fifth."""
        median = self.percentiles[:, PERCENTILES.index(50)]
        return [
            KeyNumber("participation", listed(self.names, self.participation), "0.91, then 0.95"),
            KeyNumber("median", listed(self.names, median), "0.79, then 1.12"),
            KeyNumber("percentile 10", listed(self.names, self.percentiles[:, 0]), "0.23, then 0.82"),
            KeyNumber("mean normalised score", listed(self.names, self.means)),
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
    suite, rows = get_benchmark(_BENCHMARK).curve_suite(), []
    if samples > len(suite.tasks):
        raise InvalidOptionError(f"samples of figure 13 is {samples}, expected at most {len(suite.tasks)}, the suite's")
    chosen = rng.permutation(len(suite.tasks))[:samples]
    best = suite.records["best_return"][chosen]
    tasks = [suite.tasks[place] for place in chosen for _ in range(_EPISODES)]
    seeds = rng.integers(2**31, size=len(tasks)).tolist()
    groups = task_groups(tasks[::_EPISODES])
    idle, _ = _played(_IDLE, tasks, seeds)
    for source in waiting(policies, "generation"):
        returns, successes = _played(source, tasks, seeds)
        scores = score_percentiles(returns, best, PERCENTILES)
        by_level = [scores[f"percentile_{level}"] for level in PERCENTILES]
        by_group = [[column[chosen].mean() for chosen in groups.values()] for column in (successes, returns - idle)]
        rows.append((successes.mean(), by_level, scores["normalised_score"], returns.mean(), *by_group))
    participation, percentiles, means, returns, rewarded, gains = (np.array(column) for column in zip(*rows))
    counts = {name: int(chosen.sum()) for name, chosen in groups.items()}
    names = names_of(policies, "generation")
    return GenerationScores(names, participation, percentiles, means, returns, counts, rewarded, gains)


def _played(source: str, tasks: Sequence[Task], seeds: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Of every task, the mean return and the share of episodes rewarded, float64 (n,) each."""
    player = load_player(source)
    player.seed(0)
    with one_torch_thread():
        episodes = play_episodes(player, ENVIRONMENT, tasks, seeds)
    columns = np.array([[one.return_, one.success] for one in episodes], np.float64)
    returns, successes = columns.reshape(-1, _EPISODES, 2).mean(axis=1).T
    return returns, successes
