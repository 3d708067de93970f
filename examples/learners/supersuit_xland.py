"""SuperSuit over XLand's players (PettingZoo), and stable-baselines3's PPO that learns for all of them.

python examples/learners/supersuit_xland.py XLandSmall-v0 --steps 100000

Every player is a row: SuperSuit resets all rows of a world together. Games must have as many players as the
environment, which drawn ones do. Without SuperSuit, ``make_vec("XLand-v0", players="all")`` gives the same rows, many
worlds in one step.
"""

import supersuit
from command_line import recipe_parser
from stable_baselines3 import PPO

from procgen_bench.envs.xland import parallel_env
from procgen_bench.tasks.xland import SMALL

NUM_WORLDS, ROLLOUT, EPOCHS = 2, 64, 4
#: What an id means for ``parallel_env``, which is no registered environment.
OPTIONS = {"XLand-v0": {}, "XLandSmall-v0": {"observation": "state", **SMALL}}

if __name__ == "__main__":
    parser = recipe_parser(__doc__)
    arguments = parser.parse_args()
    if arguments.environment not in OPTIONS:
        parser.error(f"{arguments.environment} has one player, expected one of {list(OPTIONS)}")
    options = OPTIONS[arguments.environment] | arguments.options
    del options["tasks"]  # a world for all its players draws none that is in a suite
    world = parallel_env(**options)
    rows = supersuit.concat_vec_envs_v1(
        supersuit.pettingzoo_env_to_vec_env_v1(world), NUM_WORLDS, base_class="stable_baselines3"
    )
    model = PPO("MultiInputPolicy", rows, n_steps=ROLLOUT, batch_size=ROLLOUT, n_epochs=EPOCHS, device="cpu", verbose=1)
    model.learn(arguments.steps)
    print(f"trained for {model.num_timesteps:,} steps")
