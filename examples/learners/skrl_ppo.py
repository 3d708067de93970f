"""skrl's PPO.

python examples/learners/skrl_ppo.py SparsePointMaze-v0 --options '{"flat": true}' --steps 100000

skrl's networks are given a Box, which ``flat=True`` makes, and a Gaussian's actions are clipped to their bounds. skrl
steps Gymnasium's vector environments, here the native one. Rows that end are reset within the step (SAME_STEP):
skrl does not skip the step that NEXT_STEP spends on it.
"""

import gymnasium
from command_line import recipe_parser
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from skrl.envs.wrappers.torch import wrap_env
from skrl.utils.runner.torch import Runner

NUM_ENVS, ROLLOUT = 4, 64
#: The distribution of a policy by the space of its actions.
POLICIES = {
    spaces.Discrete: {"class": "CategoricalMixin"},
    spaces.MultiDiscrete: {"class": "MultiCategoricalMixin"},
    spaces.Box: {"class": "GaussianMixin", "clip_actions": True},
}

if __name__ == "__main__":
    arguments = recipe_parser(__doc__).parse_args()
    rows = gymnasium.make_vec(
        arguments.environment,
        num_envs=NUM_ENVS,
        vectorization_mode="vector_entry_point",
        autoreset_mode=AutoresetMode.SAME_STEP,
        **arguments.options,
    )
    network = [{"name": "net", "input": "OBSERVATIONS", "layers": [64, 64], "activations": "tanh"}]
    configuration = {
        "models": {
            "separate": True,
            "policy": {**POLICIES[type(rows.single_action_space)], "network": network, "output": "ACTIONS"},
            "value": {"class": "DeterministicMixin", "network": network, "output": "ONE"},
        },
        "memory": {"class": "RandomMemory", "memory_size": -1},
        "agent": {"class": "PPO", "rollouts": ROLLOUT, "experiment": {"write_interval": 0, "checkpoint_interval": 0}},
        "trainer": {"class": "SequentialTrainer", "timesteps": -(-arguments.steps // NUM_ENVS), "headless": True},
    }
    Runner(wrap_env(rows, wrapper="gymnasium"), configuration).run("train")
    print(f"trained for {configuration['trainer']['timesteps'] * NUM_ENVS:,} steps")
