"""How the programs of a library depend on each other."""

from functools import cache
from typing import TYPE_CHECKING

from procgen_bench.tasks.programs.library import ProgramLibrary

if TYPE_CHECKING:
    from networkx import DiGraph


@cache
def dependency_graph(library: ProgramLibrary) -> "DiGraph":
    """Which programs call which: an edge from each to all of lower levels, which it may call.

    Nodes are names with the attributes ``level`` and ``is_atomic``; an edge's attribute ``is_planned`` tells whether
    the program is made of the other one (its ``calls``). The graph is shared and frozen.
    """
    from networkx import DiGraph, freeze

    graph = DiGraph()
    for program in library.values():
        graph.add_node(program.name, level=program.level, is_atomic=program.is_atomic)
    for caller in library.values():
        for called in library.values():
            if called.level < caller.level:
                graph.add_edge(caller.name, called.name, is_planned=called.name in caller.calls)
    return freeze(graph)
