"""The value of zero-sum matrix games by linear programmes (von Neumann, 1928; Dantzig, 1951).

The row player mixes rows to maximise the returns; the column player mixes columns to minimise them.
"""

import numpy as np

from procgen_bench.core.extras import import_extra

#: Of entries scaled to a greatest size of 1: how far HiGHS may miss a constraint.
_FEASIBILITY = 1e-10


def game_value(returns: np.ndarray) -> float:
    """The value of a matrix game: what the row player's best mixture is sure of, in the Nash equilibrium.

    It lies between the pure strategies' guarantees, max-min and min-max, and is exact to 1e-9 of the greatest
    entry. Of entries of at least 0 it is 0 if and only if some column is all 0.

    Args:
        returns: Finite float64 (P, C), the row player's returns.

    Raises:
        MissingExtraError: SciPy is not installed.
    """
    least, most = _pure_guarantees(returns)
    if least == most:
        return least
    return float(np.clip((best_mixture(returns) @ returns).min(), least, most))


def _pure_guarantees(returns: np.ndarray) -> tuple[float, float]:
    """What the row player is sure of without solving anything, and what it cannot exceed."""
    least = max(returns.min(axis=1).max(), returns.mean(axis=0).min())  # the best row, or all of them evenly
    most = returns.max(axis=0).min()
    return float(min(least, most)), float(most)  # means round


def best_mixture(returns: np.ndarray) -> np.ndarray:
    """A row player's mixture that is sure of the value: weights float64 (P,) of at least 0 that sum to 1.

    Arguments and errors are those of :func:`game_value`.
    """
    payoffs = returns / (np.abs(returns).max() or 1.0)
    num_rows, num_columns = payoffs.shape
    # The unknowns are the weights and the value: make the value great, with every column paying at least that.
    found = import_extra("scipy.optimize").linprog(
        c=np.append(np.zeros(num_rows), -1.0),
        A_ub=np.column_stack([-payoffs.T, np.ones(num_columns)]),
        b_ub=np.zeros(num_columns),
        A_eq=np.append(np.ones(num_rows), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * num_rows + [(None, None)],
        # The simplex method ends at a vertex, whose weights are exact to rounding; an interior point's are not.
        method="highs-ds",
        options={"primal_feasibility_tolerance": _FEASIBILITY, "dual_feasibility_tolerance": _FEASIBILITY},
    )
    if not found.success:
        raise ArithmeticError(f"the linear programme of a game failed ({found.message}):\n{returns}")
    # Weights within the solver's tolerance of 0 are 0.
    weights = np.where(found.x[:num_rows] > 10 * _FEASIBILITY, found.x[:num_rows], 0.0)
    return weights / weights.sum()
