from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.compositional_minigrid import CompositionalMiniGridTask, CompositionalMiniGridTaskSpace
from procgen_bench.tasks.compositional_minigrid.subtasks import SUBTASKS, things_in_room
from tests.tasks.compositional_minigrid.strategies import parameters, present, room, tasks
from tests.tasks.compositional_minigrid.workflows import design_workflow, global_workflow

SPACE = CompositionalMiniGridTaskSpace()


def expected_task(params) -> CompositionalMiniGridTask:
    """The placement rule in plain Python: agent, goal, key, door, ball, box; a taken tile gives way to the next."""
    here = present(params["subtasks"])
    tiles: dict[str, int] = {}
    for name, (x, y) in zip(("agent", "goal", "key", "door", "ball", "box"), params["coordinates"].tolist()):
        if name in ("agent", "goal") or here[("key", "door", "ball", "box").index(name)]:
            tile = 6 * min(int(y), 5) + min(int(x), 5)
            while tile in tiles.values():
                tile = (tile + 1) % 36
            tiles[name] = tile
    order = [tiles.get(name, 0) for name in ("agent", "key", "door", "ball", "box", "goal")]
    return room(params["subtasks"], order, int(params["direction"][0]), params["colours"])


@given(parameters)
def test_decode_follows_the_placement_rule_and_gives_valid_tasks(params):
    task = SPACE.decode(params)
    task.validate()
    assert task == expected_task(params)


@given(tasks(), st.integers(0, 2**32))
def test_mutation_stays_valid_and_changes_one_thing(task, seed):
    neighbour = SPACE.mutate(task, np.random.default_rng(seed))
    neighbour.validate()
    assert SPACE.mutate(task, np.random.default_rng(seed)) == neighbour
    if (neighbour.subtasks != task.subtasks).any():
        assert (neighbour.subtasks != task.subtasks).sum() == 1
        assert np.array_equal(neighbour.agent, task.agent)
        return
    changes = int((neighbour.agent[:2] != task.agent[:2]).any()) + int(neighbour.agent[2] != task.agent[2])
    changes += int((neighbour.colours != task.colours).sum())
    moved = (neighbour.places != task.places).any(axis=1).sum()
    # One that moves to a taken tile may push on those that are placed after it.
    assert changes <= 1 and (moved <= 1 or changes == 0 or (neighbour.agent[:2] != task.agent[:2]).any())


def test_mutation_reaches_every_field():
    task, rng = SPACE.suite("test")["key+door+ball+box+drop-0"], np.random.default_rng(1)
    reached = {name: np.zeros(getattr(task, name).shape, bool) for name in ("subtasks", "agent", "places", "colours")}
    for _ in range(1_000):
        neighbour = SPACE.mutate(task, rng)
        for name, seen in reached.items():
            seen |= getattr(neighbour, name) != getattr(task, name)
    assert all(seen.all() for seen in reached.values())


def test_solvable_samples_are_of_every_design():
    tasks = SPACE.draw_solvable(np.random.default_rng(3), 200)
    assert len({tuple(task.subtasks) for task in tasks}) == 32


def test_a_placement_can_be_drawn_for_a_design():
    design = np.array([0, 1, 0, 0, 1], np.int8)
    drawn = [SPACE.sample_placement(design, np.random.default_rng(seed)) for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]
    for task in drawn:
        task.validate()
        assert np.array_equal(task.subtasks, design)


TEXT = """
    subtasks: pick up key, open door, drop ball in box, reach goal
    key: yellow
    ball: blue
    box: grey
    ########
    #...K..#
    #.D....#
    #......#
    #..<...#
    #.OB...#
    #.....G#
    ########"""
EMPTY_ROOM = "\n".join(["########", "#>....G#", *["#......#"] * 5, "########"])


def test_text_shows_everything_in_its_place():
    task = CompositionalMiniGridTask.from_text(TEXT)
    assert task.subtasks.tolist() == [1, 1, 0, 0, 1]
    assert task.agent.tolist() == [3, 4, 2]
    assert task.places.tolist() == [[4, 1], [2, 2], [2, 5], [3, 5], [6, 6]]
    assert task.colours.tolist() == [4, 2, 5]
    assert task.to_text().split() == TEXT.split()


def test_a_goal_alone_is_a_task():
    task = CompositionalMiniGridTask.from_text("subtasks: reach goal\n" + EMPTY_ROOM)
    assert not task.subtasks.any() and task.asked() == ["reach goal"]
    assert task.places.tolist() == [[-1, -1]] * 4 + [[6, 1]]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "map is [], expected 8 lines of 8 symbols, walls around"),
        (EMPTY_ROOM, "line is 'subtasks (missing)', expected 'subtasks: ..., reach goal' before the map"),
        (EMPTY_ROOM[:-9], "map is "),
        (TEXT.replace("#..<...#", "#..<..#"), "expected 8 lines of 8 symbols, walls around"),
        (TEXT.replace("#..<...#", "...<...#"), "expected 8 lines of 8 symbols, walls around"),
        (TEXT.replace("#..<...#", "#..<..x#"), "symbol in line 5 of the map is 'x', expected one of .KDOBG>v<^"),
        (TEXT.replace("#..<...#", "#..<..K#"), "second symbol in line 5 of the map is 'K', expected each at most once"),
        (TEXT.replace("#..<...#", "#..<..>#"), "agents on the map is '<>', expected exactly one of >v<^"),
        (TEXT.replace("#..<...#", "#......#"), "agents on the map is '', expected exactly one of >v<^"),
        (TEXT.replace("D", "."), "place of door is (-1, -1), expected x and y in [1, 6]"),
        (TEXT.replace("open door, ", "").replace("pick up key, ", ""), "place of key is (4, 1), expected (-1, -1)"),
        (TEXT.replace("key: yellow", "key: pink"), "colour of key is 'pink', expected one of ['red', "),
        (TEXT.replace("key: yellow", "door: yellow"), "line is 'door: yellow', expected each of ['subtasks', "),
        (TEXT.replace("key: yellow", "ball: yellow"), "line is 'ball: blue'"),
        (TEXT.replace("key: yellow", ""), "line is ''"),
        (TEXT.replace("    key: yellow\n", ""), "colour of key is -1, expected 0 to 5"),
        (TEXT.replace("open door", "open window"), "subtask is 'open window', expected each of ['pick up key', "),
        (TEXT.replace("open door", "pick up key"), "subtask is 'pick up key', expected each of "),
        (TEXT.replace(", reach goal", ""), "last subtask is 'drop ball in box', expected 'reach goal'"),
    ],
)
def test_bad_text_is_refused(text, part):
    with pytest.raises(InvalidTaskError) as caught:
        CompositionalMiniGridTask.from_text(text)
    assert part in str(caught.value) and "\n" not in str(caught.value)


def changed(**changes) -> CompositionalMiniGridTask:
    task = CompositionalMiniGridTask.from_text(TEXT)
    fields = {name: getattr(task, name).copy() for name in ("subtasks", "agent", "places", "colours")}
    for name, (index, value) in changes.items():
        fields[name][index] = value
    return CompositionalMiniGridTask(**fields)


@pytest.mark.parametrize(
    ("task", "part"),
    [
        (changed(subtasks=(2, 2)), "subtask 'pick up ball' is 2, expected 0 (not asked) or 1 (asked)"),
        (changed(agent=(2, 4)), "agent's direction is 4, expected 0 (right), 1 (down), 2 (left) or 3 (up)"),
        (changed(agent=(0, 7)), "place of agent is (7, 4), expected x and y in [1, 6]"),
        (changed(places=(0, (3, 4))), "place of key is (3, 4), expected a tile not taken by the agent"),
        (changed(places=(4, (2, 2))), "place of goal is (2, 2), expected a tile not taken by the door"),
        (changed(places=(3, (0, 2))), "place of box is (0, 2)"),
        (changed(places=(4, (-1, -1))), "place of goal is (-1, -1), expected x and y in [1, 6]"),
        (changed(colours=(1, 6)), "colour of ball is 6, expected 0 to 5"),
        (changed(subtasks=(4, 0)), "place of ball is (2, 5), expected (-1, -1): no subtask needs it"),
    ],
)
def test_invalid_task_is_refused(task, part):
    with pytest.raises(InvalidTaskError) as caught:
        task.validate()
    assert part in str(caught.value) and "\n" not in str(caught.value)


def test_the_colour_of_what_is_not_there_is_refused():
    task = CompositionalMiniGridTask.from_text("subtasks: reach goal\n" + EMPTY_ROOM)
    with pytest.raises(InvalidTaskError, match="colour of box is 0, expected -1: no subtask needs it"):
        CompositionalMiniGridTask(task.subtasks, task.agent, task.places, np.array([-1, -1, 0], np.int8)).validate()


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
