"""Threaded vector environments over a family that has a native one, to compare with, and over one at fault."""

from functools import partial

import gymnasium
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import VectorEnv

from procgen_bench.engine.threaded_vector_env import ThreadedVectorEnv
from procgen_bench.envs.grid_world import GridWorldEnv
from tests.engine.faulty_grid_world import FaultyGridWorldEnv


class GridWorldThreadedVectorEnv(ThreadedVectorEnv):
    single_env_type = GridWorldEnv


class FaultyGridWorldThreadedVectorEnv(ThreadedVectorEnv):
    single_env_type = FaultyGridWorldEnv


def make_threaded_vec(form: type[ThreadedVectorEnv] = GridWorldThreadedVectorEnv, **options) -> VectorEnv:
    """What ``gymnasium.make_vec`` would make, had GridWorld this form as its vector entry point."""
    limit = gymnasium.spec("GridWorld-v0").max_episode_steps
    if "num_threads" in options:
        options["num_threads"] = min(options["num_threads"], options["num_envs"])
    env = form(**{"max_episode_steps": limit} | options)
    env.spec = EnvSpec("GridWorld-v0")
    return env


make_faulty = partial(make_threaded_vec, FaultyGridWorldThreadedVectorEnv)
