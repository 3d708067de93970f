"""Wave Function Collapse (Gumin, 2016; section A.1.1): random tiles that keep the rules of neighbourhood.

A cell's domain is a bit mask over the 46 states (kind and level). Again and again the cell of lowest entropy is given
a state, drawn by weight, and what that forbids is propagated. A collapsed cell also makes those states of its
neighbours likelier whose floor meets its own, so that worlds have regions and not noise.

Nothing here depends on the processor: weights are only added, multiplied and divided, and entropy is Renyi's quadratic
one, whose order needs no logarithm.
"""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.core.streams import advance, output
from procgen_bench.tasks.xland.worlds.states import ALLOWED, MEETING, NUM_STATES
from procgen_bench.tasks.xland.worlds.tiles import STEPS

#: Attempts until it is given up that weights allow for a world.
MAX_ATTEMPTS = 200

_ONE, _SHIFT, _UNIT = np.uint64(1), np.uint64(11), 2.0**-53


class NoWorldError(ProcgenBenchError, RuntimeError):
    """Every attempt to generate a world with the given options failed."""


def collapse(stream: np.uint64, weights: np.ndarray, coherence: float) -> np.ndarray:
    """Draw a state for every cell.

    Args:
        stream: State of the random stream (:mod:`procgen_bench.core.streams`), from which all draws follow.
        weights: float64 (rows, columns, 46), at least 0: how likely every state is; 0 forbids it.
        coherence: Factor of a state's weight for each collapsed neighbour whose floor it meets.

    Returns:
        int64 (rows, columns).

    Raises:
        NoWorldError: All of :data:`MAX_ATTEMPTS` attempts ended in a contradiction.
    """
    states = np.empty(weights.shape[:2], np.int64)
    if not _collapse(stream, np.ascontiguousarray(weights), coherence, states):
        raise NoWorldError(
            f"no {weights.shape[1]} x {weights.shape[0]} tiles after {MAX_ATTEMPTS} attempts of Wave Function "
            "Collapse: allow more states, or weigh ramps less"
        )
    return states


@njit
def _collapse(stream, weights, coherence, states):
    """Fill ``states``; False after MAX_ATTEMPTS contradictions."""
    for _ in range(MAX_ATTEMPTS):
        done, stream = _attempt(stream, weights.copy(), coherence, states)
        if done:
            return True
    return False


@njit
def _attempt(stream, weights, coherence, states):
    """One run, which changes ``weights``. Whether it ended without a contradiction, and the stream after it."""
    rows, columns = states.shape
    domains = np.zeros((rows, columns), np.uint64)
    entropies, priorities = np.empty((rows, columns)), np.empty((rows, columns), np.uint64)
    waiting = np.ones((rows, columns), np.bool_)  # cells whose neighbours do not know their domain yet
    worklist = np.empty(rows * columns, np.int64)
    for row in range(rows):
        for column in range(columns):
            states[row, column] = -1
            stream = advance(stream)
            priorities[row, column] = output(stream)
            worklist[row * columns + column] = row * columns + column
            for state in range(NUM_STATES):
                if weights[row, column, state] > 0.0:
                    domains[row, column] |= _ONE << np.uint64(state)
            entropies[row, column] = _effective_states(domains[row, column], weights[row, column])
    if not _propagate(domains, weights, entropies, waiting, worklist, rows * columns):
        return False, stream
    for _ in range(rows * columns):
        row, column = _least_entropy(entropies, priorities, states)
        stream = advance(stream)
        state = _draw_state(output(stream), domains[row, column], weights[row, column])
        states[row, column] = state
        domains[row, column] = _ONE << np.uint64(state)
        _attract(row, column, state, weights, domains, states, entropies, coherence)
        worklist[0] = row * columns + column
        waiting[row, column] = True
        if not _propagate(domains, weights, entropies, waiting, worklist, 1):
            return False, stream
    return True, stream


@njit
def _effective_states(domain, weights):
    """The exponential of Renyi's quadratic entropy of a cell: how many equally likely states would be as uncertain."""
    total, squares = 0.0, 0.0
    for state in range(NUM_STATES):
        if domain >> np.uint64(state) & _ONE:
            total += weights[state]
            squares += weights[state] * weights[state]
    return total * total / squares if squares > 0.0 else 0.0


@njit
def _least_entropy(entropies, priorities, states):
    """The cell without a state that is the least uncertain; of equals the one with the lowest random priority."""
    best_row, best_column = -1, -1
    for row in range(states.shape[0]):
        for column in range(states.shape[1]):
            if states[row, column] >= 0:
                continue
            if best_row >= 0:
                lead = entropies[row, column] - entropies[best_row, best_column]
                if lead > 0.0 or (lead == 0.0 and priorities[row, column] >= priorities[best_row, best_column]):
                    continue
            best_row, best_column = row, column
    return best_row, best_column


@njit
def _draw_state(bits, domain, weights):
    """A state of the domain, with a probability proportional to its weight."""
    total = 0.0
    for state in range(NUM_STATES):
        if domain >> np.uint64(state) & _ONE:
            total += weights[state]
    threshold = np.float64(bits >> _SHIFT) * _UNIT * total
    drawn = -1
    for state in range(NUM_STATES):
        if domain >> np.uint64(state) & _ONE:
            drawn = state  # rounding may leave the threshold above the last one
            threshold -= weights[state]
            if threshold < 0.0:
                break
    return drawn


@njit
def _attract(row, column, state, weights, domains, states, entropies, coherence):
    """Make those states of the neighbours likelier whose floor meets that of the collapsed cell."""
    for side in range(4):
        other_row, other_column = row + STEPS[side, 0], column + STEPS[side, 1]
        if not (0 <= other_row < states.shape[0] and 0 <= other_column < states.shape[1]):
            continue
        if states[other_row, other_column] >= 0:
            continue
        for other in range(NUM_STATES):
            if MEETING[side, state] >> np.uint64(other) & _ONE:
                weights[other_row, other_column, other] *= coherence
        entropies[other_row, other_column] = _effective_states(
            domains[other_row, other_column], weights[other_row, other_column]
        )


@njit
def _propagate(domains, weights, entropies, waiting, worklist, count):
    """Take from the domains what the ``count`` cells of the worklist forbid, and so on; False on a contradiction.

    The worklist is a ring: each cell waits in it at most once, so it never overflows.
    """
    rows, columns = domains.shape
    first = 0
    while count > 0:
        row, column = worklist[first] // columns, worklist[first] % columns
        first, count = (first + 1) % worklist.size, count - 1
        waiting[row, column] = False
        if domains[row, column] == 0:
            return False
        for side in range(4):
            other_row, other_column = row + STEPS[side, 0], column + STEPS[side, 1]
            if not (0 <= other_row < rows and 0 <= other_column < columns):
                continue
            before = domains[other_row, other_column]
            after = before & _supported(domains[row, column], side, before)
            if after == before:
                continue
            domains[other_row, other_column] = after
            entropies[other_row, other_column] = _effective_states(after, weights[other_row, other_column])
            if not waiting[other_row, other_column]:
                waiting[other_row, other_column] = True
                worklist[(first + count) % worklist.size] = other_row * columns + other_column
                count += 1
    return True


@njit
def _supported(domain, side, wanted):
    """The states that some state of ``domain`` allows at ``side``; as soon as all of ``wanted`` are, only those."""
    supported = np.uint64(0)
    for state in range(NUM_STATES):
        if domain >> np.uint64(state) & _ONE:
            supported |= ALLOWED[side, state]
            if supported & wanted == wanted:
                break
    return supported
