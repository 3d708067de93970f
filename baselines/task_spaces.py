"""The task space that belongs to an environment id."""

import gymnasium

import procgen_bench  # noqa: F401 - registers the environments
from procgen_bench.task_space import TaskSpace


def task_space_of(environment_id: str) -> TaskSpace:
    """The task space of a registered environment (loads the environment's module)."""
    return gymnasium.envs.registration.load_env_creator(gymnasium.spec(environment_id).entry_point).task_space
