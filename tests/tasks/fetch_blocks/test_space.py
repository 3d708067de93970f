from dataclasses import replace

import numpy as np
import pytest

from procgen_bench.errors import InvalidTaskError, UnknownNameError
from procgen_bench.tasks.fetch_blocks import FetchBlocksTaskSpace
from procgen_bench.tasks.fetch_blocks.generate import generate
from procgen_bench.tasks.fetch_blocks.suites import CHECKSUMS
from tests.tasks.fetch_blocks.test_task import START, TASK

SPACE = FetchBlocksTaskSpace()


@pytest.mark.parametrize("num_blocks", range(2, 7))
def test_every_parameter_decodes_to_a_valid_task_and_back(num_blocks):
    space, rng = FetchBlocksTaskSpace(num_blocks), np.random.default_rng(num_blocks)
    stacked = held = 0
    for _ in range(200):
        params = space.sample(rng)
        task = space.decode(params)
        space.validate(task)
        assert task.first == params["first"].argmax() and (task.start.held is not None) == (params["held"][0] > 0)
        for again in (task, space.sample_task(rng), space.mutate(task, rng)):
            space.validate(again)
            assert space.decode(space.encode(again)) == again
            assert space.decode(space.unflatten(space.flatten(space.encode(again)))) == again
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


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"places": np.full((4, 2), 1.5)}, "places[0, 0] is 1.5, expected a number in [1.15, 1.45]"),
        ({"places": np.zeros((3, 2))}, "places's shape is (3, 2), expected (4, 2)"),
        ({"gripper": np.array([1.3, 0.7, 0.8])}, "gripper[2] is 0.8, expected a number in [0.45, 0.75]"),
        ({"goal": np.full((4, 3), np.nan)}, "goal[0, 0] is nan"),
        ({"first": np.full(4, 1.5)}, "first[0] is 1.5"),
        ({"colour": np.zeros(1)}, "parameter name is 'colour'"),
    ],
)
def test_parameters_outside_the_space_are_refused(changes, part):
    with pytest.raises(InvalidTaskError) as caught:
        SPACE.decode(SPACE.sample(np.random.default_rng(0)) | changes)
    assert part in str(caught.value)


def test_tasks_without_parameters_say_so():
    for task in (replace(TASK, goal=TASK.goal + 1.0), replace(TASK, first=0)):
        SPACE.validate(task)
        with pytest.raises(InvalidTaskError, match="to have parameters"):
            SPACE.encode(task)


def test_tasks_of_other_numbers_of_blocks_are_refused():
    with pytest.raises(InvalidTaskError, match=r"number of blocks is 4, expected 3 \(num_blocks\)"):
        FetchBlocksTaskSpace(3).resolve(TASK)
    with pytest.raises(UnknownNameError, match="known: none"):
        FetchBlocksTaskSpace(3).resolve("test/0")
    with pytest.raises(UnknownNameError, match="unknown suite 'graded'"):
        SPACE.suite("graded")


def test_actions_cannot_be_told_without_the_physics():
    with pytest.raises(NotImplementedError, match="has no solver"):
        SPACE.solve(TASK)


def test_suite_is_of_the_papers_distribution():
    suite = SPACE.suite("test")
    assert len(suite) == len(set(suite.tasks)) == len(set(suite.task_names)) == 500
    for task in suite:
        SPACE.validate(task)
        assert SPACE.decode(SPACE.encode(task)) == task
    assert 70 < sum(task.start.held is not None for task in suite) < 130
    assert SPACE.resolve("test/7") == suite.tasks[7]
    assert START not in [task.start for task in suite]


def test_generating_again_gives_the_committed_suite(tmp_path):
    assert generate(tmp_path) == CHECKSUMS
