"""Using an environment for the first time, so that everything is compiled that its use needs."""

import gymnasium


def use_once(environment_id: str) -> None:
    """Make the single and the vector environment of an id, reset both and take a step, and close them."""
    env = gymnasium.make(environment_id)
    vector = gymnasium.make_vec(environment_id, num_envs=2, vectorization_mode="vector_entry_point")
    for environment in (env, vector):
        environment.reset(seed=0)
        environment.action_space.seed(0)
        environment.step(environment.action_space.sample())
        environment.close()
