"""SuperSuit's wrappers of single environments: the last four observations in one, in a vector environment.

python examples/learners/supersuit_frames.py SparsePointMaze-v0 --steps 100000

``frame_stack_v1`` takes a Box, which ``flat=True`` gives. Its wrappers pass ``reset(options={"task": ...})`` on.
"""

import gymnasium
import supersuit
from command_line import recipe_parser
from stable_baselines3 import PPO

NUM_ENVS, ROLLOUT, EPOCHS = 4, 64, 4

if __name__ == "__main__":
    arguments = recipe_parser(__doc__).parse_args()
    env = gymnasium.make(arguments.environment, **arguments.options)
    rows = supersuit.stable_baselines3_vec_env_v0(supersuit.frame_stack_v1(env, 4), NUM_ENVS)
    model = PPO("MlpPolicy", rows, n_steps=ROLLOUT, batch_size=ROLLOUT, n_epochs=EPOCHS, device="cpu", verbose=1)
    model.learn(arguments.steps)
    print(f"trained for {model.num_timesteps:,} steps")
