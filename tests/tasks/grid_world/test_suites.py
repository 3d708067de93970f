import numpy as np
import pytest

from procgen_bench.baselines.methods.dqn_settings import DQNConfiguration
from procgen_bench.tasks.grid_world import GridWorldTask, GridWorldTaskSpace
from tests.tasks.grid_world.reference_world import chance_while_exploring, shortest_length
from tests.tasks.grid_world.test_solver import assert_solves

SPACE = GridWorldTaskSpace()


@pytest.mark.parametrize("name", ["targets", "graded"])
def test_every_task_is_solved_at_exactly_its_recorded_length(name):
    suite = SPACE.suite(name)
    for task, length in zip(suite, suite.records["length"]):
        solution = SPACE.solve(task)
        assert len(solution) == length
        assert_solves(task, solution)
        assert shortest_length(task) == length


def test_graded_holds_five_of_every_length():
    assert SPACE.suite("graded").records["length"].tolist() == [length for length in range(1, 41) for _ in range(5)]


def test_targets_are_the_paper_s():
    targets = SPACE.suite("targets")
    a, b, c = (targets[name] for name in "ABC")
    assert (a.objects[:, 0] != -1).tolist() == [True, True, False, True, False]
    assert (b.objects[:, 0] != -1).all() and (c.objects[:, 0] != -1).all()
    assert not (a.tiles == 2).any() and not (b.tiles == 2).any() and (c.tiles == 2).any()
    assert all(min(task.objects[0]) >= 5 for task in (a, b, c)), "the goal's room is in the lower right"
    assert targets.records["length"][2] >= 30


@pytest.mark.parametrize("target", "ABC")
def test_students_that_explore_can_solve_the_targets(target):
    """APT-Gen compares what they return, random actions and all, to 0.5: no curriculum reaches a target beyond that."""
    epsilon = DQNConfiguration().exploration_final
    assert chance_while_exploring(SPACE.suite("targets")[target], epsilon) > 0.7


def test_tasks_too_long_for_students_that_explore_are_reported():
    lava = np.array([[0] * 8, [2] * 7 + [0], [0] * 8, [0] + [2] * 7] * 2, np.int8)
    task = GridWorldTask(lava, np.array([(1, 8)] + [(-1, -1)] * 4))
    assert shortest_length(task) == 35 and chance_while_exploring(task, 0.0) == 1
    assert chance_while_exploring(task, 0.1) < 0.5


@pytest.mark.parametrize(("target", "keys"), [("A", [3]), ("B", [3, 4]), ("C", [3, 4])])
def test_targets_need_every_key(target, keys):
    task = SPACE.suite("targets")[target]
    for key in keys:
        objects = task.objects.copy()
        objects[key] = -1
        assert SPACE.solve(GridWorldTask(task.tiles, objects)) is None


@pytest.mark.parametrize("target", ["B", "C"])
def test_key_1_opens_the_room_that_holds_key_2(target):
    task = SPACE.suite("targets")[target]
    # With key 2 as the goal, door 1 is still in the way and key 1 opens it.
    objects = task.objects.copy()
    objects[0], objects[4] = objects[4], (-1, -1)
    assert SPACE.solve(GridWorldTask(task.tiles, objects)) is not None
    objects[3] = -1
    assert SPACE.solve(GridWorldTask(task.tiles, objects)) is None
