"""Figure 12 as graphs: the order in which the subtasks can be done, of all of them and of a design."""

import numpy as np
from networkx import DiGraph, ancestors

from procgen_bench.tasks.compositional_minigrid.subtasks import DEPENDENCIES, REACH_GOAL, SUBTASKS


def global_workflow() -> DiGraph:
    """Figure 12 (a) as a graph whose nodes are the subtasks' names and whose edges go from earlier to later."""
    workflow = DiGraph([(SUBTASKS[earlier], SUBTASKS[later]) for earlier, later in DEPENDENCIES])
    workflow.add_edges_from((subtask, REACH_GOAL) for subtask in SUBTASKS if not workflow.out_degree(subtask))
    return workflow


def design_workflow(subtasks: np.ndarray) -> DiGraph:
    """The workflow of a design (figure 12 (b)): its subtasks and those that they depend on.

    Nodes have the attribute ``asked`` (bool). What a design does not ask but needs must be done all the same, and earns
    nothing: a door is always locked, a box always closed, and a ball always on the floor.
    """
    whole = global_workflow()
    asked = {name for name, wanted in zip(SUBTASKS, subtasks, strict=True) if wanted} | {REACH_GOAL}
    needed = asked.union(*(ancestors(whole, name) for name in asked - {REACH_GOAL}))
    design = whole.subgraph(needed).copy()
    design.add_edges_from((name, REACH_GOAL) for name in needed - {REACH_GOAL} if not design.out_degree(name))
    for name in design:
        design.nodes[name]["asked"] = name in asked
    return design
