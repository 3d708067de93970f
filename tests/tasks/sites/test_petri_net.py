import networkx
import pytest
from hypothesis import given, settings

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.sites import PRIMITIVES, SiteDesign
from procgen_bench.tasks.sites.petri_net import (
    END,
    ENTRANCE,
    START,
    expert_sequence,
    fire,
    nodes_of,
    petri_net,
    start_marking,
)
from procgen_bench.tasks.sites.petri_net_checks import (
    check_acyclic,
    check_has_gate,
    check_net,
    check_only_active_before_gates,
    check_primitives_are_reachable,
    check_sequence_ends,
)
from tests.tasks.sites.makers import SPACE, designs

DESIGN = SiteDesign.from_text("city deck next_login next_checkout\nsubmit cc navbar")


@settings(max_examples=50)
@given(designs())
def test_every_design_s_net_is_a_learnable_task(design):
    net = petri_net(design)
    check_net(net, expert_sequence(design))
    assert len(nodes_of(net, "transition")) + len(nodes_of(net, "gate")) == 1 + len(design.pairs)
    assert len(expert_sequence(design)) == 1 + design.num_steps
    for before, after in net.edges:
        assert (net.nodes[before]["kind"] == "place") != (net.nodes[after]["kind"] == "place"), "the net is bipartite"


@pytest.mark.parametrize("name", SPACE.suite_names)
def test_suites_are_learnable_tasks(name):
    for design in {task.design for task in SPACE.suite(name)}:
        check_net(petri_net(design), expert_sequence(design))


def test_net_of_two_pages():
    net = petri_net(DESIGN)
    gates = ["gate: page 0: next_login", "gate: page 0: next_checkout"]
    assert nodes_of(net, "gate") == [ENTRANCE, *gates, "gate: page 1: submit"]
    assert nodes_of(net, "transition") == ["page 0: city", "page 0: deck", "page 1: cc", "page 1: navbar"]
    for gate in gates:
        assert set(net.predecessors(gate)) == {"page 0", "page 0: city, after"}
        assert set(net.successors(gate)) == {"page 1", "page 1: cc, before", "page 1: navbar, before"}
    assert not list(net.successors("page 0: deck, after"))
    colours = {node: colour for node, colour in net.nodes(data="colour") if colour}
    assert colours == {
        f"{t}{p}": f for t, f in (("page 0: city", "city"), ("page 1: cc", "cc")) for p in ("", ", after")
    }


def test_token_game():
    net = petri_net(DESIGN)
    marking = start_marking(net)
    assert marking == {START: 1}
    marking = fire(net, marking, ENTRANCE)
    assert marking == {"page 0": 1, "page 0: city, before": 1, "page 0: deck, before": 1}
    with pytest.raises(InvalidTaskError, match="'page 0: city, after' holds no token"):
        fire(net, marking, "gate: page 0: next_login")
    marking = fire(net, fire(net, marking, "page 0: deck"), "page 0: city")
    with pytest.raises(InvalidTaskError, match="'page 0: city, before' holds no token"):
        fire(net, marking, "page 0: city")
    marking = fire(net, marking, "gate: page 0: next_checkout")
    with pytest.raises(InvalidTaskError, match="'page 0' holds no token"):
        fire(net, marking, "gate: page 0: next_login")
    marking = fire(net, fire(net, marking, "page 1: cc"), "gate: page 1: submit")
    assert marking == {END: 1, "page 0: deck, after": 1, "page 1: navbar, before": 1}
    for wrong in (START, "page 2: city"):
        with pytest.raises(InvalidTaskError, match="expected a transition of the net"):
            fire(net, marking, wrong)


def test_button_of_another_kind_is_no_gate():
    net = petri_net(SiteDesign.from_text("city submit next_login\nstate next_login submit"))
    assert nodes_of(net, "gate") == [ENTRANCE, "gate: page 0: next_login", "gate: page 1: submit"]
    assert not net.nodes["page 0: submit"]["active"] and not net.nodes["page 1: next_login"]["active"]


def without_gates(net: networkx.DiGraph) -> None:
    net.remove_nodes_from([gate for gate in nodes_of(net, "gate") if gate != ENTRANCE])


def passive_before_gate(net: networkx.DiGraph) -> None:
    net.add_edge("page 0: deck, after", "gate: page 0: next_login")


def active_not_before_gate(net: networkx.DiGraph) -> None:
    net.remove_edge("page 1: cc, after", "gate: page 1: submit")


def cycle(net: networkx.DiGraph) -> None:
    net.add_edge("gate: page 1: submit", "page 0")


def cut_off(net: networkx.DiGraph) -> None:
    net.remove_edges_from([(gate, "page 1: navbar, before") for gate in nodes_of(net, "gate")])


def cut_off_end(net: networkx.DiGraph) -> None:
    net.remove_edge("gate: page 1: submit", END)


def primitive_before_all_gates(net: networkx.DiGraph) -> None:
    net.remove_edge(ENTRANCE, "page 0: deck, before")
    net.add_edge(START, "page 0: deck")


@pytest.mark.parametrize(
    ("damage", "check", "part"),
    [
        (without_gates, check_has_gate, "gates of the net is [], expected at least one that leads to the end"),
        (cut_off_end, check_has_gate, "expected at least one that leads to the end"),
        (cycle, check_acyclic, "cycle of the net is 'page 0 -> "),
        (cut_off, check_primitives_are_reachable, "node of the net is 'page 1: navbar', expected one that can be reac"),
        (cut_off_end, check_primitives_are_reachable, "node of the net is 'end'"),
        (primitive_before_all_gates, check_primitives_are_reachable, "is 'page 0: deck', expected one behind a gate"),
        (passive_before_gate, check_only_active_before_gates, "is 'page 0: deck', expected no gate behind a passive"),
        (active_not_before_gate, check_only_active_before_gates, "is 'page 1: cc', expected a gate behind it"),
    ],
)
def test_damaged_nets_are_refused(damage, check, part):
    net = petri_net(DESIGN)
    check(net)
    damage(net)
    with pytest.raises(InvalidTaskError) as caught:
        check(net)
    assert part in str(caught.value)
    with pytest.raises(InvalidTaskError):
        check_net(net, expert_sequence(DESIGN))


def test_other_sequences_do_not_end():
    net, sequence = petri_net(DESIGN), expert_sequence(DESIGN)
    with pytest.raises(InvalidTaskError, match="final marking"):
        check_sequence_ends(net, sequence[:-1])
    for missing in range(len(sequence) - 1):
        with pytest.raises(InvalidTaskError, match="holds no token"):
            check_sequence_ends(net, sequence[:missing] + sequence[missing + 1 :])


def test_skipped_work_is_seen_even_where_no_gate_waits_for_it():
    net = petri_net(DESIGN)
    active_not_before_gate(net)
    sequence = [one for one in expert_sequence(DESIGN) if one != "page 1: cc"]
    with pytest.raises(InvalidTaskError, match="final marking"):
        check_sequence_ends(net, sequence)


def test_only_active_primitives_have_a_colour():
    net = petri_net(DESIGN)
    for node in nodes_of(net, "transition"):
        assert net.nodes[node]["colour"] == PRIMITIVES[net.nodes[node]["primitive"]].field
