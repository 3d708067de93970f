"""Running means and variances, and the discounted sums by which Burda et al. (2018) scale their bonuses."""

from typing import Self

import numpy as np

#: Least standard deviation that bonuses are divided by: there may be no bonus at all.
LEAST_DEVIATION = 1e-8


class RunningMoments:
    """Mean and variance of all values seen so far, each position of an array apart.

    Args:
        shape: Shape of one value; () for numbers.

    Attributes:
        count: How many values were seen.
        mean: float64 ``shape``; 0 before any was seen.
        variance: float64 ``shape``, of the population; 1 before any was seen.
    """

    def __init__(self, shape: tuple[int, ...] = ()):
        self.count = 0
        self.mean, self.variance = np.zeros(shape), np.ones(shape)

    @property
    def deviation(self) -> np.ndarray:
        """float64 ``shape``, the square root of the variance."""
        return np.sqrt(self.variance)

    def updated(self, values: np.ndarray) -> Self:
        """New moments that have seen ``values``, float64 (n, ...), too (Chan et al., 1979); n is at least 1."""
        values = np.asarray(values, np.float64)
        moments = type(self)(self.mean.shape)
        moments.count = self.count + len(values)
        share, step = len(values) / moments.count, values.mean(axis=0) - self.mean
        moments.mean = self.mean + share * step
        moments.variance = (1 - share) * self.variance + share * values.var(axis=0) + share * (1 - share) * step**2
        return moments

    def state(self) -> dict[str, np.ndarray]:
        """``count`` (int64 ()), ``mean`` and ``variance`` (float64 (...)), from which :meth:`restore` continues."""
        return {name: np.array(getattr(self, name)) for name in ("count", "mean", "variance")}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Continue from what :meth:`state` returned, in its shapes and dtypes."""
        self.count, self.mean, self.variance = int(arrays["count"]), arrays["mean"], arrays["variance"]


def discounted_sums(
    values: np.ndarray, discount: float, starts: np.ndarray | None = None, before: np.ndarray | float = 0.0
) -> np.ndarray:
    """float64 (T, N): the sum so far of ``values`` (T, N), of which every earlier one is discounted once a step.

    Args:
        values: (T, N).
        discount: The factor.
        starts: bool (T, N), where sums begin again; ``None``: nowhere.
        before: (N,), the sums before the first step.
    """
    sums = np.array(values, np.float64)
    for step in range(len(sums)):
        earlier = sums[step - 1] if step else before
        sums[step] += discount * (earlier if starts is None else np.where(starts[step], 0.0, earlier))
    return sums
