"""Using an environment for the first time, so that everything is compiled that its use needs."""

from typing import Any

import gymnasium


def use_once(environment_id: str) -> None:
    """Make the single and the vector environment of an id, reset both and take a step, and close them.

    Where tasks are drawn until one can be solved, another single environment does that.
    """
    env = gymnasium.make(environment_id)
    environments: list[Any] = [env]
    environments += [gymnasium.make_vec(environment_id, num_envs=2, vectorization_mode="vector_entry_point")]
    family: Any = env.unwrapped
    if family.task_space.draws_solvable_quickly:
        environments += [gymnasium.make(environment_id, tasks="solvable")]
    for environment in environments:
        environment.reset(seed=0)
        environment.action_space.seed(0)
        environment.step(environment.action_space.sample())
        environment.close()
