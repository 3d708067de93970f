"""Remembered pushes are those that physics gives, bit for bit."""

import numpy as np

from procgen_bench.envs.table_push.pushing import push
from procgen_bench.envs.table_push.remembered import RememberedPushes
from procgen_bench.envs.table_push.scene import Scene
from procgen_bench.tasks.table_push import TablePushTaskSpace
from tests.envs.table_push.tables import open_table

SUITE = TablePushTaskSpace().suite("targets")


def test_they_are_those_of_physics_to_the_last_bit():
    """Random play alternating between two targets, whose places recur, each with other cans out of reach."""
    scene, other, rng = Scene(), Scene(), np.random.default_rng(0)
    pushed, played = RememberedPushes(scene), 0
    for episode in range(10):
        task = SUITE["AB"[episode % 2]]
        positions, ended = task.objects, False
        while not ended:
            can, direction = divmod(int(rng.integers(12)), 4)
            expected, found = push(other, task, positions, can, direction), pushed(task, positions, can, direction)
            assert np.array_equal(found.positions, expected.positions, equal_nan=True)
            assert (found.fallen, found.collided) == (expected.fallen, expected.collided)
            positions, ended, played = found.positions, found.fallen or found.collided, played + 1
    assert 10 < pushed.simulated < played
    scene.close()
    other.close()


def test_no_more_are_remembered_than_asked():
    scene, task = Scene(), open_table((0.3, 0.3))
    pushed = RememberedPushes(scene, most=2)
    counts = []
    for direction in (0, 1, 0, 1, 2, 1, 0):
        pushed(task, task.objects, 0, direction)
        pushed(task, task.objects, 1, direction)
        counts.append(pushed.simulated)
    assert counts == [1, 2, 2, 2, 3, 3, 4]
    scene.close()
