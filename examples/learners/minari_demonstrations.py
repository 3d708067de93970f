"""Episodes as a Minari dataset: the solver's, or those of any policy.

python examples/learners/minari_demonstrations.py GridWorld-v0 --steps 1000 --options '{"tasks": "graded"}'
python examples/learners/minari_demonstrations.py XLandSmall-v0 --steps 1000000 --policy xland-scripted

A policy is what ``procgen-bench evaluate`` takes: a name, a policy's folder or file. Minari keeps the dataset where
``MINARI_DATASETS_PATH`` says, under ``procgen_bench/GridWorld-v0/solver-v0``. An episode's task follows from its seed,
which is kept; options of ``reset``, as a task, would have to be plain values.
"""

from collections.abc import Iterator
from pathlib import Path

import gymnasium
import minari
import numpy as np
from command_line import recipe_parser
from gymnasium.vector.utils import concatenate, create_empty_array

from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.core.policy import NoisyPolicy, OraclePolicy, Policy
from procgen_bench.core.progress import Progress


def main() -> None:
    """Play episodes until there are steps enough, and keep them."""
    parser = recipe_parser(__doc__ or "")
    parser.add_argument("--policy", default="solver", help="a policy's name, folder or file; %(default)s")
    arguments = parser.parse_args()
    policy = load_policy(arguments.policy, arguments.environment)
    options = {**policy.environment_options, **arguments.options}
    env = minari.DataCollector(gymnasium.make(arguments.environment, **options))
    played = played_steps(env, policy)
    for _ in Progress(range(arguments.steps), desc="steps", total=arguments.steps):
        next(played)
    while next(played):  # the last episode is kept whole
        pass
    name = Path(arguments.policy).name
    dataset = env.create_dataset(
        f"procgen_bench/{arguments.environment}/{name}-v0",
        eval_env=arguments.environment,
        algorithm_name=name,
        description=f"Episodes of {arguments.environment} by {name}, with seeds from 0 on.",
    )
    env.close()
    print(f"kept {dataset.total_episodes} episodes, {dataset.total_steps:,} steps")


def played_steps(env: gymnasium.Env, policy: Policy) -> Iterator[bool]:
    """Play one episode after the other, by seeds from 0 on; says after every step whether its episode goes on."""
    seed, start = 0, np.ones(1, np.bool_)
    space = env.observation_space
    rows = create_empty_array(space, 1)
    while True:
        observation, _ = env.reset(seed=seed)
        if isinstance(policy, OraclePolicy):
            policy.begin_in(env.unwrapped, 0, env.unwrapped.task, seed)  # type: ignore[attr-defined]
        if isinstance(policy, NoisyPolicy):
            policy.begin_noise(0, seed)
        starts, goes_on = start, True
        while goes_on:
            action = policy.act(concatenate(space, [observation], rows), starts)[0]
            observation, _, terminated, truncated, _ = env.step(action)
            starts, goes_on = ~start, not (terminated or truncated)
            yield goes_on
        seed += 1


if __name__ == "__main__":
    main()
