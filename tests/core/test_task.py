import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass

import numpy as np
import pytest

from procgen_bench.core.task import Task


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
    [
        Maze(WALLS, 4),
        Maze(WALLS[::-1]),
        Maze(WALLS.astype(np.int16)),
        Maze(WALLS.reshape(4)),
        OtherMaze(WALLS),
        "maze",
    ],
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
