from itertools import product

import networkx as nx
import pytest

from procgen_bench.tasks.compositional_minigrid.subtasks import SUBTASKS, things_in_room
from tests.tasks.compositional_minigrid.strategies import present
from tests.tasks.compositional_minigrid.workflows import design_workflow, global_workflow

DESIGNS = list(product((0, 1), repeat=5))


def test_the_global_workflow_is_the_papers():
    edges = {
        ("pick up key", "open door"),
        ("pick up ball", "drop ball in box"),
        ("open box", "drop ball in box"),
        ("open door", "reach goal"),
        ("drop ball in box", "reach goal"),
    }
    assert set(global_workflow().edges) == edges


@pytest.mark.parametrize("design", DESIGNS)
def test_a_design_holds_what_it_asks_and_needs_in_order(design):
    workflow, whole = design_workflow(design), global_workflow()
    asked = {name for name, wanted in zip(SUBTASKS, design) if wanted}
    assert {name for name, wanted in workflow.nodes(data="asked") if wanted} == asked | {"reach goal"}
    needed = asked.union(*(nx.ancestors(whole, name) for name in asked))
    assert set(workflow) == needed | {"reach goal"}
    assert nx.is_directed_acyclic_graph(workflow)
    assert nx.ancestors(workflow, "reach goal") == needed
    for one, other in product(needed, repeat=2):
        assert nx.has_path(workflow, one, other) == nx.has_path(whole, one, other)


def test_figure_12s_sample_design():
    workflow = design_workflow([1, 0, 1, 1, 0])
    assert set(workflow.edges) == {(name, "reach goal") for name in ("pick up key", "pick up ball", "open box")}


def test_what_is_needed_but_not_asked_is_marked():
    workflow = design_workflow([0, 0, 0, 0, 1])
    assert dict(workflow.nodes(data="asked")) == {
        "pick up ball": False,
        "open box": False,
        "drop ball in box": True,
        "reach goal": True,
    }


@pytest.mark.parametrize("design", DESIGNS)
def test_a_design_brings_the_things_that_it_needs(design):
    assert things_in_room(design).tolist() == present(design)
