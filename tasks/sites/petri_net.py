"""The coloured Petri net of a design (CoDE, A.1): what has to be done before which gate opens.

Places hold tokens; a transition whose places before it all hold one may fire, which takes a token from each of them and
puts one into every place after it. Colours are the fields of the instruction: a token of colour ``city`` is a city that
has been filled in; a token without a colour is nothing but a mark.

The net of a page: the gate before it puts a token into the page's place and into the first place of every primitive.
Each primitive is a workflow *first place -> transition -> last place*; the transition of an active one gives its token
the field's colour. The page's gates take the page's token and the last tokens of all active primitives. Behind passive
primitives nothing follows. A page with several buttons to the next one has as many gates, of which one can fire.
"""

from collections import Counter

import networkx

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.sites.design import SiteDesign
from procgen_bench.tasks.sites.primitive import Primitive

#: The first place, which holds the first token; the gate behind it, to the first page; the place of a submitted site.
START, ENTRANCE, END = "start", "gate: entrance", "end"

Marking = Counter[str]


def petri_net(design: SiteDesign) -> networkx.DiGraph:
    """The net of a valid design.

    Nodes are named after page and primitive, e.g. ``"page 0: city"`` (the transition), ``"page 0: city, before"`` and
    ``"page 0: city, after"`` (its places), ``"page 0"`` and ``"gate: page 0: next_login"``. Their attributes:

    - ``kind``: ``"place"``, ``"transition"`` or ``"gate"`` (the transitions that complete a page).
    - ``colour``: of places and transitions, the field; empty where there is none.
    - ``primitive``: of transitions and gates, its name; empty of the entrance.
    - ``active``: of transitions, whether it makes progress.
    - ``tokens``: of places, how many they hold at first.
    """
    net = networkx.DiGraph()
    _add_place(net, START, tokens=1)
    _add_place(net, END)
    net.add_node(ENTRANCE, kind="gate", primitive="")
    net.add_edge(START, ENTRANCE)
    gates_before = [ENTRANCE]
    for number, page in enumerate(design.pages):
        primitives = [design.known[name] for name in page]
        gates_before = _add_page(net, number, primitives, gates_before, last=number + 1 == len(design.pages))
    net.add_edges_from((gate, END) for gate in gates_before)
    return net


def nodes_of(net: networkx.DiGraph, kind: str) -> list[str]:
    """The nodes of a kind, in the order in which they were added."""
    return [node for node, found in net.nodes(data="kind") if found == kind]


def start_marking(net: networkx.DiGraph) -> Marking:
    """How many tokens each place holds at first; places without one are left out."""
    return +Counter(dict(net.nodes(data="tokens", default=0)))


def fire(net: networkx.DiGraph, marking: Marking, transition: str) -> Marking:
    """The marking after a transition has fired.

    Raises:
        InvalidTaskError: There is no such transition, or a place before it holds no token.
    """
    if net.nodes.get(transition, {}).get("kind") not in ("transition", "gate"):
        raise InvalidTaskError("transition", transition, "a transition of the net")
    empty = [place for place in net.predecessors(transition) if not marking[place]]
    if empty:
        raise InvalidTaskError("transition", transition, f"one that may fire: {empty[0]!r} holds no token")
    return marking - Counter(net.predecessors(transition)) + Counter(net.successors(transition))


def expert_sequence(design: SiteDesign) -> list[str]:
    """The transitions that the scripted expert fires: the entrance, then each page's active ones and its first gate."""
    sequence = [ENTRANCE]
    for number, page in enumerate(design.pages):
        last = number + 1 == len(design.pages)
        sequence += [_transition(number, name) for name in page if design.known[name].active]
        sequence.append(_gate(number, next(name for name in page if _is_gate(design.known[name], last))))
    return sequence


def _add_place(net: networkx.DiGraph, name: str, colour: str = "", tokens: int = 0) -> None:
    net.add_node(name, kind="place", colour=colour, tokens=tokens)


def _add_page(
    net: networkx.DiGraph, number: int, page: list[Primitive], gates_before: list[str], last: bool
) -> list[str]:
    """Add a page behind the gates before it; the names of its own gates."""
    shown = f"page {number}"
    _add_place(net, shown)
    net.add_edges_from((gate, shown) for gate in gates_before)
    gates, filled = [], [shown]
    for primitive in page:
        name, field = primitive.name, primitive.field
        if _is_gate(primitive, last):
            net.add_node(_gate(number, name), kind="gate", primitive=name)
            gates.append(_gate(number, name))
            continue
        transition = _transition(number, name)
        before, after = f"{transition}, before", f"{transition}, after"
        _add_place(net, before)
        _add_place(net, after, field)
        net.add_node(transition, kind="transition", colour=field, primitive=name, active=primitive.active)
        networkx.add_path(net, [before, transition, after])
        net.add_edges_from((gate, before) for gate in gates_before)
        if primitive.active:
            filled.append(after)
    net.add_edges_from((place, gate) for place in filled for gate in gates)
    return gates


def _is_gate(primitive: Primitive, last: bool) -> bool:
    return primitive.submits if last else primitive.leaves


def _transition(number: int, name: str) -> str:
    return f"page {number}: {name}"


def _gate(number: int, name: str) -> str:
    return f"gate: page {number}: {name}"
