import networkx as nx
import numpy as np

from procgen_bench.tasks.compositional_minigrid import HORIZON, CompositionalMiniGridTaskSpace
from procgen_bench.tasks.compositional_minigrid.subtasks import SUBTASKS
from procgen_bench.tasks.compositional_minigrid.suites import design_name, designs
from tests.tasks.compositional_minigrid.reference_room import ReferenceRoom
from tests.tasks.compositional_minigrid.workflows import design_workflow

SPACE = CompositionalMiniGridTaskSpace()
SUITE = SPACE.suite("test")


def test_suite_is_every_design_twenty_times_by_size():
    assert len(SUITE) == len(set(SUITE.task_names)) == len(set(SUITE.tasks)) == 32 * 20
    assert np.bincount(SUITE.records["size"]).tolist() == [20 * count for count in (1, 5, 10, 10, 5, 1)]
    assert (np.diff(SUITE.records["size"]) >= 0).all()
    by_design: dict[tuple, int] = {}
    for task, name, size in zip(SUITE, SUITE.task_names, SUITE.records["size"]):
        task.validate()
        assert task.subtasks.sum() == size and name.rpartition("-")[0] == design_name(task.subtasks)
        by_design[tuple(task.subtasks)] = by_design.get(tuple(task.subtasks), 0) + 1
    assert len(by_design) == 32 and set(by_design.values()) == {20}


def test_every_task_is_solved_at_its_recorded_length_in_the_workflows_order():
    for task, length in zip(SUITE, SUITE.records["length"]):
        room, workflow = ReferenceRoom(task), design_workflow(task.subtasks)
        order = list(nx.topological_sort(workflow))
        actions = SPACE.solve(task)
        assert len(actions) == length <= HORIZON / 4
        state, done = room.start, []
        for action in actions.tolist():
            state, at_goal = room.step(state, action)
            done += [SUBTASKS[k] for k in sorted(state[-1]) if SUBTASKS[k] not in done]
        assert at_goal and state[-1] == room.asked
        assert {name for name in order if workflow.nodes[name]["asked"]} == {*done, "reach goal"}
        for place, later in enumerate(done):
            assert not any(nx.has_path(workflow, later, earlier) for earlier in done[:place])


def test_designs_are_named_by_their_subtasks():
    assert [design_name(design) for design in designs()[:7]] == [
        "goal",
        "key",
        "door",
        "ball",
        "box",
        "drop",
        "key+door",
    ]
    assert design_name(designs()[-1]) == "key+door+ball+box+drop"
