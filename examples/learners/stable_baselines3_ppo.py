"""stable-baselines3's PPO.

python examples/learners/stable_baselines3_ppo.py GridWorld-v0 --steps 100000

It takes every environment as it is: a Dict of observations by its policy ``MultiInputPolicy``, whose networks see
pictures by a convolution and everything else flattened, and all kinds of actions. DQN takes Discrete actions alone, SAC
a Box; SAC with hindsight is in examples/hindsight_on_blocks.py.
"""

from command_line import recipe_parser
from gymnasium import spaces
from stable_baselines3 import PPO

from procgen_bench.baselines.stable_baselines3 import TaskVecEnv

NUM_ENVS, ROLLOUT, EPOCHS = 4, 64, 4

if __name__ == "__main__":
    arguments = recipe_parser(__doc__).parse_args()
    # The native vector environment as a VecEnv. stable-baselines3's own make_vec_env(id, env_kwargs=...) works as well;
    # it steps one environment after the other in Python.
    rows = TaskVecEnv(arguments.environment, NUM_ENVS, **arguments.options)
    policy = "MultiInputPolicy" if isinstance(rows.observation_space, spaces.Dict) else "MlpPolicy"
    model = PPO(policy, rows, n_steps=ROLLOUT, batch_size=ROLLOUT, n_epochs=EPOCHS, device="cpu", verbose=1)
    model.learn(arguments.steps)
    rows.close()
    print(f"trained for {model.num_timesteps:,} steps")
