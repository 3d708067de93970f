"""ProcessVectorEnv keeps all that the conformance suite asks of a vector environment, and equals the native one."""

import copy
import os
import pickle
from functools import partial

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from tests.engine.process_families import make_grid_worlds, make_process_vec
from tests.envs.conformance import single_checks as checks
from tests.envs.conformance import vector_checks
from tests.envs.conformance.trajectory import assert_equal, play_vector, seeded_space

PHYSICAL = "SparseAntMaze-v0"
#: Restarts are decided where no worker has a part; one mode is enough for every day.
modes = pytest.mark.parametrize(
    "mode",
    [
        pytest.param(mode, id=mode.name, marks=() if mode == AutoresetMode.SAME_STEP else pytest.mark.slow)
        for mode in AutoresetMode
    ],
)
ids = pytest.mark.parametrize("environment_id", ["GridWorld-v0", PHYSICAL])


def maker(environment_id, num_workers=1):
    return partial(make_process_vec, environment_id, num_workers=num_workers)


def one_quick(num_workers, mode):
    """Uneven shares of rows, in a mode that no other quick test plays in; the other pairs are slow."""
    marks = [] if (num_workers, mode) == (3, AutoresetMode.DISABLED) else pytest.mark.slow
    return pytest.param(num_workers, mode, marks=marks, id=f"{num_workers}-{mode.name}")


@pytest.mark.parametrize(
    ("num_workers", "mode"), [one_quick(workers, mode) for workers in (1, 2, 3) for mode in AutoresetMode]
)
def test_rows_equal_single(num_workers, mode):
    vector_checks.check_rows_equal_single(
        maker("GridWorld-v0", num_workers), partial(gymnasium.make, "GridWorld-v0"), mode
    )


@pytest.mark.slow
@modes
def test_physical_rows_equal_single(mode):
    vector_checks.check_rows_equal_single(maker(PHYSICAL, num_workers=2), partial(gymnasium.make, PHYSICAL), mode)


@modes
def test_equals_sync(mode):
    vector_checks.check_equals_sync(maker("GridWorld-v0"), partial(gymnasium.make, "GridWorld-v0"), mode)


@modes
def test_batched_spaces_hold(mode):
    vector_checks.check_batched_spaces_hold(maker("GridWorld-v0"), mode)


def test_repeats_in_fresh_processes():
    checks.check_repeats_in_another_process(partial(maker("GridWorld-v0"), num_envs=5), play_vector, steps=25)


@pytest.mark.parametrize("environment_id", ["BitGrid-v0", pytest.param(PHYSICAL, marks=pytest.mark.slow)])
def test_reset_leaves_nothing_behind(environment_id):
    vector_checks.check_vector_reset_leaves_nothing_behind(maker(environment_id), num_tasks=2)


@pytest.mark.slow  # in the middle of an episode, below, is enough for every day
@ids
def test_copies(environment_id):
    checks.check_copies(partial(maker(environment_id), num_envs=5), play_vector)


@pytest.mark.slow
def test_rendering():
    vector_checks.check_vector_rendering(maker("GridWorld-v0", num_workers=2), partial(gymnasium.make, "GridWorld-v0"))


def test_closes_twice():
    checks.check_close(partial(maker("GridWorld-v0"), num_envs=3))


@pytest.mark.parametrize(
    ("environment_id", "tasks", "num_workers", "mode"),
    [
        ("GridWorld-v0", "graded", 2, AutoresetMode.SAME_STEP),
        (PHYSICAL, "test", 1, AutoresetMode.NEXT_STEP),
        pytest.param(PHYSICAL, None, 1, AutoresetMode.SAME_STEP, marks=pytest.mark.slow),
        pytest.param(PHYSICAL, "test", 2, AutoresetMode.DISABLED, marks=pytest.mark.slow),
        pytest.param("GridWorld-v0", "graded", 3, AutoresetMode.SAME_STEP, marks=pytest.mark.slow),
        pytest.param(PHYSICAL, None, 2, AutoresetMode.SAME_STEP, marks=pytest.mark.slow),
        pytest.param(PHYSICAL, "test", 3, AutoresetMode.DISABLED, marks=pytest.mark.slow),
    ],
)
def test_equals_native(environment_id, tasks, num_workers, mode):
    """The same calls give the same in every bit, infos included, through short episodes."""
    options = {"num_envs": 5, "autoreset_mode": mode, "max_episode_steps": 9, "tasks": tasks}
    ours = make_process_vec(environment_id, num_workers=num_workers, **options)
    native = gymnasium.make_vec(environment_id, vectorization_mode="vector_entry_point", **options)
    assert_equal(play_vector(ours, 3, 40), play_vector(native, 3, 40), "the process form differs from the native one")
    assert ours.tasks == native.unwrapped.tasks


@pytest.mark.parametrize("environment_id", ["BitGrid-v0", pytest.param(PHYSICAL, marks=pytest.mark.slow)])
def test_starts_and_goals_equal_native(environment_id):
    """Reset options that replace parts of tasks: for all rows, per row, with given tasks and with drawn ones."""
    ours = make_process_vec(environment_id, num_envs=3, num_workers=1)
    native = gymnasium.make_vec(environment_id, num_envs=3, vectorization_mode="vector_entry_point").unwrapped
    goals = np.stack([task.goal for task in native.task_space.suite("test")][:3])
    for options in (
        {"goal": goals[0]},
        {"goal": goals, "task": ["test/7", None, "test/8"]},
        {"goal": goals, "reset_mask": np.array([False, True, True])},
    ):
        assert_equal(ours.reset(seed=4, options=options), native.reset(seed=4, options=options), "reset differs")
        assert ours.tasks == native.tasks
    for actions in _batches(native, 5):
        assert_equal(ours.step(actions), native.step(actions), "the episodes differ")


def _batches(env, count):
    space = seeded_space(env.action_space, 0)
    return [space.sample() for _ in range(count)]


def test_copies_go_on_in_the_middle_of_an_episode():
    """Also those of an environment that has seen ends, and whose rows draw their next tasks."""
    env = make_grid_worlds(num_envs=3, num_workers=2, max_episode_steps=10)
    play_vector(env, 5, 33)
    twins = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]
    for actions in _batches(env, 30):
        expected = env.step(actions)
        for twin in twins:
            assert_equal(twin.step(actions), expected, "a copy continues differently")


def test_arrays_of_an_uncopied_environment_are_shared_memory():
    own, native = make_grid_worlds(num_envs=3, copy=False), gymnasium.make_vec("GridWorld-v0", num_envs=3)
    first, _ = own.reset(seed=2)
    native.reset(seed=2)
    for actions in np.random.default_rng(1).integers(4, size=(60, 3)):
        ours = own.step(actions)
        assert_equal(ours, native.step(actions), "copy=False gives other values")
        assert all(ours[0][name] is first[name] for name in first)


def test_workers_are_as_many_as_processors_but_no_more_than_rows():
    usable = len(os.sched_getaffinity(0))
    assert make_grid_worlds(num_envs=1).simulation.num_workers == 1
    assert make_grid_worlds(num_envs=usable + 1).simulation.num_workers == usable
