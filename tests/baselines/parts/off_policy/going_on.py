"""What holds for every learner from a replay."""

import numpy as np

from procgen_bench.baselines.training.rollouts import Collector


def trained(rows, learner, rollouts):
    """Let a learner collect and learn."""
    collector = Collector(rows, learner, learner.configuration.rollout_steps)
    for _ in range(rollouts):
        learner.update(collector.collect())


def assert_a_restored_learner_goes_on_alike(toy, built, **settings):
    """A learner of another seed, restored from one in the middle of its training, ends with the same state."""
    learner, other = built(toy(8), **settings), built(toy(8), seed=1, **settings)
    trained(toy(8), learner, 12)
    arrays, values = learner.state()
    other.restore({name: array.copy() for name, array in arrays.items()}, values)
    for one in (learner, other):
        trained(toy(8, seed=5), one, 4)
    (arrays, values), (others, other_values) = learner.state(), other.state()
    assert arrays.keys() == others.keys() and values == other_values
    assert all(np.array_equal(arrays[name], others[name]) for name in arrays)


def assert_the_rate_is_the_players(collector):
    """A learner in the middle of its training learns at the rate that was set last, and not at all at none."""
    learner = collector.learner
    changes = []
    for rate in (learner.rates["learning_rate"], 0.0):
        learner.rates = {**learner.rates, "learning_rate": rate}
        before = {name: array.copy() for name, array in learner.policy_weights().items()}
        learner.update(collector.collect())
        changes.append(any(not np.array_equal(array, before[name]) for name, array in learner.policy_weights().items()))
    assert changes == [True, False]
