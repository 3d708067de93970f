"""Process vector environments over families that have native ones, to compare with, and over one at fault."""

from functools import partial

import gymnasium
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import VectorEnv

from procgen_bench.engine.goal_env import GoalRows
from procgen_bench.engine.process_vector_env import ProcessVectorEnv
from procgen_bench.envs.ant_maze import SparseAntMazeEnv
from procgen_bench.envs.bit_grid import BitGridEnv
from procgen_bench.envs.grid_world import GridWorldEnv
from tests.engine.faulty_grid_world import FaultyGridWorldEnv


class GridWorldProcessVectorEnv(ProcessVectorEnv):
    single_env_type = GridWorldEnv


class BitGridProcessVectorEnv(GoalRows, ProcessVectorEnv):
    single_env_type = BitGridEnv


class SparseAntMazeProcessVectorEnv(GoalRows, ProcessVectorEnv):
    single_env_type = SparseAntMazeEnv


PROCESS_FORMS = {
    "GridWorld-v0": GridWorldProcessVectorEnv,
    "BitGrid-v0": BitGridProcessVectorEnv,
    "SparseAntMaze-v0": SparseAntMazeProcessVectorEnv,
}


def make_process_vec(environment_id: str, form: type[ProcessVectorEnv] | None = None, **options) -> VectorEnv:
    """What ``gymnasium.make_vec`` would make, had the id this process form as its vector entry point."""
    limit = gymnasium.spec(environment_id).max_episode_steps
    if "num_workers" in options:
        options["num_workers"] = min(options["num_workers"], options["num_envs"])
    env = (form or PROCESS_FORMS[environment_id])(**{"max_episode_steps": limit} | options)
    env.spec = EnvSpec(environment_id)
    return env


make_grid_worlds = partial(make_process_vec, "GridWorld-v0")


class FaultyGridWorldProcessVectorEnv(ProcessVectorEnv):
    single_env_type = FaultyGridWorldEnv


make_faulty = partial(make_process_vec, "GridWorld-v0", FaultyGridWorldProcessVectorEnv)
