"""sb3-contrib's RecurrentPPO: memory for environments that show a part of their state.

python examples/learners/sb3_contrib_recurrent_ppo.py CompositionalMiniGrid-v0 --steps 100000

Spaces are as for stable-baselines3, which it builds on. Its MaskablePPO takes GMiniWoB's masks: ``element_mask`` and
``field_mask`` of every info, one after the other.
"""

from command_line import recipe_parser
from gymnasium import spaces
from sb3_contrib import RecurrentPPO

from procgen_bench.baselines.stable_baselines3 import TaskVecEnv

NUM_ENVS, ROLLOUT, EPOCHS = 4, 64, 4

if __name__ == "__main__":
    arguments = recipe_parser(__doc__).parse_args()
    rows = TaskVecEnv(arguments.environment, NUM_ENVS, **arguments.options)
    policy = "MultiInputLstmPolicy" if isinstance(rows.observation_space, spaces.Dict) else "MlpLstmPolicy"
    model = RecurrentPPO(
        policy,
        rows,
        n_steps=ROLLOUT,
        batch_size=ROLLOUT,
        n_epochs=EPOCHS,
        policy_kwargs={"lstm_hidden_size": 64},
        device="cpu",
        verbose=1,
    )
    model.learn(arguments.steps)
    rows.close()
    print(f"trained for {model.num_timesteps:,} steps")
