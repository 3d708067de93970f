"""Demonstrations as a Minari dataset: the solver's episodes.

python examples/learners/minari_demonstrations.py GridWorld-v0 --steps 1000 --options '{"tasks": "graded"}'

Minari keeps it where ``MINARI_DATASETS_PATH`` says, under ``procgen_bench/GridWorld-v0/solver-v0``. An episode's task
follows from its seed, which is kept; options of ``reset``, as a task, would have to be plain values.
"""

import gymnasium
import minari
from command_line import recipe_parser

if __name__ == "__main__":
    arguments = recipe_parser(__doc__).parse_args()
    env = minari.DataCollector(gymnasium.make(arguments.environment, **arguments.options))
    steps = seed = 0
    while steps < arguments.steps:
        env.reset(seed=seed)
        solution = env.unwrapped.task_space.solve(env.unwrapped.task)
        for action in () if solution is None else solution:
            _, _, terminated, truncated, _ = env.step(action)
            steps += 1
            if terminated or truncated:
                break
        seed += 1
    dataset = env.create_dataset(
        f"procgen_bench/{arguments.environment}/solver-v0",
        eval_env=arguments.environment,
        algorithm_name="solver",
        description=f"The solver's episodes of {arguments.environment}, with seeds from 0 on.",
    )
    env.close()
    print(f"kept {dataset.total_episodes} episodes, {dataset.total_steps:,} steps")
