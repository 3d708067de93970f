"""Parts of a minibatch in threads of their own find the gradient of the whole, the same bits in every run."""

import numpy as np
import pytest
import torch
from gymnasium import spaces

from tests.baselines.methods.ppo.test_compiled import SETTINGS, learners, memory_of, rollout  # noqa: F401

THREADS = 3
#: Whole: in one minibatch, whose gradient is all that an update finds.
WHOLE = {"minibatches": 1, "epochs": 1, "learning_rate": 0.0, "max_gradient": 1e9, "entropy_weight": 0.5}


def learner_of(threads, collected, **settings):
    """A compiled learner, which reads torch's number of threads when it is made."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        return learners(spaces.Discrete(4), memory_of(collected), **settings)[0]
    finally:
        torch.set_num_threads(before)


def gradient_of(learner):
    return learner.compiled._network.arrays.parameter_gradients


def test_gradients_of_parts_add_up_to_the_whole(rollout):  # noqa: F811
    one, several = (learner_of(threads, rollout, **WHOLE) for threads in (1, THREADS))
    network = several.compiled._network
    assert len(one.compiled._network.parts) == 1 and len(network.parts) == THREADS
    alone = []
    add = network.add_gradients
    network.add_gradients = lambda count: (
        alone.extend(p.parameter_gradients.copy() for p in network.parts),
        add(count),
    )
    measures = [learner.update(rollout) for learner in (one, several)]
    assert measures[0] == pytest.approx(measures[1], rel=1e-5, abs=1e-8)
    expected = gradient_of(one)
    largest = np.abs(expected).max()
    assert largest > 1e-2
    np.testing.assert_allclose(gradient_of(several), expected, atol=1e-5 * largest)
    assert len(alone) == THREADS and all(np.abs(part).max() > 1e-2 * largest for part in alone)


def test_a_number_of_threads_gives_the_same_bits_whoever_takes_which_part(rollout):  # noqa: F811
    learned = []
    for alone in (False, False, True):
        learner = learner_of(THREADS, rollout)
        if alone:  # one thread takes all parts, the last one first
            network = learner.compiled._network
            network.each = lambda count, work: [work(number) for number in reversed(range(count))][::-1]
        measures = [learner.update(rollout) for _ in range(2)]
        learned.append((measures, {name: array.copy() for name, array in learner.policy_weights().items()}))
    for measures, weights in learned[1:]:
        assert measures == learned[0][0]
        assert all(np.array_equal(array, learned[0][1][name]) for name, array in weights.items())


def test_rows_act_alike_in_parts(rollout):  # noqa: F811
    one, several = (learner_of(threads, rollout) for threads in (1, THREADS))
    count = 200
    seen = {name: array.flatten(0, 1)[:count] for name, array in rollout.observations.items()}
    memory = torch.as_tensor(np.random.default_rng(4).normal(size=(count, memory_of(rollout))), dtype=torch.float32)
    assert len(several.compiled._network.shares(count)) == THREADS
    (actions, aux, after), (others, other_aux, other_after) = (each.act(seen, memory) for each in (one, several))
    assert (actions == others).float().mean() > 0.99 and len(np.unique(actions)) > 2
    assert torch.allclose(after, other_after, atol=1e-6)
    assert torch.allclose(aux["values"], other_aux["values"], atol=1e-5)


def test_an_update_ends_where_all_parts_together_have_moved_too_far(rollout):  # noqa: F811
    bounded = {"max_kl": 1e-4, "learning_rate": 3e-3}
    one, several, free = (
        learner_of(threads, rollout, **settings) for threads, settings in ((1, bounded), (THREADS, bounded), (1, {}))
    )
    steps = []
    for learner in (one, several, free):
        learner.update(rollout)
        steps.append(int(learner.compiled.optimizer_arrays()["0.step"]))
    assert steps[0] == steps[1] < steps[2] == SETTINGS.epochs * SETTINGS.minibatches


def test_few_samples_are_left_to_one_thread(rollout):  # noqa: F811
    network = learner_of(THREADS, rollout).compiled._network
    assert network.shares(100) == [(0, 100)] and network.shares(1) == [(0, 1)]
    assert network.shares(130) == [(0, 65), (65, 130)] and network.shares(4, steps=32) == [(0, 2), (2, 4)]
    shares = network.shares(1_000)
    assert shares == [(0, 333), (333, 666), (666, 1_000)]
    assert network.shares(2, steps=1_000) == [(0, 1), (1, 2)]
