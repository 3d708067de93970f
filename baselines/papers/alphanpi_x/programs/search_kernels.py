"""The recursive tree search as a compiled state machine: a search runs on until it needs the network or the model.

A program under way is a *frame*: its root, the simulations left in its decision, the edge whose outcome it awaits. A
simulation that reaches an edge of a program that calls others pushes a frame for it, which plays that program to its
end, and goes on when the frame is popped. So a search can wait anywhere, and thousands wait for one network call.

Source: AlphaNPI-X, section B; AlphaNPI (Pierrot et al., 2019), section 3.
"""

import math
from typing import NamedTuple

import numpy as np

from procgen_bench.baselines.papers.alphanpi_x.programs.forest import (
    AWAITED,
    FIRST_NODE,
    FIRST_PAYLOAD,
    LEFT,
    NO_DECISION,
    NOTHING,
    PROGRAM,
    ROOT,
    TRACED,
)
from procgen_bench.core.compiled import njit

#: What a search waits for.
NETWORK, MODEL, NOTHING_MORE = 0, 1, 2
#: The value of an edge that cannot be followed to an end, and of a program that ends without having done its work.
FAILURE = -1.0


class Weights(NamedTuple):
    """How a search weighs its choices.

    Attributes:
        prior: Weight of the network's policy, c_puct.
        level: Weight of higher levels, c_level.
        discount: Of the value of Stop, for every call before it.
        atomic: Whether atomic calls are counted by that, at all depths, in place of the program's own calls.
        temperature: Power of the visits by which the outermost program's choices are drawn and learned.
        noise: Share of the priors that is noise where the search explores.
    """

    prior: float
    level: float
    discount: float
    temperature: float
    noise: float
    atomic: bool = False


@njit
def plant(forest, row, program, state, memory):
    """Let a row begin the search of a program from a state, given the network's memory before it."""
    forest.num_frames[row] = forest.num_nodes[row] = forest.num_payloads[row] = 0
    forest.num_decisions[row] = forest.stopped_at[row] = 0
    forest.succeeded[row] = False
    root = _push(forest, row, program, state)
    # The root has no parent whose memory it would begin with: that is kept where the root's own will be.
    forest.memories[row, forest.payload[row, root]] = memory


@njit
def advance_rows(forest, rows, num_rows, levels, depth_limits, simulations, weights, for_network, for_model):
    """Let the searches in ``rows[:num_rows]`` run until each needs something.

    Args:
        forest: The searches.
        rows: int32 (B,).
        num_rows: How many of them.
        levels, depth_limits: As in :class:`.CallRules`.
        simulations: int32 (frames,), of a decision of each frame.
        weights: :class:`Weights`.
        for_network, for_model: int32 (B, 2), filled with row and node of those that wait; a row that is in neither has
            ended.

    Returns:
        How many wait for the network and for the model.
    """
    num_network = num_model = 0
    for place in range(num_rows):
        row = rows[place]
        waits_for, node = _advance(forest, row, levels, depth_limits, simulations, weights)
        if waits_for == NETWORK:
            for_network[num_network, 0], for_network[num_network, 1] = row, node
            num_network += 1
        elif waits_for == MODEL:
            for_model[num_model, 0], for_model[num_model, 1] = row, node
            num_model += 1
    return num_network, num_model


@njit
def gather_for_network(forest, queue, count, states, memories, programs):
    """Write what the network is to be asked: of each waiting node its state, its parent's memory and the program."""
    for place in range(count):
        row, node = queue[place, 0], queue[place, 1]
        payload, parent = forest.payload[row, node], forest.parent[row, node]
        states[place] = forest.states[row, payload]
        if parent != NOTHING:
            payload = forest.payload[row, parent]
        memories[place] = forest.memories[row, payload]
        programs[place] = forest.frames[row, forest.num_frames[row] - 1, PROGRAM]


@njit
def gather_for_model(forest, queue, count, states, programs):
    """Write what the model is to be asked: of each waiting edge the state that it leads from and the program."""
    for place in range(count):
        row, edge = queue[place, 0], queue[place, 1]
        states[place] = forest.states[row, forest.payload[row, forest.parent[row, edge]]]
        programs[place] = forest.action[row, edge]


@njit
def take_predictions(forest, queue, count, states):
    """Let the waiting edges lead to the states that the model predicts."""
    for place in range(count):
        row, edge = queue[place, 0], queue[place, 1]
        forest.payload[row, edge] = _new_payload(forest, row, states[place])
        forest.frames[row, forest.num_frames[row] - 1, AWAITED] = edge


@njit
def expand(forest, queue, count, logits, values, memories, startable, done, may_call, gammas, weights):
    """Give the waiting nodes their children and values.

    Args:
        forest, queue, count: The searches, and which nodes of theirs.
        logits, values, memories: What the network said of each: (count, P + 1), (count,) and (count, M).
        startable: bool (count, P), whether the programs' pre-conditions hold there.
        done: bool (count,), whether the searched program's post-condition does.
        may_call: As ``callable`` of :class:`.CallRules`.
        gammas: float64 (count, P + 1), gamma variables that make the Dirichlet noise.
        weights: :class:`Weights`.
    """
    stop = may_call.shape[1] - 1
    for place in range(count):
        row, node = queue[place, 0], queue[place, 1]
        frame = forest.frames[row, forest.num_frames[row] - 1]
        forest.memories[row, forest.payload[row, node]] = memories[place]
        forest.done[row, node] = done[place]
        first = forest.num_nodes[row]
        children, greatest = 0, -np.inf
        for action in range(stop + 1):
            if may_call[frame[PROGRAM], action] and (action == stop or startable[place, action]):
                child = _new_node(forest, row, node, action)
                forest.prior[row, child] = logits[place, action]
                greatest = max(greatest, logits[place, action])
                children += 1
        forest.first_child[row, node], forest.num_children[row, node] = first, children
        disturbed = forest.explores[row] and forest.num_frames[row] == 1
        _normalise_priors(forest, row, first, children, greatest, gammas[place], weights.noise if disturbed else 0.0)
        _finish_simulation(forest, row, frame, node, values[place])


@njit
def _normalise_priors(forest, row, first, children, greatest, gammas, noise):
    """Turn the children's logits into priors, part of which are noise."""
    total, drawn = 0.0, 0.0
    for child in range(first, first + children):
        forest.prior[row, child] = math.exp(forest.prior[row, child] - greatest)
        total += forest.prior[row, child]
        drawn += gammas[forest.action[row, child]]
    for child in range(first, first + children):
        prior = (1 - noise) * forest.prior[row, child] / total
        if drawn > 0:
            prior += noise * gammas[forest.action[row, child]] / drawn
        forest.prior[row, child] = prior


@njit
def _advance(forest, row, levels, depth_limits, simulations, weights):
    """Run a search until it waits for something; what, and for which node."""
    while True:
        number = forest.num_frames[row] - 1
        frame = forest.frames[row, number]
        ended = succeeded = False
        if frame[LEFT] == NO_DECISION:
            frame[LEFT] = simulations[number]
            ended = forest.depth[row, frame[ROOT]] >= depth_limits[frame[PROGRAM]]
        elif frame[LEFT] == 0:
            ended, succeeded = _decide(forest, row, number, frame, levels, weights)
        else:
            waits_for, node = _simulate(forest, row, frame, levels, depth_limits, weights)
            if waits_for != NOTHING_MORE:
                return waits_for, node
        if ended:
            if number == 0:
                forest.succeeded[row] = succeeded
                return NOTHING_MORE, NOTHING
            _pop(forest, row, succeeded, levels, weights)


@njit
def _simulate(forest, row, frame, levels, depth_limits, weights):
    """Go on with one simulation until it ends, pushes a frame, or waits for something."""
    node = frame[ROOT] if frame[AWAITED] == NOTHING else frame[AWAITED]
    frame[AWAITED] = NOTHING
    while True:
        if forest.failed[row, node] or forest.depth[row, node] >= depth_limits[frame[PROGRAM]]:
            _finish_simulation(forest, row, frame, node, FAILURE)
            return NOTHING_MORE, NOTHING
        if forest.num_children[row, node] == 0:
            return NETWORK, node
        edge = _best_edge(forest, row, node, frame[PROGRAM], levels, weights)
        level = levels[forest.action[row, edge]]
        if level < 0:
            value = weights.discount ** forest.calls[row, node] if forest.done[row, node] else FAILURE
            _finish_simulation(forest, row, frame, edge, value)
            return NOTHING_MORE, NOTHING
        if forest.payload[row, edge] == NOTHING and not forest.failed[row, edge]:
            if level == 0:
                return MODEL, edge
            frame[AWAITED] = edge
            _push(forest, row, forest.action[row, edge], forest.states[row, forest.payload[row, node]])
            return NOTHING_MORE, NOTHING
        node = edge


@njit
def _best_edge(forest, row, node, program, levels, weights):
    """The child that the search goes on to: the greatest Q + c_puct P sqrt(N_parent) / (1 + N) + L."""
    first = forest.first_child[row, node]
    root = math.sqrt(forest.visits[row, node])
    best, greatest = first, -np.inf
    for child in range(first, first + forest.num_children[row, node]):
        visits = forest.visits[row, child]
        value = _value(forest, row, child) if visits > 0 else 0.0
        level = levels[forest.action[row, child]]
        apart = 1 if level < 0 else levels[program] - level
        score = value + weights.prior * forest.prior[row, child] * root / (1 + visits)
        score += weights.level * math.exp(-apart)
        if score > greatest:
            best, greatest = child, score
    return best


@njit
def _finish_simulation(forest, row, frame, node, value):
    """Back a value up, from a node to the search's first root; one simulation less is left."""
    weight = math.exp(value)
    while node != NOTHING:
        forest.visits[row, node] += 1
        forest.weights[row, node] += weight
        forest.weighted[row, node] += weight * value
        node = forest.parent[row, node]
    frame[LEFT] -= 1
    frame[AWAITED] = NOTHING


@njit
def _decide(forest, row, number, frame, levels, weights):
    """Let a frame's program do what its simulations speak for; whether it has ended, and with success."""
    root = frame[ROOT]
    child = _chosen(forest, row, number, root, weights.temperature)
    action = forest.action[row, child]
    if number == 0:
        _note_decision(forest, row, root, weights.temperature)
    forest.frame_traces[row, number, frame[TRACED]] = action
    frame[TRACED] += 1
    if levels[action] < 0:
        forest.stopped_at[row] = forest.calls[row, root]
        return True, forest.done[row, root]
    payload = forest.payload[row, child]
    if payload != NOTHING and levels[action] > 0:
        for place in range(forest.trace_lengths[row, payload]):
            forest.frame_traces[row, number, frame[TRACED]] = forest.traces[row, payload, place]
            frame[TRACED] += 1
    if forest.failed[row, child] or payload == NOTHING or (number == 0 and forest.decisions_left[row] == 0):
        return True, False
    frame[ROOT], frame[LEFT] = child, NO_DECISION
    return False, False


@njit
def _chosen(forest, row, number, root, temperature):
    """The child of a root that its program goes to: drawn by its visits where the search explores, else the most
    visited, of equally visited ones the one of the greatest value. (Where values are negative, a search of few
    simulations visits each of several edges once, for those that have not been visited count as 0.)"""
    first = forest.first_child[row, root]
    last = first + forest.num_children[row, root]
    if number == 0 and forest.explores[row]:
        total = 0.0
        for child in range(first, last):
            total += forest.visits[row, child] ** temperature
        left = forest.draws[row, forest.num_decisions[row]] * total
        for child in range(first, last):
            left -= forest.visits[row, child] ** temperature
            if left < 0:
                return child
    best = first
    for child in range(first + 1, last):
        visits, most = forest.visits[row, child], forest.visits[row, best]
        if visits > most or (visits == most and visits > 0 and _value(forest, row, child) > _value(forest, row, best)):
            best = child
    return best


@njit
def _value(forest, row, node):
    """The mean of what was backed up through a node that has been visited, weighted by e to its power."""
    return forest.weighted[row, node] / forest.weights[row, node]


@njit
def _note_decision(forest, row, root, temperature):
    """Keep the tree's policy of the outermost program's decision."""
    decision = forest.num_decisions[row]
    first = forest.first_child[row, root]
    label = forest.labels[row, decision]
    label[:] = 0.0
    total = 0.0
    for child in range(first, first + forest.num_children[row, root]):
        total += forest.visits[row, child] ** temperature
    for child in range(first, first + forest.num_children[row, root]):
        label[forest.action[row, child]] = forest.visits[row, child] ** temperature / total
    forest.decided_in[row, decision] = forest.payload[row, root]
    forest.num_decisions[row] += 1
    forest.decisions_left[row] -= 1


@njit
def _push(forest, row, program, state):
    """Begin a frame for a program; returns its root."""
    number = forest.num_frames[row]
    frame = forest.frames[row, number]
    frame[PROGRAM], frame[LEFT], frame[AWAITED], frame[TRACED] = program, NO_DECISION, NOTHING, 0
    frame[FIRST_NODE], frame[FIRST_PAYLOAD] = forest.num_nodes[row], forest.num_payloads[row]
    root = frame[ROOT] = _new_node(forest, row, NOTHING, NOTHING)
    forest.payload[row, root] = _new_payload(forest, row, state)
    forest.memories[row, forest.payload[row, root]] = 0.0
    forest.num_frames[row] += 1
    return root


@njit
def _pop(forest, row, succeeded, levels, weights):
    """End the innermost frame: the edge that awaits it leads to its last state, or has failed. Its tree is dropped."""
    number = forest.num_frames[row] - 1
    frame = forest.frames[row, number]
    edge = forest.frames[row, number - 1, AWAITED]
    last = forest.payload[row, frame[ROOT]]
    kept = frame[FIRST_PAYLOAD]
    forest.num_frames[row], forest.num_nodes[row] = number, frame[FIRST_NODE]
    forest.num_payloads[row] = kept
    if not succeeded:
        forest.failed[row, edge] = True
        return
    forest.states[row, kept] = forest.states[row, last]
    forest.num_payloads[row] += 1
    forest.payload[row, edge] = kept
    atomic_calls = 0
    for place in range(frame[TRACED]):
        action = forest.traces[row, kept, place] = forest.frame_traces[row, number, place]
        atomic_calls += levels[action] == 0
    if weights.atomic:
        forest.calls[row, edge] += atomic_calls - 1
    forest.trace_lengths[row, kept] = frame[TRACED]


@njit
def _new_node(forest, row, parent, action):
    node = forest.num_nodes[row]
    forest.num_nodes[row] += 1
    forest.parent[row, node], forest.action[row, node] = parent, action
    forest.depth[row, node] = 0 if parent == NOTHING else forest.depth[row, parent] + 1
    forest.calls[row, node] = 0 if parent == NOTHING else forest.calls[row, parent] + 1
    forest.payload[row, node], forest.num_children[row, node] = NOTHING, 0
    forest.failed[row, node] = forest.done[row, node] = False
    forest.visits[row, node] = forest.weights[row, node] = forest.weighted[row, node] = 0.0
    return node


@njit
def _new_payload(forest, row, state):
    payload = forest.num_payloads[row]
    forest.num_payloads[row] += 1
    forest.states[row, payload] = state
    forest.trace_lengths[row, payload] = 0
    return payload
