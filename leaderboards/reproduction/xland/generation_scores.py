"""Figure 13: percentiles of normalised scores and participation by generation, in held-out games of the small (6.1)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from procgen_bench.baselines.training.evaluation import play_episodes, score_percentiles
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.leaderboards.reproduction.xland.checkpoint_matches import listed, names_of
from procgen_bench.leaderboards.reproduction.xland.gallery import KeyNumber, waiting
from procgen_bench.leaderboards.reproduction.xland.playing import ENVIRONMENT, load_player, one_torch_thread

#: The games that curves are drawn by, ``small_validation``, in which this benchmark's learners are compared.
_BENCHMARK = "xland/small"
_EPISODES = 2
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
    """

    names: list[str]
    participation: np.ndarray
    percentiles: np.ndarray
    means: np.ndarray
    returns: np.ndarray

    def key_numbers(self) -> list[KeyNumber]:
        """By generation, beside the paper's second and fifth."""
        median = self.percentiles[:, PERCENTILES.index(50)]
        return [
            KeyNumber("participation", listed(self.names, self.participation), "0.91, then 0.95"),
            KeyNumber("median", listed(self.names, median), "0.79, then 1.12"),
            KeyNumber("percentile 10", listed(self.names, self.percentiles[:, 0]), "0.23, then 0.82"),
            KeyNumber("mean normalised score", listed(self.names, self.means)),
            KeyNumber("mean return, of 300", listed(self.names, self.returns)),
        ]

    def draw(self) -> Figure:
        """Participation, percentiles and the mean over generations."""
        picture = Figure(figsize=(3.4 + 0.9 * len(self.names), 4.2), layout="constrained")
        panel, places = picture.subplots(), range(len(self.names))
        panel.plot(places, self.participation, "o-", color="k", label="participation")
        for number, percentile in enumerate(PERCENTILES):
            colour = f"C{number}"
            panel.plot(places, self.percentiles[:, number], "o-", color=colour, label=f"percentile {percentile}")
        panel.plot(places, self.means, "s--", color="0.5", label="mean")
        panel.set_xticks(places, self.names, fontsize=8)
        panel.set(ylim=(-0.02, 1.05), xlabel="generation", ylabel="normalised score, or share of episodes")
        panel.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1, 1))
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
    for source in waiting(policies, "generation"):
        player = load_player(source)
        player.seed(0)
        with one_torch_thread():
            episodes = play_episodes(player, ENVIRONMENT, tasks, seeds)
        returns = np.array([one.return_ for one in episodes]).reshape(-1, _EPISODES).mean(axis=1)
        scores = score_percentiles(returns, best, PERCENTILES)
        rewarded = np.mean([one.success for one in episodes])
        percentiles = [scores[f"percentile_{level}"] for level in PERCENTILES]
        rows.append((rewarded, percentiles, scores["normalised_score"], returns.mean()))
    columns = (np.array(column) for column in zip(*rows))
    return GenerationScores(names_of(policies, "generation"), *columns)
