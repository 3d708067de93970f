import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.compositional_minigrid import CompositionalMiniGridTask

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
