"""The worst tenth of tasks: CVaR at a tenth, which says how bad it gets where a mean looks well."""

import numpy as np

#: What the names of curves' columns begin with that hold it, before what is measured: ``"worst_tenth_success"``.
PREFIX = "worst_tenth_"


def worst_tenth(scores: np.ndarray) -> np.ndarray:
    """Mean, floats (...), of the worst tenth of n tasks' scores (..., n): of n // 10 of them, at least one."""
    worst = max(1, scores.shape[-1] // 10)
    return np.partition(scores, worst - 1, axis=-1)[..., :worst].mean(axis=-1)


def worst_tenth_columns(**scores: np.ndarray) -> dict[str, float]:
    """Columns of a learning curve, by :data:`PREFIX` and the names of the scores (n,); of a single task none."""
    return {PREFIX + name: float(worst_tenth(values)) for name, values in scores.items() if len(values) > 1}
