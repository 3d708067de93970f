"""Probes: what can be read from a network's numbers, on episodes that the probe has not been fitted to."""

from collections.abc import Iterator

import numpy as np
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from procgen_bench.leaderboards.reproduction.xland.kohonen import nearest_neurons, shares_of

FOLDS = 5
#: Weight of the square of a probe's coefficients: of a few hundred numbers that are alike some would be huge.
_RIDGE = 10.0


def linear_accuracy(points: np.ndarray, labels: np.ndarray, worlds: np.ndarray) -> float:
    """Balanced accuracy of a linear classifier, fitted to all worlds but a fifth and asked there, in turn.

    Args:
        points: (n, d).
        labels: bool (n,), of both kinds.
        worlds: int64 (n,), the world of each; points of one world are never on both sides.
    """
    said = np.zeros(len(labels), np.bool_)
    for fitted, asked in _folds(points, worlds):
        if len(np.unique(labels[fitted])) == 1:  # all that there is of the other kind is asked for
            said[asked] = labels[fitted[0]]
            continue
        probe = make_pipeline(StandardScaler(), RidgeClassifier(_RIDGE, class_weight="balanced"))
        said[asked] = probe.fit(points[fitted], labels[fitted]).predict(points[asked])
    return float(balanced_accuracy_score(labels, said))


def map_accuracy(points: np.ndarray, labels: np.ndarray, worlds: np.ndarray, neurons: np.ndarray) -> float:
    """The same of a Kohonen map's neurons (k, d): a point is called true where its neuron's points are so more often
    than others."""
    winners, said = nearest_neurons(points, neurons), np.zeros(len(labels), np.bool_)
    for fitted, asked in _folds(points, worlds):
        shares = shares_of(winners[fitted], labels[fitted], len(neurons))
        said[asked] = np.nan_to_num(shares)[winners[asked]] > labels[fitted].mean()
    return float(balanced_accuracy_score(labels, said))


def _folds(points: np.ndarray, worlds: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    return GroupKFold(FOLDS).split(points, groups=worlds)
