from dataclasses import replace

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.fetch_blocks import FetchBlocksTaskSpace
from tests.tasks.fetch_blocks.test_task import START, TASK

SPACE = FetchBlocksTaskSpace()


@pytest.mark.parametrize("num_blocks", range(2, 7))
def test_blocks_are_held_and_stacked_as_parameters_say(num_blocks):
    space, rng = FetchBlocksTaskSpace(num_blocks), np.random.default_rng(num_blocks)
    stacked = held = 0
    for _ in range(200):
        params = space.sample(rng)
        task = space.decode(params)
        assert task.first == params["first"].argmax() and (task.start.held is not None) == (params["held"][0] > 0)
        stacked += (task.start.levels > 0).any()
        held += task.start.held is not None
    assert 60 < held < 140
    assert stacked > 2 * num_blocks


def test_blocks_without_room_stack_in_the_order_of_their_heights():
    params = SPACE.encode(TASK) | {
        "places": np.array([[1.2, 0.5], [1.21, 0.52], [1.4, 0.9], [1.19, 0.5]]),
        "heights": np.array([0.9, 0.2, 0.5, 0.2]),
        "held": np.array([-1.0]),
        "gripper": np.array([1.25, 0.55, 0.45]),
    }
    start = SPACE.decode(params).start
    assert start.levels.tolist() == [2, 0, 0, 1]
    assert start.places.tolist() == [[1.21, 0.52], [1.21, 0.52], [1.4, 0.9], [1.21, 0.52]]
    assert start.gripper.tolist() == [1.25, 0.55, 0.4 + 3 * 0.05 + 0.03], "the gripper is above the stack"


def test_mutation_changes_one_part():
    rng, changed = np.random.default_rng(2), {"start.places": 0, "start.gripper": 0, "goal": 0}
    for _ in range(300):
        task = SPACE.sample_task(rng, randomness=1.0)
        other = SPACE.mutate(task, rng)
        assert other.first == task.first
        if not np.array_equal(other.goal, task.goal):
            assert other.start == task.start
            changed["goal"] += 1
        elif not np.array_equal(other.start.places, task.start.places):
            assert (other.start.places != task.start.places).any(axis=1).sum() <= 2
            changed["start.places"] += 1
        else:
            changed["start.gripper"] += 1
    assert min(changed.values()) > 60


def test_tasks_without_parameters_say_so():
    for task in (replace(TASK, goal=TASK.goal + 1.0), replace(TASK, first=0)):
        SPACE.validate(task)
        with pytest.raises(InvalidTaskError, match="to have parameters"):
            SPACE.encode(task)


def test_tasks_of_other_numbers_of_blocks_are_refused():
    with pytest.raises(InvalidTaskError, match=r"number of blocks is 4, expected 3 \(num_blocks\)"):
        FetchBlocksTaskSpace(3).resolve(TASK)


def test_suite_is_of_the_papers_distribution():
    suite = SPACE.suite("test")
    assert 70 < sum(task.start.held is not None for task in suite) < 130
    assert START not in [task.start for task in suite]
