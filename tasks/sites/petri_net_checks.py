"""What makes a Petri net a learnable task (CoDE, A.1): each check names the first node that fails it."""

from collections.abc import Iterable

import networkx

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.sites.petri_net import END, ENTRANCE, START, fire, nodes_of, start_marking


def check_net(net: networkx.DiGraph, sequence: Iterable[str]) -> None:
    """All checks; ``sequence`` is how the task is solved.

    Raises:
        InvalidTaskError: The net fails one of them.
    """
    check_has_gate(net)
    check_acyclic(net)
    check_primitives_are_reachable(net)
    check_only_active_before_gates(net)
    check_sequence_ends(net, sequence)


def check_has_gate(net: networkx.DiGraph) -> None:
    """Raise :class:`InvalidTaskError` unless there is a gate besides the entrance, and one leads to the end."""
    gates = [gate for gate in nodes_of(net, "gate") if gate != ENTRANCE]
    if not any(net.has_edge(gate, END) for gate in gates):
        raise InvalidTaskError("gates of the net", gates, "at least one that leads to the end")


def check_acyclic(net: networkx.DiGraph) -> None:
    """Raise :class:`InvalidTaskError` where something has to come before itself."""
    if not networkx.is_directed_acyclic_graph(net):
        cycle = [node for node, _ in networkx.find_cycle(net)]
        raise InvalidTaskError("cycle of the net", " -> ".join(cycle), "no cycle")


def check_primitives_are_reachable(net: networkx.DiGraph) -> None:
    """Raise :class:`InvalidTaskError` unless every primitive, and the end, follows from the first token by way of a
    gate."""
    reached = networkx.descendants(net, START)
    for node in (*nodes_of(net, "transition"), *nodes_of(net, "gate"), END):
        if node not in reached:
            raise InvalidTaskError("node of the net", node, "one that can be reached from the start")
    for node in nodes_of(net, "transition"):
        if not any(net.nodes[before]["kind"] == "gate" for before in networkx.ancestors(net, node)):
            raise InvalidTaskError("node of the net", node, "one behind a gate")


def check_only_active_before_gates(net: networkx.DiGraph) -> None:
    """Raise :class:`InvalidTaskError` where a gate waits for a passive primitive, or an active one is not waited
    for."""
    before_gates = set().union(*(networkx.ancestors(net, gate) for gate in nodes_of(net, "gate")))
    for node in nodes_of(net, "transition"):
        if net.nodes[node]["active"] != (node in before_gates):
            expected = "a gate behind it" if net.nodes[node]["active"] else "no gate behind a passive primitive"
            raise InvalidTaskError("node of the net", node, expected)


def check_sequence_ends(net: networkx.DiGraph, sequence: Iterable[str]) -> None:
    """Fired one after the other, the transitions bring a token to the end, and leave none where work is to be done.

    Raises:
        InvalidTaskError: They do not, or one of them cannot be fired.
    """
    marking = start_marking(net)
    for transition in sequence:
        marking = fire(net, marking, transition)
    waiting = [place for place in marking if any(net.nodes[t].get("active") for t in net.successors(place))]
    if marking[END] != 1 or waiting:
        raise InvalidTaskError("final marking", dict(marking), "one token at the end, none before an active primitive")
