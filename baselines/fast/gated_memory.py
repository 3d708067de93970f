"""A gated recurrent unit in compiled networks: steps in a row, and gradients back through them."""

import numpy as np

from procgen_bench.core.compiled import njit

#: The hyperbolic tangent in single precision as x p(x^2) / q(x^2), on [-7.9, 7.9], beyond which it is 1: the
#: coefficients of Eigen's, which are within a few units of the last place.
_BOUND = np.float32(7.9)
_P = tuple(
    np.float32(number)
    for number in (
        4.89352455891786e-03,
        6.37261928875436e-04,
        1.48572235717979e-05,
        5.12229709037114e-08,
        -8.60467152213735e-11,
        2.00018790482477e-13,
        -2.76076847742355e-16,
    )
)
_Q = tuple(
    np.float32(number)
    for number in (4.89352518554385e-03, 2.26843463243900e-03, 1.18534705686654e-04, 1.19825839466702e-06)
)


@njit
def remember(seen, steps, weights, biases, memories, entries, kept, before, gates, news, news_kept, after):
    """Let the unit take ``steps`` steps in R rows, sample by sample in the order of time.

    Args:
        seen: float32 (steps * R, 3 w): what reset gates, update gates and new memories are given by what is seen.
        steps: How many.
        weights: float32 (w, 3 w), by which memories count in them.
        biases: float32 (3 w, ...).
        memories: float32 (rows, w), before the first step.
        entries: float32 (steps * R, 2): 0 where an episode begins, else 1; and the sample's row among ``memories``.
        kept: float32 (R, 3 w), is written over.
        before, news, news_kept: float32 (steps * R, w), are written for :func:`forget`.
        gates: float32 (steps * R, 2 w), the same.
        after: float32 (steps * R, w): the memories after each step, are written.
    """
    rows, width = len(seen) // steps, after.shape[1]
    for step in range(steps):
        first, end = step * rows, (step + 1) * rows
        for at in range(first, end):
            goes_on = entries[at, 0]
            own = memories[int(entries[at, 1])] if step == 0 else after[at - rows]
            for column in range(width):
                before[at, column] = goes_on * own[column]
        np.dot(before[first:end], weights, kept)
        for row in range(rows):
            at = first + row
            for column in range(2 * width):
                total = seen[at, column] + kept[row, column] + biases[column]
                gates[at, column] = sigmoid(total)
            for column in range(width):
                news_kept[at, column] = kept[row, 2 * width + column] + biases[2 * width + column]
            for column in range(width):
                total = seen[at, 2 * width + column] + gates[at, column] * news_kept[at, column]
                news[at, column] = tanh(total)
            for column in range(width):
                new = news[at, column]
                after[at, column] = new + gates[at, width + column] * (before[at, column] - new)


@njit
def forget(gradients, steps, weights, entries, before, gates, news, news_kept, of_seen, of_kept):
    """Gradients of the memories after each step (steps * R, w), back through the steps.

    Args:
        gradients: Those that come from elsewhere than the steps behind.
        weights: As :func:`remember` had them.
        entries, before, gates, news, news_kept: As it left them.
        of_seen: float32 (steps * R, 3 w), what is seen's, is written.
        of_kept: float32 (steps * R, 3 w), those of the memories' products with the weights, is written.
    """
    rows, width = len(gradients) // steps, gradients.shape[1]
    later, past = np.zeros((rows, width), np.float32), np.empty((rows, width), np.float32)
    turned = np.ascontiguousarray(weights.T)
    one = np.float32(1)
    for step in range(steps - 1, -1, -1):
        first, end = step * rows, (step + 1) * rows
        for row in range(rows):
            at = first + row
            for column in range(width):
                reset, update = gates[at, column], gates[at, width + column]
                total, new = gradients[at, column] + later[row, column], news[at, column]
                of_new = total * (one - update) * (one - new * new)
                of_reset = of_new * news_kept[at, column] * reset * (one - reset)
                of_update = total * (before[at, column] - new) * update * (one - update)
                of_seen[at, column] = of_kept[at, column] = of_reset
                of_seen[at, width + column] = of_kept[at, width + column] = of_update
                of_seen[at, 2 * width + column] = of_new
                of_kept[at, 2 * width + column] = of_new * reset
                past[row, column] = total * update
        np.dot(of_kept[first:end], turned, later)
        for row in range(rows):
            goes_on = entries[first + row, 0]
            for column in range(width):
                later[row, column] = goes_on * (later[row, column] + past[row, column])


@njit(error_model="numpy")
def sigmoid(x):
    """The logistic function in single precision."""
    return np.float32(0.5) + np.float32(0.5) * tanh(np.float32(0.5) * x)


@njit(error_model="numpy")
def tanh(x):
    """The hyperbolic tangent in single precision; a check for zeros below the line would keep it from vectors."""
    x = min(max(x, -_BOUND), _BOUND)
    y = x * x
    p = _P[6]
    for place in range(5, -1, -1):
        p = p * y + _P[place]
    q = ((_Q[3] * y + _Q[2]) * y + _Q[1]) * y + _Q[0]
    return x * p / q
