"""Kohonen maps (Kohonen, 1982), as A.11 has them: a disc of neurons that takes the shape of a set of points."""

import numpy as np

#: At the start and at the end: how far a neuron moves to a point that is its own, and how far from that neuron, on the
#: disc, others move by exp(-1/2) of it.
_RATES, _REACHES = (0.5, 0.02), (0.6, 0.15)


def disc(side: int) -> np.ndarray:
    """Places of ``side`` x ``side`` neurons on the unit disc, float64 (side * side, 2)."""
    x, y = (axis.ravel() for axis in np.meshgrid(*[np.linspace(-1, 1, side)] * 2))
    return np.stack([x * np.sqrt(1 - y**2 / 2), y * np.sqrt(1 - x**2 / 2)], axis=1)


def fit_map(
    points: np.ndarray, side: int, rng: np.random.Generator, iterations: int = 1_000, batch: int = 100
) -> np.ndarray:
    """Neurons (side * side, d) fitted to points (n, d); those that are close on the :func:`disc` become alike."""
    places = disc(side)
    apart = ((places[:, np.newaxis] - places) ** 2).sum(axis=2)
    neurons = points[rng.integers(len(points), size=side * side)].astype(np.float64)
    for iteration in range(iterations):
        rate, reach = (first * (last / first) ** (iteration / iterations) for first, last in (_RATES, _REACHES))
        drawn = points[rng.integers(len(points), size=batch)]
        pulls = np.exp(-apart[nearest_neurons(drawn, neurons)] / (2 * reach**2))
        strength = pulls.sum(axis=0)[:, np.newaxis]
        # As if the points came one after the other: a neuron that many pull at goes nearly all the way.
        share = 1 - (1 - rate) ** strength
        neurons += share * (pulls.T @ drawn / np.maximum(strength, 1e-12) - neurons)
    return neurons


def nearest_neurons(points: np.ndarray, neurons: np.ndarray) -> np.ndarray:
    """The nearest neuron of each point (n, d), int64 (n,)."""
    return ((neurons**2).sum(axis=1) - 2 * points @ neurons.T).argmin(axis=1)


def shares_of(winners: np.ndarray, labels: np.ndarray, neurons: int) -> np.ndarray:
    """The share of true labels, bool (n,), among the points of each neuron: float64 (neurons,), NaN of none."""
    counts = np.bincount(winners, minlength=neurons)
    true = np.bincount(winners, weights=labels, minlength=neurons)
    return np.divide(true, counts, out=np.full(neurons, np.nan), where=counts > 0)
