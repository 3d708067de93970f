"""CleanRL's own ppo.py, unchanged.

python examples/learners/cleanrl_ppo.py GridWorld-v0 --options '{"flat": true}' --file ~/cleanrl/cleanrl/ppo.py

CleanRL is no package but files to copy: give the path of your own copy. ppo.py takes Discrete actions and a Box, which
``flat=True`` gives. It is passed an id alone; so the environment with its options is registered under an id of its own.
Its vector environment resets rows one step late (Gymnasium's NEXT_STEP), and it learns from those steps, whose actions
have no effect, as from others.
"""

import runpy
import sys

import gymnasium
from command_line import recipe_parser

NUM_ENVS, ROLLOUT = 4, 64

if __name__ == "__main__":
    parser = recipe_parser(__doc__)
    parser.add_argument("--file", required=True, help="your copy of CleanRL's ppo.py")
    arguments = parser.parse_args()
    gymnasium.register("Recipe-v0", lambda **more: gymnasium.make(arguments.environment, **arguments.options, **more))
    steps = max(arguments.steps, NUM_ENVS * ROLLOUT)
    sys.argv = [arguments.file, "--env-id", "Recipe-v0", "--total-timesteps", str(steps), "--no-cuda"]
    sys.argv += ["--num-envs", str(NUM_ENVS), "--num-steps", str(ROLLOUT)]
    runpy.run_path(arguments.file, run_name="__main__")
    print(f"trained for {steps // (NUM_ENVS * ROLLOUT) * NUM_ENVS * ROLLOUT:,} steps")
