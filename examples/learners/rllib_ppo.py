"""RLlib's PPO.

python examples/learners/rllib_ppo.py XLandSmall-v0 --steps 100000

Install ``ray[rllib]`` first and this package after it, in an environment of its own: RLlib asks for an older Gymnasium,
and runs with ours. Its networks take no Dict of observations; its connector FlattenObservations makes one vector of
them, as ``flat=True`` does. RLlib makes, steps and resets its vector environments by itself.
"""

import gymnasium
from command_line import recipe_parser
from gymnasium import spaces
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.connectors.env_to_module import FlattenObservations
from ray.tune import register_env

NUM_ENVS, ROLLOUT = 4, 64

if __name__ == "__main__":
    arguments = recipe_parser(__doc__).parse_args()
    register_env("recipe", lambda options: gymnasium.make(arguments.environment, **options))
    observed = gymnasium.make(arguments.environment, **arguments.options).observation_space
    connector = (lambda env, spaces, device: FlattenObservations()) if isinstance(observed, spaces.Dict) else None
    configuration = (
        PPOConfig()
        .environment("recipe", env_config=arguments.options)
        # No runner of its own: all is in this process.
        .env_runners(num_env_runners=0, num_envs_per_env_runner=NUM_ENVS, env_to_module_connector=connector)
        .training(train_batch_size_per_learner=NUM_ENVS * ROLLOUT, minibatch_size=ROLLOUT, num_epochs=4)
    )
    algorithm, steps = configuration.build_algo(), 0
    while steps < arguments.steps:
        steps = int(algorithm.train()["num_env_steps_sampled_lifetime"])
    algorithm.stop()
    print(f"trained for {steps:,} steps")
