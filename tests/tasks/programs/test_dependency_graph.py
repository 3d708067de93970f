import networkx
import pytest

from procgen_bench.tasks.programs import PROGRAMS, dependency_graph


def test_programs_call_lower_levels_only():
    graph = dependency_graph(PROGRAMS)
    assert set(graph) == set(PROGRAMS)
    assert networkx.is_directed_acyclic_graph(graph)
    for caller, called in graph.edges:
        assert PROGRAMS[called].level < PROGRAMS[caller].level
    assert graph.out_degree("Stack_0_1") == 0
    assert graph.out_degree("Stack_All_Blocks") == 20
    assert graph.out_degree("Clean_And_Stack") == 25


def test_plans_are_part_of_the_graph():
    graph = dependency_graph(PROGRAMS)
    planned = {edge for edge in graph.edges if graph.edges[edge]["is_planned"]}
    assert planned == {(program.name, name) for program in PROGRAMS.values() for name in program.calls}
    assert ("Clean_And_Stack", "Stack_All_To_Zone_BLUE") in planned
    assert ("Stack_All_To_Zone_BLUE", "Stack_3_2") in planned
    assert ("Stack_All_To_Zone_BLUE", "Stack_3_1") not in planned


def test_every_plan_comes_down_to_atomic_programs():
    graph = dependency_graph(PROGRAMS)
    for program in PROGRAMS.values():
        atomic = [name for name in networkx.descendants(graph, program.name) if PROGRAMS[name].is_atomic]
        assert program.is_atomic or atomic
        assert 1 <= program.most_atomic_calls <= 4


def test_graph_is_nobodys_to_change():
    with pytest.raises(networkx.NetworkXError, match=r"[Ff]rozen"):
        dependency_graph(PROGRAMS).remove_node("Stack_0_1")
