"""The rules that begin and end a step in every native family, on rows whose outcome is known.

Solvable tasks of families whose kernels do not draw them: the task space does.
"""

import gymnasium
import numpy as np
import pytest

from procgen_bench.engine.first_use import use_once
from procgen_bench.engine.outcomes import begin, count_steps, score_goal_step
from procgen_bench.envs.compositional_minigrid import CompositionalMiniGridEnv, CompositionalMiniGridVectorEnv
from procgen_bench.envs.grid_world.simulation import GridWorldSimulation
from tests.envs.conformance import single_checks, vector_checks

ACTIVE = np.array([True, True, True, False])


@pytest.fixture
def outcomes():
    """Rewards, terminations, truncations, successes and elapsed of four rows, none as at an episode's beginning."""
    return np.full(4, 7.0), *(np.ones(4, np.bool_) for _ in range(3)), np.array([1, 4, 5, 5])


def test_only_the_rows_that_begin_are_cleared(outcomes):
    begin(outcomes, np.array([True, False, True, False]))
    assert [array.tolist() for array in outcomes] == [[0, 7, 0, 7], *[[False, True, False, True]] * 3, [0, 4, 0, 5]]


def test_active_rows_are_counted_and_truncated_at_the_limit(outcomes):
    count_steps(outcomes, ACTIVE, 5)
    rewards, terminations, truncations, successes, elapsed = outcomes
    assert elapsed.tolist() == [2, 5, 6, 5]
    assert truncations.tolist() == [False, True, True, True]
    assert terminations.all() and successes.all() and (rewards == 7).all()


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
@pytest.mark.parametrize(("distance_step", "failure"), [(4, -3.0), (0, 0.0)])
def test_active_rows_are_judged_by_their_distance(outcomes, dtype, distance_step, failure):
    score_goal_step(outcomes, ACTIVE, np.array([3, 3, 2, 3], dtype), 2.0, distance_step)
    rewards, terminations, truncations, successes, elapsed = outcomes
    assert rewards.tolist() == [0.0, failure, 1.0, 7.0]
    assert terminations.tolist() == successes.tolist() == [False, False, True, True]
    assert truncations.all() and elapsed.tolist() == [1, 4, 5, 5]


class DrawnBySpaceEnv(CompositionalMiniGridEnv):
    draws_solvable = False


class DrawnBySpaceVectorEnv(CompositionalMiniGridVectorEnv):
    single_env_type = DrawnBySpaceEnv


def test_task_space_draws():
    single_checks.check_solvable_tasks(DrawnBySpaceEnv)
    vector_checks.check_solvable_rows(DrawnBySpaceVectorEnv, DrawnBySpaceEnv)


def test_rows_that_are_given_a_task_keep_it():
    env = DrawnBySpaceVectorEnv(2, tasks="solvable")
    env.reset(seed=0, options={"task": ["test/key-0", None]})
    assert env.tasks[0] == env.task_space.resolve("test/key-0") != env.tasks[1]


def test_first_use_compiles_what_draws_them(monkeypatch):
    drawn, begin = [], GridWorldSimulation.draw_solvable
    monkeypatch.setattr(
        GridWorldSimulation, "draw_solvable", lambda rows, *which: drawn.append(which) or begin(rows, *which)
    )
    use_once("GridWorld-v0")
    assert drawn


def test_a_seed_draws_the_same_layout_in_any_number_of_rows():
    env = gymnasium.make_vec("GridWorld-v0", num_envs=3, vectorization_mode="vector_entry_point", tasks="solvable")
    env.reset(seed=[4, 4, 5])
    assert env.tasks[0] == env.tasks[1] != env.tasks[2]
