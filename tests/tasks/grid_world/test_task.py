import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.grid_world import GridWorldTask

TEXT = """
    .......G
    ........
    ..#~....
    ........
    ....A...
    ........
    a.......
    .......B"""


def test_text_shows_every_symbol_in_its_place():
    task = GridWorldTask.from_text(TEXT)
    assert task.tiles[2].tolist() == [0, 0, 1, 2, 0, 0, 0, 0]
    assert task.objects.tolist() == [[8, 1], [5, 5], [8, 8], [1, 7], [-1, -1]]
    assert task.to_text().split() == TEXT.split()


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "expected 8 lines of 8 symbols"),
        ("........\n" * 7, "expected 8 lines of 8 symbols"),
        ("........\n" * 7 + ".......", "expected 8 lines of 8 symbols"),
        ("........\n" * 7 + ".......x", "symbol in line 8 is 'x', expected one of .#~GABab"),
        ("G.......\n" * 2 + "........\n" * 6, "second symbol in line 2 is 'G', expected each object at most once"),
    ],
)
def test_bad_text_is_refused(text, part):
    with pytest.raises(InvalidTaskError) as caught:
        GridWorldTask.from_text(text)
    assert part in str(caught.value) and "\n" not in str(caught.value)


def changed(**changes) -> GridWorldTask:
    task = GridWorldTask.from_text(TEXT)
    fields = {"tiles": task.tiles.copy(), "objects": task.objects.copy()}
    for name, (index, value) in changes.items():
        fields[name][index] = value
    return GridWorldTask(**fields)


@pytest.mark.parametrize(
    ("task", "part"),
    [
        (changed(tiles=((3, 4), 3)), "tiles[3, 4] is 3, expected 0 (empty), 1 (wall) or 2 (lava)"),
        (changed(tiles=((3, 4), -1)), "tiles[3, 4] is -1"),
        (changed(objects=(0, (0, 5))), "position of goal is (0, 5), expected x and y in [1, 8]"),
        (changed(objects=(4, (5, 9))), "position of key 2 is (5, 9)"),
        (changed(objects=(3, (-1, 4))), "position of key 1 is (-1, 4)"),
        (changed(objects=(2, (8, 1))), "position of door 2 is (8, 1), expected a tile not taken by goal"),
        (changed(objects=(4, (3, 3))), "tile under key 2 is 1, expected 0 (empty)"),
    ],
)
def test_invalid_task_is_refused(task, part):
    with pytest.raises(InvalidTaskError) as caught:
        task.validate()
    assert part in str(caught.value) and "\n" not in str(caught.value)
