import networkx as nx
import numpy as np
import pytest

from procgen_bench.tasks.compositional_minigrid import (
    HORIZON,
    CompositionalMiniGridTask,
    CompositionalMiniGridTaskSpace,
)
from procgen_bench.tasks.compositional_minigrid.layout import all_within_reach, draw_task
from procgen_bench.tasks.compositional_minigrid.subtasks import SUBTASKS
from procgen_bench.tasks.compositional_minigrid.suites import design_name, designs
from tests.tasks.compositional_minigrid.reference_room import ReferenceRoom
from tests.tasks.compositional_minigrid.strategies import crowded_rooms
from tests.tasks.compositional_minigrid.workflows import design_workflow

SPACE = CompositionalMiniGridTaskSpace()


def assert_solves(task: CompositionalMiniGridTask, actions: np.ndarray) -> None:
    room = ReferenceRoom(task)
    state, at_goal = room.start, False
    for action in actions.tolist():
        assert not at_goal, "the goal was stepped on before the solution ended"
        state, at_goal = room.step(state, action)
    assert at_goal and state[-1] == room.asked


def with_few_states(task: CompositionalMiniGridTask) -> bool:
    """Rooms that plain Python can search: a key or a ball, not both."""
    return -1 in (task.places[0, 0], task.places[2, 0])


def test_solutions_are_as_short_as_an_exhaustive_search_finds():
    suite = SPACE.suite("test")
    rooms = [task for task in (*suite.tasks[::22], *crowded_rooms(100, seed=2, share=0.4)) if with_few_states(task)]
    for task in rooms:
        actions, length = SPACE.solve(task), ReferenceRoom(task).shortest_length()
        assert (None if actions is None else len(actions)) == length, task.to_text()
        if actions is not None:
            assert_solves(task, actions)
    assert len(rooms) > 30


@pytest.mark.slow
def test_every_solution_is_as_short_as_an_exhaustive_search_finds():
    for task in [*SPACE.suite("test").tasks[600::10], *crowded_rooms(10, seed=5)]:
        actions, length = SPACE.solve(task), ReferenceRoom(task).shortest_length()
        assert (None if actions is None else len(actions)) == length, task.to_text()


def room(*rows: str, header: str) -> CompositionalMiniGridTask:
    lines = [f"#{row.ljust(6, '.')}#" for row in rows] + ["#......#"] * (6 - len(rows))
    return CompositionalMiniGridTask.from_text("\n".join([header, "########", *lines, "########"]))


@pytest.mark.parametrize(
    ("task", "length"),
    [
        (room(">G", header="subtasks: reach goal"), 1),
        (room(">.G", header="subtasks: reach goal"), 2),
        (room("<.G", header="subtasks: reach goal"), 4),
        (room(">K", "G", header="subtasks: pick up key, reach goal\nkey: red"), 3),
        (room(">K", ".D", "G", header="subtasks: open door, reach goal\nkey: red"), 7),
        (room("G>OB", header="subtasks: drop ball in box, reach goal\nball: red\nbox: red"), 8),
    ],
)
def test_short_solutions(task, length):
    actions = SPACE.solve(task)
    assert_solves(task, actions)
    assert len(actions) == length == ReferenceRoom(task).shortest_length()


@pytest.mark.parametrize(
    "task",
    [
        room(">G", "BK", header="subtasks: pick up key, open box, reach goal\nkey: red\nbox: red"),
        room(">D", "G.", "..K", header="subtasks: open door, reach goal\nkey: red"),
    ],
    ids=["the goal and a box shut the key off", "the goal and the door shut the key off"],
)
def test_what_is_shut_off_is_unsolvable(task):
    assert SPACE.solve(task) is None
    assert ReferenceRoom(task).shortest_length() is None
    assert not all_within_reach(task.agent, task.places)


def test_a_key_in_the_way_can_be_put_aside():
    header = "subtasks: pick up key, pick up ball, open box, reach goal\nkey: red\nball: red\nbox: red"
    task = room(">K.O", "B", "...G", header=header)
    assert not all_within_reach(task.agent, task.places)
    assert_solves(task, SPACE.solve(task))


def test_drawn_tasks_are_valid_within_reach_and_solvable():
    stream = np.uint64(11)
    subtasks, agent, places = np.zeros(5, np.int8), np.zeros(3, np.int8), np.zeros((5, 2), np.int8)
    colours = np.zeros(3, np.int8)
    lengths = []
    for _ in range(150):
        stream = np.uint64(draw_task(stream, subtasks, agent, places, colours))
        task = CompositionalMiniGridTask(subtasks, agent, places, colours)
        task.validate()
        assert all_within_reach(task.agent, task.places)
        lengths.append(len(SPACE.solve(task)))
    assert min(lengths) > 0 and max(lengths) < HORIZON / 4


def test_draws_are_uniform():
    """Designs, the agent's tiles, directions and colours all come up, and about equally often."""
    stream, count = np.uint64(12), 20_000
    subtasks, agent, places = np.zeros(5, np.int8), np.zeros(3, np.int8), np.zeros((5, 2), np.int8)
    colours = np.zeros(3, np.int8)
    drawn = np.zeros((count, 4), np.int64)
    for k in range(count):
        stream = np.uint64(draw_task(stream, subtasks, agent, places, colours))
        drawn[k] = subtasks @ (1 << np.arange(5)), agent[2], colours[0], 6 * (places[4, 1] - 1) + places[4, 0] - 1
    for column, number in enumerate((32, 4)):
        shares = np.bincount(drawn[:, column], minlength=number) / count
        assert len(shares) == number and np.allclose(shares, 1 / number, rtol=0.15)
    keys = drawn[drawn[:, 2] >= 0, 2]
    assert np.allclose(np.bincount(keys, minlength=6) / len(keys), 1 / 6, rtol=0.1)
    goals = np.bincount(drawn[:, 3], minlength=36) / count
    assert len(goals) == 36 and np.allclose(goals, 1 / 36, rtol=0.35)


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
