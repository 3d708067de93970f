import json

import pytest

from procgen_bench.core.task_files import TaskFileError, is_task_file, read_task, write_task
from procgen_bench.tasks.grid_world import GridWorldTaskSpace
from procgen_bench.tasks.point_maze import PointMazeTaskSpace

SPACE = GridWorldTaskSpace()


def test_a_task_is_written_and_read(tmp_path):
    path, task = tmp_path / "level.json", SPACE.resolve("targets/B")
    write_task(SPACE, task, path)
    assert read_task(SPACE, path) == task
    assert SPACE.resolve(json.loads(path.read_text())) == task


def test_names_and_files():
    assert is_task_file("level.json") and is_task_file("a/b.json")
    assert not is_task_file("targets/A") and not is_task_file("graded")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b"\xff", b'{"tiles": 1, "coordinates": 2}'])
def test_what_is_no_task_is_named_with_its_file(tmp_path, content):
    path = tmp_path / "level.json"
    path.write_bytes(content)
    with pytest.raises(TaskFileError, match=r"level\.json is no task file: "):
        read_task(SPACE, path)


def test_a_file_of_another_family_or_none(tmp_path):
    maze = PointMazeTaskSpace()
    write_task(maze, maze.resolve("u/7-3"), tmp_path / "maze.json")
    with pytest.raises(TaskFileError, match=r"maze\.json is no task file: .*'goal'"):
        read_task(SPACE, tmp_path / "maze.json")
    with pytest.raises(TaskFileError, match="No such file"):
        read_task(SPACE, tmp_path / "none.json")
