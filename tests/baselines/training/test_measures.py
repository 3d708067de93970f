"""Measures of the curve: means since the last evaluation, and of episodes that were learned from alone."""

import numpy as np

from procgen_bench.baselines.training.contracts import FinishedEpisodes
from procgen_bench.baselines.training.player_evaluations import MeanMeasures, summary_of


def test_measures_are_means_since_they_were_last_taken():
    means = MeanMeasures()
    means.add({"loss": 1.0})
    means.add({"loss": 3.0, "beta": 5.0})
    assert means.take() == {"loss": 2.0, "beta": 5.0}
    means.add({"beta": 7.0})
    taken = means.take()
    assert taken["beta"] == 7.0 and np.isnan(taken["loss"])


def test_probes_are_no_part_of_what_training_returns():
    unknown, learned = np.full(3, np.nan, np.float32), np.array([True, False, True])
    success, lengths = np.array([True, True, False]), np.array([4, 50, 8])
    returns = np.array([1.0, 9.0, -0.5])
    played = FinishedEpisodes(
        np.arange(3), np.zeros(3, np.int16), learned, returns, success, lengths, unknown, unknown, unknown
    )
    assert summary_of(played) == {"training_return": 0.25, "training_success": 0.5, "training_length": 6.0}
    assert summary_of(played.of(~learned)) == {}
