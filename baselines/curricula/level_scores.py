"""Scores of levels: what each of them takes from a finished episode, and what it makes of it.

- ``value_loss``: the mean positive advantage. Jiang et al. 2021b, "Replay-Guided Adversarial Environment Design".
- ``max_monte_carlo``: the level's greatest return so far less the mean value of the episode. The same.
- ``mna``: the mean maximised negative advantage, of levels that were ever rewarded. Mead et al. 2026, "Improving Regret
  Approximation for Unsupervised Dynamic Environment Generation", as in its public code
  (HarryMJMead/Dynamic-Environment-Generation-for-UED, minigrid/maze_plr.py).
- ``pace``: the squared norm of the policy's gradient on the episode. Yuan et al. 2026, "PACE: Parameter Change for
  Unsupervised Environment Design", which scores a level by the squared norm of the change of the policy's parameters in
  an update on it alone. The sources at hand do not say of which optimiser; here it is a step up the plain gradient, of
  which the paper derives the score.
- ``traced``: positive value loss, and how badly a learned model foresees the episode's steps; levels are credited with
  what they teach for others. Cho et al. 2025: :mod:`~procgen_bench.baselines.curricula.transition_model` and
  :mod:`~procgen_bench.baselines.curricula.co_learnability`.
- ``regret``: what the family's solver earns less the episode's return. It is exact where the others approximate.
"""

from collections.abc import Sequence

import numpy as np

from procgen_bench.baselines.curricula.best_returns import BestReturns
from procgen_bench.baselines.training.contracts import FinishedEpisodes
from procgen_bench.core.compiled import njit
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.core.task import Task

#: The column of :class:`.FinishedEpisodes` that each score takes from the student's critic; regret takes none.
_COLUMNS = {
    "value_loss": "value_loss",
    "max_monte_carlo": "mean_value",
    "mna": "step_score",
    "pace": "gradient_norm",
    "traced": "value_loss",
}
#: The names of all scores.
SCORES = (*_COLUMNS, "regret")


class ScoreError(ProcgenBenchError):
    """Levels cannot be scored as configured."""


def criticism_of(score: str, played: FinishedEpisodes) -> np.ndarray:
    """What a score takes from the student's critic, or from its policy's gradient, float32 (N,) of N episodes.

    Raises:
        ScoreError: The student has none.
    """
    column = _COLUMNS[score]
    criticism: np.ndarray = getattr(played, column)
    if np.isnan(criticism).any():
        raise ScoreError(
            f"{column} of an episode is nan: score={score} takes a student that has "
            f"{'a critic' if score != 'pace' else 'a policy gradient, as ppo, recurrent-ppo, a2c'}; "
            "use one that has, or a teacher that needs none: "
            "uniform, learnability, ncc, alp-gmm, goal-gan, apt-gen, ladder"
        )
    return criticism


def regrets_of(best: BestReturns, tasks: Sequence[Task | None], returns: np.ndarray) -> np.ndarray:
    """What the solver earns less what the student did, float64 (N,), by episodes' tasks and returns (N,).

    It is 0 where there is no solution, or no task.
    """
    regrets = np.zeros(len(tasks))
    known = np.array([task is not None for task in tasks], np.bool_)
    regrets[known] = best.of([task for task in tasks if task is not None]) - returns[known]
    return np.nan_to_num(regrets)


def level_score(score: str, max_return: float, found: float) -> float:
    """A level's score.

    Args:
        score: Which.
        max_return: The level's greatest return so far.
        found: What :func:`criticism_of` or :func:`regrets_of` has of its newest episode.
    """
    match score:
        case "max_monte_carlo":
            return max_return - found
        case "mna":  # a level that was never rewarded may be unsolvable
            return found if max_return > 0 else 0.0
        case _:
            return found


@njit
def negative_advantages(advantages, ends, discount, decay):
    """The maximised negative advantages of T steps of N rows, each 0 or more.

    From every step on, the discounted temporal-difference errors are added up, and the sum is set to 0 whenever it is
    above; the mean of the sums over all horizons, weighted as generalised advantages weight theirs, with the sign
    changed. So a later success does not make up for what was lost before it. Method: Mead et al. 2026, "Improving
    Regret Approximation for Unsupervised Dynamic Environment Generation"; as in its public code
    (HarryMJMead/Dynamic-Environment-Generation-for-UED 12340c7, minigrid/maze_plr.py, compute_clipped_gae with
    use_max_value).

    Args:
        advantages: float32 (T, N), generalised ones, out of which the errors are found again.
        ends: bool (T, N), whether the next step is another episode's.
        discount: Discount factor.
        decay: Lambda.

    Returns:
        float32 (T, N).
    """
    negatives, last = np.empty_like(advantages), advantages.shape[0] - 1
    for row in range(advantages.shape[1]):
        for start in range(last + 1):
            total, mean, weight, discounted = 0.0, 0.0, 1.0, 1.0
            for t in range(start, last + 1):
                is_last = ends[t, row] or t == last
                later = 0.0 if is_last else discount * decay * advantages[t + 1, row]
                total = min(total + discounted * (advantages[t, row] - later), 0.0)
                mean += total * (weight if is_last else (1.0 - decay) * weight)
                weight *= decay
                discounted *= discount
                if is_last:
                    break
            negatives[start, row] = -mean
    return negatives
