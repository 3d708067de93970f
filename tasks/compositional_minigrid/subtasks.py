"""The subtasks, and the order in which the global workflow allows them (figure 12)."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from networkx import DiGraph

PICK_UP_KEY, OPEN_DOOR, PICK_UP_BALL, OPEN_BOX, DROP_BALL = range(5)
SUBTASKS = ("pick up key", "open door", "pick up ball", "open box", "drop ball in box")
NUM_SUBTASKS = len(SUBTASKS)
#: Always there, after all others.
REACH_GOAL = "reach goal"

#: (earlier, later): the later subtask cannot be done before the earlier one.
DEPENDENCIES = ((PICK_UP_KEY, OPEN_DOOR), (PICK_UP_BALL, DROP_BALL), (OPEN_BOX, DROP_BALL))

KEY, DOOR, BALL, BOX, GOAL = range(5)
THINGS = ("key", "door", "ball", "box", "goal")
NUM_THINGS = len(THINGS)
_THING_OF_SUBTASK = {PICK_UP_KEY: KEY, OPEN_DOOR: DOOR, PICK_UP_BALL: BALL, OPEN_BOX: BOX}


def things_of(subtask: int) -> set[int]:
    """The things that a subtask needs in the room: its own, and those of the subtasks that it depends on."""
    own = {_THING_OF_SUBTASK[subtask]} if subtask in _THING_OF_SUBTASK else set()
    return own.union(*(things_of(earlier) for earlier, later in DEPENDENCIES if later == subtask))


#: bool (subtasks, things): what each subtask brings into the room. The goal is always there.
BROUGHT = np.array([[thing in things_of(subtask) for thing in range(NUM_THINGS)] for subtask in range(NUM_SUBTASKS)])


def things_in_room(subtasks: np.ndarray) -> np.ndarray:
    """bool (5,): the things that a design (0 or 1 for every subtask) brings into the room, the goal included."""
    present = (BROUGHT & (np.asarray(subtasks) != 0)[:, np.newaxis]).any(axis=0)
    present[GOAL] = True
    return present


def global_workflow() -> "DiGraph":
    """Figure 12 (a) as a graph whose nodes are the subtasks' names and whose edges go from earlier to later."""
    from networkx import DiGraph

    workflow = DiGraph([(SUBTASKS[earlier], SUBTASKS[later]) for earlier, later in DEPENDENCIES])
    workflow.add_edges_from((subtask, REACH_GOAL) for subtask in SUBTASKS if not workflow.out_degree(subtask))
    return workflow


def design_workflow(subtasks: np.ndarray) -> "DiGraph":
    """The workflow of a design, ``subtasks`` int8 (5,), 0 or 1 (figure 12 (b)): its subtasks and those that they depend
    on.

    Nodes have the attribute ``asked`` (bool). What a design does not ask but needs must be done all the same, and earns
    nothing: a door is always locked, a box always closed, and a ball always on the floor.
    """
    from networkx import ancestors

    whole = global_workflow()
    asked = {name for name, wanted in zip(SUBTASKS, subtasks, strict=True) if wanted} | {REACH_GOAL}
    needed = asked.union(*(ancestors(whole, name) for name in asked - {REACH_GOAL}))
    design = whole.subgraph(needed).copy()
    design.add_edges_from((name, REACH_GOAL) for name in needed - {REACH_GOAL} if not design.out_degree(name))
    for name in design:
        design.nodes[name]["asked"] = name in asked
    return design
