"""ALP-GMM: draws levels where the student's return has recently changed most, up or down.

Method: Portelas et al. 2019, "Teacher algorithms for curriculum learning of Deep RL in continuously parameterized
environments". Settings: its public code (flowersteam/teachDeepRL, teachDRL/teachers/algos/alp_gmm.py). What differs:

- There returns are scaled from their known range to [0, 1], and parameters are used as they are; here returns are used
  as they are, because their range is unknown, and parameters are scaled to the ranges in levels.
- There a mixture is fitted after every 250 episodes; here after the student's update in which they are complete.
- There an episode is compared with all earlier ones; here with the last ``history``, to bound the memory of long runs.
- Points whose level may not be proposed are drawn again; after a few rounds uniform levels replace them.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from procgen_bench.baselines.curricula.kept_levels import LevelsInFlight, level_arrays, levels_of
from procgen_bench.baselines.curricula.level_box import LevelBox
from procgen_bench.baselines.training.contracts import FinishedEpisodes, Proposal, Student
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.settings import COUNT, PAIR, SHARE, check_order, option
from procgen_bench.baselines.training.teacher import Teacher, TeacherArrays, TeacherValues
from procgen_bench.core.extras import import_extra
from procgen_bench.core.task import Task

_FEWEST_NEIGHBOURS = 5
#: Dimensions from which on Gaussians have axes of their own only: beyond, a full covariance takes minutes to fit.
_MANY_DIMENSIONS = 512


@dataclass(frozen=True)
class ALPGMMConfiguration:
    """The published settings, but for the history (see the module)."""

    window: int = option(
        250, "episodes that a mixture is fitted to: the last; at least so many come between two fits", PAIR
    )
    random_share: float = option(0.2, "share of the proposals that is drawn uniformly", SHARE)
    fewest_gaussians: int = option(2, "Gaussians of the smallest mixture that is fitted", COUNT)
    most_gaussians: int = option(
        10, "Gaussians of the greatest; the one with the best Akaike criterion is taken", COUNT
    )
    history: int = option(5000, "episodes kept to compare a level's return with its nearest neighbour's", COUNT)

    def __post_init__(self) -> None:
        check_order(self, "fewest_gaussians", "most_gaussians", "window")


class ALPGMMTeacher(Teacher):
    """Proposes levels from a mixture of Gaussians over levels and their absolute learning progress, and random ones.

    Raises:
        MissingExtraError: scikit-learn is not installed.
    """

    def __init__(self, levels: LevelSource, rng: np.random.Generator, configuration: Any):
        super().__init__(levels, rng, configuration)
        self._mixtures = import_extra("sklearn.mixture")
        self.box = LevelBox(levels, rng)
        self._flying = LevelsInFlight()
        self._window: list[tuple[Task, float]] = []
        self._points, self._returns = np.zeros((0, self.box.num_dimensions), np.float32), np.zeros(0)
        self._means = np.zeros((0, self.box.num_dimensions))
        self._factors = np.zeros((0, self.box.num_dimensions, 1))
        self._progress = np.zeros(0)

    def propose(self, rows: np.ndarray, step: int) -> list[Proposal]:
        """A level of the mixture for most rows, a uniform one for the others; all uniform before the first fit."""
        fitted = self.rng.random(len(rows)) >= (self.configuration.random_share if len(self._means) else 1)
        tasks = self.box.tasks_from(self._draw, int(fitted.sum()))
        tasks += self.levels.draw(self.rng, len(rows) - len(tasks))
        proposals = [Proposal(self.next_number(), task) for task in tasks]
        for proposal in proposals:
            self._flying.add(proposal.level, proposal.task)
        return proposals

    def observe(self, played: FinishedEpisodes) -> None:
        """Remember the episodes since the last fit, and their returns."""
        for number, return_ in zip(played.level.tolist(), played.return_.tolist()):
            task = self._flying.land(number)
            if task is not None:
                self._window.append((task, return_))

    def learn(self, student: Student) -> dict[str, float]:
        """Fit mixtures to the last episodes, once none of them was there at the last fit."""
        if len(self._window) >= self.configuration.window:
            points = self.box.points([task for task, _ in self._window])
            returns = np.array([return_ for _, return_ in self._window])
            progress = self.absolute_progress(points, returns)
            self._points = np.concatenate([self._points, points.astype(np.float32)])[-self.configuration.history :]
            self._returns = np.concatenate([self._returns, returns])[-self.configuration.history :]
            self._fit(np.column_stack([points, progress])[-self.configuration.window :])
            self._window = []
        mean = float(self._progress.mean()) if len(self._progress) else 0.0
        measures = {"gaussians": float(len(self._means)), "mean_progress": mean}
        return measures | self.box.take_missing_share()

    def absolute_progress(self, points: np.ndarray, returns: np.ndarray) -> np.ndarray:
        """How far each return is from that of the nearest level played before, float64 (n,); 0 for the very first.

        Args:
            points: (n, d), levels in the order in which they were played, after those of the history.
            returns: (n,).
        """
        every = np.concatenate([self._points, points])
        distances = _squared_distances(points, every)
        places = np.arange(len(self._points), len(every))
        distances[places[:, None] <= np.arange(len(every))] = np.inf
        nearest = np.concatenate([self._returns, returns])[distances.argmin(axis=1)]
        return np.where(places > _FEWEST_NEIGHBOURS, np.abs(returns - nearest), 0.0)

    def state(self) -> tuple[TeacherArrays, TeacherValues]:
        """With the mixture, the history, the episodes since the last fit and the levels in flight."""
        arrays, values = super().state()
        space = self.levels.task_space
        arrays |= {name.lstrip("_"): getattr(self, name) for name in _ARRAYS}
        arrays["window_returns"] = np.array([return_ for _, return_ in self._window])
        arrays |= level_arrays(space, [task for task, _ in self._window], "window")
        return arrays | self.box.state() | self._flying.state(space), values

    def restore(self, arrays: TeacherArrays, values: TeacherValues) -> None:
        """Continue from what :meth:`state` returned."""
        super().restore(arrays, values)
        space = self.levels.task_space
        for name in _ARRAYS:
            setattr(self, name, arrays[name.lstrip("_")])
        self._window = list(zip(levels_of(space, arrays, "window"), arrays["window_returns"].tolist(), strict=True))
        self.box.restore(arrays)
        self._flying.restore(space, arrays)

    def _fit(self, samples: np.ndarray) -> None:
        """Take the best of the mixtures of different sizes that are fitted to samples (n, d + 1)."""
        shape = "full" if self.box.num_dimensions <= _MANY_DIMENSIONS else "diag"
        seed = int(self.rng.integers(2**31))
        sizes = range(self.configuration.fewest_gaussians, self.configuration.most_gaussians + 1)
        with warnings.catch_warnings():  # of mixtures that need not converge to be compared
            warnings.simplefilter("ignore")
            fitted = [self._mixtures.GaussianMixture(size, covariance_type=shape, random_state=seed) for size in sizes]
            best = min((mixture.fit(samples) for mixture in fitted), key=lambda mixture: mixture.aic(samples))
        self._means, self._progress = best.means_[:, :-1], best.means_[:, -1].clip(min=0)
        if shape == "full":
            self._factors = np.linalg.cholesky(best.covariances_)[:, :-1, :-1]
        else:
            self._factors = np.sqrt(best.covariances_[:, :-1, None])

    def _draw(self, count: int) -> np.ndarray:
        """Points (count, d) from Gaussians chosen in proportion to their progress."""
        weights = self._progress if self._progress.any() else np.ones(len(self._progress))
        chosen = self.rng.choice(len(weights), count, p=weights / weights.sum())
        noise = self.rng.standard_normal((count, self.box.num_dimensions))
        for gaussian in np.unique(chosen):
            rows, factor = chosen == gaussian, self._factors[gaussian]
            noise[rows] = noise[rows] * factor[:, 0] if factor.shape[1] == 1 else noise[rows] @ factor.T
        return self._means[chosen] + noise


_ARRAYS = ("_points", "_returns", "_means", "_factors", "_progress")


def _squared_distances(points: np.ndarray, others: np.ndarray) -> np.ndarray:
    """(n, m) of points (n, d) and (m, d)."""
    squares = (points**2).sum(axis=1)[:, None] + (others**2).sum(axis=1)
    return squares - 2 * points @ others.T
