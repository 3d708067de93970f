"""Nash equilibria of zero-sum matrix games by linear programmes (von Neumann, 1928; Dantzig, 1951).

The row player mixes rows to get the most of the returns that the column player, who mixes columns, leaves it.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

#: Of entries scaled to a greatest size of 1: how far HiGHS may miss a constraint, and two payoffs may differ that
#: count as one.
_FEASIBILITY = 1e-10
#: How far apart the two players' guarantees may lie.
_GAP = 1e-7


class Equilibrium(NamedTuple):
    """A Nash equilibrium.

    Attributes:
        value: What the row player gets.
        rows: float64 (P,), the row player's mixture.
        columns: float64 (C,), the column player's mixture.
    """

    value: float
    rows: np.ndarray
    columns: np.ndarray


def game_value(returns: np.ndarray) -> float:
    """The value of a matrix game: what the row player's best mixture is sure of.

    It lies between the pure strategies' guarantees, max-min and min-max, and is exact to 1e-9 of the greatest
    entry. Of entries of at least 0 it is 0 if and only if some column is all 0.

    Args:
        returns: Finite float64 (P, C), the row player's returns.
    """
    least, most = _pure_guarantees(returns)
    if least == most:
        return least
    return float(np.clip((_best_mixture(returns) @ returns).min(), least, most))


def equilibrium(returns: np.ndarray) -> Equilibrium:
    """The equilibrium of a matrix game that the rule for ties picks.

    Of the mixtures that are sure of the value, a player takes those with the best mean payoff over the other's pure
    strategies; of these the one that gives the most weight to its first strategy, then to its second, and so on.

    Args:
        returns: Finite float64 (P, C), the row player's returns.
    """
    value = game_value(returns)
    rows, columns = _chosen_mixture(returns), _chosen_mixture(-returns.T)
    # Either mixture's guarantee proves the other's: the row player cannot get more, nor the column player give less.
    gap = max(value - (rows @ returns).min(), (returns @ columns).max() - value)
    if gap > _GAP * _size(returns):
        raise ArithmeticError(f"the linear programme missed the value of a game by {gap:g}:\n{returns}")
    return Equilibrium(value, rows, columns)


def _pure_guarantees(returns: np.ndarray) -> tuple[float, float]:
    """What the row player is sure of without solving anything, and what it cannot exceed."""
    least = max(returns.min(axis=1).max(), returns.mean(axis=0).min())  # the best row, or all of them evenly
    most = returns.max(axis=0).min()
    return float(min(least, most)), float(most)  # means round


def _size(returns: np.ndarray) -> float:
    return float(np.abs(returns).max()) or 1.0


def _best_mixture(returns: np.ndarray) -> np.ndarray:
    """A row player's mixture that is sure of the value."""
    payoffs = returns / _size(returns)
    num_rows, num_columns = payoffs.shape
    # The unknowns are the weights and the value: make the value great, with every column paying at least that.
    solution = _solve(
        objective=np.append(np.zeros(num_rows), 1.0),
        at_least=np.column_stack([payoffs.T, -np.ones(num_columns)]),
        bounds=np.zeros(num_columns),
        num_weights=num_rows,
    )
    if solution is None:
        raise ArithmeticError(f"the linear programme of a game failed:\n{returns}")
    return _as_mixture(solution[:num_rows])


def _chosen_mixture(returns: np.ndarray) -> np.ndarray:
    """The row player's mixture by the rule for ties: further linear programmes among those sure of the value."""
    payoffs = returns / _size(returns)
    num_rows = len(payoffs)
    mixture = _best_mixture(returns)
    at_least, bounds = payoffs.T, np.full(payoffs.shape[1], (mixture @ payoffs).min())
    # Stages: the mean payoff, then the weight of every row but the last, whose weight is what is left.
    for objective in [payoffs.mean(axis=1), *np.eye(num_rows)[:-1]]:
        better = _solve(objective, at_least, bounds, num_rows)
        # The mixture before meets these bounds. Where rounding makes the solver deny it, that one stays.
        mixture = mixture if better is None else _as_mixture(better)
        at_least, bounds = np.vstack([at_least, objective]), np.append(bounds, mixture @ objective)
    return mixture


def _solve(objective: np.ndarray, at_least: np.ndarray, bounds: np.ndarray, num_weights: int) -> np.ndarray | None:
    """What makes the objective greatest where ``at_least @ unknowns >= bounds``; ``None`` if none is found.

    The first ``num_weights`` unknowns are the weights of a mixture, the others any numbers.
    """
    is_weight = np.arange(len(objective)) < num_weights
    found = linprog(
        -objective,
        A_ub=-at_least,
        b_ub=-bounds,
        A_eq=is_weight[None].astype(np.float64),
        b_eq=[1.0],
        bounds=[(0, None) if weight else (None, None) for weight in is_weight],
        # The simplex method ends at a vertex, whose weights are exact to rounding; an interior point's are not.
        method="highs-ds",
        options={"primal_feasibility_tolerance": _FEASIBILITY, "dual_feasibility_tolerance": _FEASIBILITY},
    )
    return found.x if found.success else None


def _as_mixture(weights: np.ndarray) -> np.ndarray:
    """Weights that are at least 0 and sum to 1; those within the solver's tolerance of 0 are 0."""
    weights = np.where(weights > 10 * _FEASIBILITY, weights, 0.0)
    return weights / weights.sum()
