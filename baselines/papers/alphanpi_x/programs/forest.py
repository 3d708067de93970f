"""Forest: the trees of many searches side by side, as arrays that compiled functions read and write."""

from typing import NamedTuple

import numpy as np

from procgen_bench.baselines.papers.alphanpi_x.programs.call_rules import CallRules

#: Columns of ``Forest.frames``: the program, its root node, simulations left in this decision (``NO_DECISION``: none
#: has begun), the edge whose outcome is awaited or ``NOTHING``, the first node and the first payload of the frame, and
#: the length of its trace.
PROGRAM, ROOT, LEFT, AWAITED, FIRST_NODE, FIRST_PAYLOAD, TRACED = range(7)
_FRAME_COLUMNS = 7
NOTHING, NO_DECISION = -1, -1


class SearchLimits(NamedTuple):
    """How large the trees of one search become.

    Attributes:
        simulations: Simulations in each decision of the program that is searched for.
        sub_simulations: In each decision of a program that it calls.
        frames: Programs that may be under way at a time, one calling the next.
        nodes, payloads: Nodes, and states among them, of all frames together.
        decisions: Decisions of the outermost program.
        trace: Length of its trace: the calls in it at all depths, and their ends.
    """

    simulations: int
    sub_simulations: int
    frames: int
    nodes: int
    payloads: int
    decisions: int
    trace: int


def search_limits(rules: CallRules, simulations: int, sub_simulations: int) -> SearchLimits:
    """The greatest sizes that trees can have under these rules, so that nothing has to grow while a search runs."""
    top = int(rules.levels.max())
    nodes = payloads = trace = 0
    for level in range(1, top + 1):
        numbers = rules.composed[rules.levels[rules.composed] == level]
        if len(numbers):
            decisions, branches = rules.depth_limits[numbers].max(), rules.callable[numbers].sum(axis=1).max()
            expanded = decisions * max(sub_simulations, simulations)
            nodes += int(1 + expanded * (1 + branches))
            payloads += int(1 + expanded)
            trace = int(decisions * (1 + trace) + 1)
    decisions = int(rules.depth_limits.max())
    return SearchLimits(simulations, sub_simulations, top, nodes, payloads, decisions, trace)


class Forest(NamedTuple):
    """B searches; row ``b`` of every array is one's. Nodes are numbers, children of a node lie side by side.

    A node is also the edge that leads to it: ``action`` is what its parent's program calls. A payload is a state that
    was reached, with the network's memory there and, where a program that calls others led there, its trace.

    Attributes:
        parent, action, first_child, num_children, depth, payload: int32 (B, nodes); ``payload`` is ``NOTHING`` until
            the edge has been followed.
        calls: int32 (B, nodes), calls on the way there that are discounted: the program's own, or all atomic ones.
        failed: bool (B, nodes), whether the program of the edge did not end with success.
        done: bool (B, nodes), whether the post-condition of the searched program holds in the node.
        prior, visits, weights, weighted: float32 (B, nodes); the last two are the sums of e^v and of v e^v over all
            values v backed up.
        states: float64 (B, payloads, 15 N + 10).
        memories: float32 (B, payloads, M).
        traces, trace_lengths: int16 (B, payloads, trace) and (B, payloads).
        frames: int32 (B, frames, 7), the programs under way, the outermost first.
        frame_traces: int16 (B, frames, trace).
        num_frames, num_nodes, num_payloads: int32 (B,).
        explores: bool (B,), whether the outermost program's choices are drawn and its priors disturbed.
        draws: float64 (B, decisions), uniform in [0, 1), by which they are drawn.
        decisions_left: int32 (B,), after how many decisions of the outermost program the search is over in any case.
        num_decisions: int32 (B,), those made so far.
        labels: float32 (B, decisions, P + 1), the tree's policy in each.
        decided_in: int32 (B, decisions), the payload of each.
        succeeded: bool (B,), whether the search ended by Stop with the post-condition true.
        stopped_at: int32 (B,), the discounted calls before that Stop.
    """

    parent: np.ndarray
    action: np.ndarray
    first_child: np.ndarray
    num_children: np.ndarray
    depth: np.ndarray
    payload: np.ndarray
    calls: np.ndarray
    failed: np.ndarray
    done: np.ndarray
    prior: np.ndarray
    visits: np.ndarray
    weights: np.ndarray
    weighted: np.ndarray
    states: np.ndarray
    memories: np.ndarray
    traces: np.ndarray
    trace_lengths: np.ndarray
    frames: np.ndarray
    frame_traces: np.ndarray
    num_frames: np.ndarray
    num_nodes: np.ndarray
    num_payloads: np.ndarray
    explores: np.ndarray
    draws: np.ndarray
    decisions_left: np.ndarray
    num_decisions: np.ndarray
    labels: np.ndarray
    decided_in: np.ndarray
    succeeded: np.ndarray
    stopped_at: np.ndarray


def make_forest(rules: CallRules, limits: SearchLimits, rows: int, memory_width: int) -> Forest:
    """An empty forest for so many searches at a time. (Memory is taken when it is first written to.)"""
    nodes, payloads = (rows, limits.nodes), (rows, limits.payloads)
    per_decision = (rows, limits.decisions)

    def whole(*shape: int) -> np.ndarray:
        return np.zeros(shape, np.int32)

    def real(*shape: int) -> np.ndarray:
        return np.zeros(shape, np.float32)

    return Forest(
        parent=whole(*nodes),
        action=whole(*nodes),
        first_child=whole(*nodes),
        num_children=whole(*nodes),
        depth=whole(*nodes),
        payload=whole(*nodes),
        calls=whole(*nodes),
        failed=np.zeros(nodes, np.bool_),
        done=np.zeros(nodes, np.bool_),
        prior=real(*nodes),
        visits=real(*nodes),
        weights=real(*nodes),
        weighted=real(*nodes),
        states=np.zeros((*payloads, rules.library.state_size)),
        memories=real(*payloads, memory_width),
        traces=np.zeros((*payloads, limits.trace), np.int16),
        trace_lengths=np.zeros(payloads, np.int16),
        frames=whole(rows, limits.frames, _FRAME_COLUMNS),
        frame_traces=np.zeros((rows, limits.frames, limits.trace), np.int16),
        num_frames=whole(rows),
        num_nodes=whole(rows),
        num_payloads=whole(rows),
        explores=np.zeros(rows, np.bool_),
        draws=np.zeros(per_decision),
        decisions_left=whole(rows),
        num_decisions=whole(rows),
        labels=real(*per_decision, rules.num_actions),
        decided_in=whole(*per_decision),
        succeeded=np.zeros(rows, np.bool_),
        stopped_at=whole(rows),
    )
