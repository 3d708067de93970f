"""Solvable tasks of families whose kernels do not draw them: the task space does."""

from procgen_bench.envs.compositional_minigrid import CompositionalMiniGridEnv, CompositionalMiniGridVectorEnv
from tests.envs.conformance import single_checks, vector_checks


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
