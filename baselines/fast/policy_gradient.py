"""Drawing actions from the outputs of a compiled actor and critic, and gradients of PPO's loss."""

import numpy as np

from procgen_bench.baselines.fast.passes import backward, enter_chosen, forward, outputs, prepare, refresh
from procgen_bench.core.compiled import njit


@njit(error_model="numpy", nogil=True)
def act(network, written, sizes, noise, actions, log_probabilities, values):
    """Draw an action in every state, after :func:`.refresh`; for the arguments see :meth:`.CompiledActorCritic.act`.

    Args:
        network: :class:`.NetworkArrays`, whose outputs are those of all distributions, and the value.
        written: float32 (n * width,).
        sizes: int64 (distributions,), their outputs.
        noise: float32 (n, distributions).
        actions, log_probabilities, values: Are written.
    """
    for first in range(0, len(values), network.capacity):
        end = min(first + network.capacity, len(values))
        enter_chosen(network, written, np.arange(first, end))
        results = forward(network, end - first)
        for sample in range(first, end):
            at, begin, log_probability = sample - first, 0, 0.0
            for number in range(len(sizes)):
                end_of_own = begin + sizes[number]
                greatest, total = _greatest_and_sum(results, at, begin, end_of_own)
                chosen, reached = end_of_own - 1, 0.0
                for place in range(begin, end_of_own):
                    reached += np.exp(np.float64(results[at, place] - greatest)) / total
                    if reached > noise[sample, number]:
                        chosen = place
                        break
                actions[sample, number] = chosen - begin
                log_probability += results[at, chosen] - greatest - np.log(total)
                begin = end_of_own
            log_probabilities[sample], values[sample] = log_probability, results[at, begin]


@njit(error_model="numpy")
def _greatest_and_sum(results, at, begin, end):
    """The greatest of some outputs of a sample, and the sum of the exponentials of what they have less."""
    greatest, total = results[at, begin], 0.0
    for place in range(begin + 1, end):
        greatest = max(greatest, results[at, place])
    for place in range(begin, end):
        total += np.exp(np.float64(results[at, place] - greatest))
    return greatest, total


@njit(error_model="numpy")
def begin_step(network, places, advantages, weights, normalise):
    """Before the gradients of a minibatch's parts.

    Args:
        network: :class:`.NetworkArrays`, see :func:`act`.
        places: int64 (k,), the minibatch's samples among n.
        advantages: float32 (n,).
        weights: float32 (n,), 0 where a sample does not count.
        normalise: Whether its advantages are normalised.

    Returns:
        The mean and the deviation that normalise its advantages (0 and 1: neither does), and the sum of its weights.
    """
    refresh(network)
    mean, spread, total = 0.0, 1.0, 0.0
    for place in places:
        total += weights[place]
    if normalise:
        for place in places:
            mean += weights[place] * advantages[place] / total
        variance = 0.0
        for place in places:
            variance += weights[place] * (advantages[place] - mean) ** 2 / total
        spread = np.sqrt(variance) + 1e-8
    return mean, spread, total


@njit(error_model="numpy", nogil=True)
def find_gradient(network, written, places, sizes, actions, old, advantages, returns, weights, loss, scale):
    """The gradient of some samples' shares in a minibatch's loss; see :func:`.policy_gradient_loss`.

    Args:
        network: :class:`.NetworkArrays`, see :func:`act`.
        written: float32 (n * width,).
        places: int64 (k,), the samples.
        sizes: int64 (distributions,).
        actions: (n, distributions).
        old: float32 (n,), their log-probabilities as of when they were drawn.
        advantages, returns, weights: float32 (n,).
        loss: Clip range, and weights of the values, of the entropy, and of the barrier.
        scale: What :func:`begin_step` says of the minibatch.

    Returns:
        float64 (4,), their shares in the mean policy loss, squared error of the values, entropy, and divergence.
    """
    means = np.zeros(4)
    prepare(network)
    for first in range(0, len(places), network.capacity):
        chosen = places[first : first + network.capacity]
        enter_chosen(network, written, chosen)
        results = forward(network, len(chosen))
        gradients = outputs(network, network.cell_gradients, len(chosen))
        _find_gradients(
            results, gradients, sizes, chosen, actions, old, advantages, returns, weights, loss, scale, means
        )
        backward(network, len(chosen))
    return means


@njit(error_model="numpy")
def _find_gradients(results, gradients, sizes, chosen, actions, old, advantages, returns, weights, loss, scale, sums):
    """Write the gradients (n, k) of some samples' shares in the mean loss, of all weights, by their outputs (n, k)."""
    clip_range, value_weight, entropy_weight, barrier_weight = loss
    mean, spread, total = scale
    log_sums, entropies = np.empty(len(sizes)), np.empty(len(sizes))
    for at in range(len(chosen)):
        sample, begin, log_probability = chosen[at], 0, 0.0
        for number in range(len(sizes)):
            end = begin + sizes[number]
            greatest, sum_of_own = _greatest_and_sum(results, at, begin, end)
            log_sums[number], entropies[number] = greatest + np.log(sum_of_own), 0.0
            for place in range(begin, end):
                own_log = results[at, place] - log_sums[number]
                probability = np.exp(own_log)
                gradients[at, place] = probability
                entropies[number] -= probability * own_log
            log_probability += results[at, begin + actions[sample, number]] - log_sums[number]
            begin = end
        count = total / weights[sample] if weights[sample] > 0 else np.inf
        advantage, error = (advantages[sample] - mean) / spread, results[at, begin] - returns[sample]
        gain, weight = advantage * log_probability, advantage
        change = log_probability - old[sample]
        ratio = np.exp(change)
        if clip_range > 0:
            clipped = min(max(ratio, 1 - clip_range), 1 + clip_range)
            gain = min(advantage * ratio, advantage * clipped)
            weight = advantage * ratio if advantage * ratio <= advantage * clipped else 0.0
        gradients[at, begin] = 2 * value_weight * error / count
        begin = 0
        for number in range(len(sizes)):
            for place in range(begin, begin + sizes[number]):
                probability, own_log = gradients[at, place], results[at, place] - log_sums[number]
                of_entropy = entropy_weight * probability * (own_log + entropies[number])
                of_barrier = barrier_weight * (probability - 1 / sizes[number])
                gradients[at, place] = (weight * probability + of_entropy + of_barrier) / count
            gradients[at, begin + actions[sample, number]] -= weight / count
            begin += sizes[number]
        sums[0] -= gain / count
        sums[1] += error * error / count
        sums[2] += entropies.sum() / count
        sums[3] += (ratio - 1 - change) / count
