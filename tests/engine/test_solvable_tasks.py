"""Solvable tasks of families whose kernels do not draw them: the task space does."""

import gymnasium

from procgen_bench.engine.first_use import use_once
from procgen_bench.envs.compositional_minigrid import CompositionalMiniGridEnv, CompositionalMiniGridVectorEnv
from procgen_bench.envs.grid_world.simulation import GridWorldSimulation
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
