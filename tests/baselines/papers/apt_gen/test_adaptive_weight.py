"""AdaptiveWeight: APT-Gen's rule for beta, by the latest outcomes."""

import pytest

from procgen_bench.baselines.papers.apt_gen.adaptive_weight import AdaptiveWeight


def weight(value=1.0, latest=50):
    return AdaptiveWeight(value, (0.125, 8.0), aim=0.5, tolerance=0.1, latest=latest)


@pytest.mark.parametrize(
    ("mean", "values"),
    [(0.39, [2, 4, 8, 8]), (0.41, [1, 1, 1, 1]), (0.59, [1, 1, 1, 1]), (0.61, [0.5, 0.25, 0.125, 0.125])],
)
def test_it_doubles_below_and_halves_above(mean, values):
    own, seen = weight(), []
    own.record(mean)
    for _ in values:
        own.change()
        seen.append(own.value)
    assert seen == values


def test_it_stays_as_long_as_nothing_was_heard():
    own = weight()
    own.change()
    assert (own.value, own.mean) == (1, 0)


def test_only_the_latest_count():
    own = weight(latest=4)
    for outcome in [0.0] * 9 + [1.0] * 3:
        own.record(outcome)
    assert own.mean == 0.75


def test_it_goes_on_from_its_state():
    own, other = weight(2.0), weight()
    own.record(0.2)
    other.record(1.0)
    other.restore(own.state())
    assert (other.value, other.mean) == (2, 0.2)
