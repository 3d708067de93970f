"""Batches of tasks are what their tasks are: fingerprints, hold-out, rows that begin them, and what is recorded."""

import copy
import json
import pickle
from dataclasses import FrozenInstanceError, dataclass, fields, replace

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.registrations import make_task_space
from procgen_bench.core.task import Task
from procgen_bench.core.task_batch import TaskBatch
from procgen_bench.core.task_files import (
    TaskFileError,
    is_task_file,
    read_task,
    read_tasks,
    write_task,
    write_tasks,
)
from procgen_bench.tasks.grid_world import GridWorldTask, GridWorldTaskSpace
from procgen_bench.tasks.point_maze import PointMazeTaskSpace


@dataclass(frozen=True, eq=False)
class Maze(Task):
    walls: np.ndarray
    side: int = 3


@dataclass(frozen=True, eq=False)
class OtherMaze(Task):
    walls: np.ndarray
    side: int = 3


WALLS = np.array([[0, 1], [1, 0]], np.int8)


def test_tasks_with_equal_fields_are_equal_and_hash_alike():
    assert Maze(WALLS) == Maze(WALLS.copy())
    assert hash(Maze(WALLS)) == hash(Maze(WALLS.copy()))
    assert len({Maze(WALLS), Maze(WALLS.copy()), Maze(WALLS, 4)}) == 2


@pytest.mark.parametrize(
    "other",
    [Maze(WALLS, 4), Maze(WALLS[::-1]), Maze(WALLS.astype(np.int16)), Maze(WALLS.reshape(4)), OtherMaze(WALLS), "maze"],
    ids=["plain value", "content", "dtype", "shape", "class", "no task"],
)
def test_tasks_that_differ_are_unequal(other):
    assert Maze(WALLS) != other


def test_layout_in_memory_does_not_decide_equality():
    walls = np.arange(6, dtype=np.int8).reshape(2, 3)
    assert Maze(np.asfortranarray(walls)) == Maze(walls)
    assert Maze(walls[:, ::-1]) == Maze(walls[:, ::-1].copy())


def test_task_is_cut_off_from_the_array_it_was_made_of():
    walls = WALLS.copy()
    task = Maze(walls)
    fingerprint = task.fingerprint()
    walls[0, 0] = 9
    assert task.walls[0, 0] == 0
    assert task.fingerprint() == fingerprint


def test_task_cannot_be_changed():
    task = Maze(WALLS)
    with pytest.raises(FrozenInstanceError):
        task.side = 4
    with pytest.raises(ValueError, match="read-only"):
        task.walls[0, 0] = 1


@pytest.mark.parametrize("twin_of", [lambda task: pickle.loads(pickle.dumps(task)), copy.deepcopy, copy.copy])
def test_copies_are_equal_and_read_only(twin_of):
    task = Maze(WALLS)
    twin = twin_of(task)
    assert twin == task and hash(twin) == hash(task)
    assert not twin.walls.flags.writeable


def test_fingerprint_is_the_same_in_every_process():
    # Leaderboards publish fingerprints: the value itself is part of the contract.
    assert Maze(WALLS).fingerprint() == "f2f98a29d96dd1e0c892dc8c59e687f20bce207ccabdf558bd6cb4ccb4c71270"


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


BATCH_SPACE = make_task_space("GridWorld-v0")
BENCHMARK = get_benchmark("grid-world/graded")


def batch_of(tasks):
    arrays = {name: np.stack([getattr(task, name) for task in tasks]) for name in ("tiles", "objects")}
    return TaskBatch(GridWorldTask, arrays)


def test_a_batch_is_a_sequence_of_its_tasks():
    tasks = list(BATCH_SPACE.suite("graded"))[:9]
    batch = batch_of(tasks)
    assert len(batch) == 9 and batch == tasks and batch[2:4] == tasks[2:4] and batch[-1] == tasks[-1]
    assert batch != tasks[::-1]
    assert [digest.hex() for digest in batch.digests] == [task.fingerprint() for task in tasks]
    assert batch.short_fingerprints() == [task.short_fingerprint() for task in tasks]
    assert batch[3].fingerprint() == replace(tasks[3]).fingerprint()


def test_fingerprints_are_those_of_tasks_whatever_their_arrays():
    @dataclass(frozen=True, eq=False)
    class Odd(Task):
        heights: np.ndarray
        number: np.ndarray

    arrays = {"number": np.arange(4.0)[:, np.newaxis], "heights": np.arange(24, dtype=np.int16).reshape(4, 3, 2)}
    batch = TaskBatch(Odd, arrays | {"heights": np.asfortranarray(arrays["heights"])})
    expected = [Odd(arrays["heights"][place], arrays["number"][place]) for place in range(4)]
    assert [digest.hex() for digest in batch.digests] == [task.fingerprint() for task in expected]


@pytest.mark.parametrize(
    "arrays", [{"tiles": np.zeros((2, 8, 8), np.int8)}, {"tiles": np.zeros((1, 2)), "objects": np.zeros((2, 2))}]
)
def test_arrays_that_make_no_tasks_are_refused(arrays):
    with pytest.raises(ValueError, match=r"expected \['tiles', 'objects'\]"):
        TaskBatch(GridWorldTask, arrays)


def test_held_out_tasks_are_found_in_a_batch():
    drawn = list(BATCH_SPACE.draw_solvable(np.random.default_rng(0), 6))
    mixed = [*drawn[:3], BENCHMARK.task_suite().tasks[7], *drawn[3:]]
    expected = [False, False, False, True, False, False, False]
    assert BENCHMARK.held_out_among(batch_of(mixed)).tolist() == expected
    assert BENCHMARK.held_out_among(mixed).tolist() == expected


def test_a_target_that_may_be_trained_on_is_not_held_out():
    benchmark = get_benchmark("grid-world/target-a")
    assert benchmark.trainable_tasks
    assert not benchmark.held_out_among(batch_of(benchmark.trainable_tasks)).any()


@pytest.mark.parametrize("environment_id", ["GridWorld-v0", "BitGrid-v0"])
def test_rows_that_begin_a_batch_are_those_that_reset_with_its_tasks(environment_id):
    space = make_task_space(environment_id)
    envs = [gymnasium.make_vec(environment_id, 5, "vector_entry_point", autoreset_mode="Disabled") for _ in range(2)]
    tasks = [space.decode(space.sample(np.random.default_rng(seed))) for seed in range(3)]
    names = [field.name for field in fields(tasks[0])]
    batch = TaskBatch(type(tasks[0]), {name: np.stack([getattr(task, name) for task in tasks]) for name in names})
    rows = np.array([True, False, True, False, True])
    for env in envs:
        env.reset(seed=3)
    envs[0].begin_batch(rows, batch)
    envs[1].reset(options={"task": [tasks[0], None, tasks[1], None, tasks[2]], "reset_mask": rows})
    assert envs[0].tasks == envs[1].tasks
    for _ in range(6):
        seen, others = (env.observe() for env in envs)
        assert all(np.array_equal(seen[name], others[name]) for name in seen)
        stepped = [env.step(env.action_space.sample() * 0)[1:4] for env in envs]
        assert all(np.array_equal(*columns) for columns in zip(*stepped, strict=True))
        ended = stepped[0][1] | stepped[0][2]
        if ended.any():
            break
    for env in envs:
        env.close()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda tiles, objects: tiles.__setitem__((1, 0, 3), 3), r"tiles\[0, 3\]"),
        (lambda tiles, objects: tiles.__setitem__((1, 0, 3), -1), r"tiles\[0, 3\]"),
        (lambda tiles, objects: objects.__setitem__((1, 0), (0, 4)), "position of goal"),
        (lambda tiles, objects: objects.__setitem__((1, 1), objects[1, 0]), "position of door 1"),
        (lambda tiles, objects: tiles[1].fill(1), "tile under goal"),
    ],
)
def test_a_batch_that_holds_no_task_is_refused_as_a_task_is(change, words):
    solvable = BATCH_SPACE.draw_solvable(np.random.default_rng(1), 3)
    tiles, objects = (solvable.arrays[name].copy() for name in ("tiles", "objects"))
    BATCH_SPACE.validate_batch(solvable)
    change(tiles, objects)
    with pytest.raises(InvalidTaskError, match=words):
        BATCH_SPACE.validate_batch(TaskBatch(GridWorldTask, {"tiles": tiles, "objects": objects}))


def test_files_of_several_tasks(tmp_path):
    path = tmp_path / "mine.json"
    tasks = [SPACE.resolve("targets/A"), SPACE.resolve("targets/B")]
    write_tasks(SPACE, tasks, path)
    assert read_tasks(SPACE, path) == tuple(tasks) and len(path.read_text().splitlines()) == 4
    path.write_text(json.dumps(["targets/C", SPACE.plain(tasks[0])]))
    assert read_tasks(SPACE, path) == (SPACE.resolve("targets/C"), tasks[0])
    write_task(SPACE, tasks[1], path)
    assert read_tasks(SPACE, path) == (tasks[1],)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[]", "its list is empty, expected at least one task"),
        ("[1,", "it is no JSON: "),
        ("[" * 100_000, "it is no JSON: "),
        ('["targets/A", "targets/Z"]', "entry 1 of its list: unknown task in suite 'targets' 'Z'"),
        ("[{}]", "entry 0 of its list: "),
        ("[3]", "entry 0 of its list: invalid task: task is 3"),
    ],
)
def test_what_is_no_list_of_tasks_is_named(tmp_path, content, reason):
    path = tmp_path / "mine.json"
    path.write_text(content)
    with pytest.raises(TaskFileError) as error:
        read_tasks(SPACE, path)
    assert str(error.value).startswith(f"{path} is no task file: {reason}")
