"""How an actor-critic is trained under a teacher: network, rows, and the loop."""

from pathlib import Path
from typing import Any

import torch

from procgen_bench.baselines.actions.kinds import check_learnable
from procgen_bench.baselines.learning.beginning import begin_run, rng_of
from procgen_bench.baselines.learning.training import Training
from procgen_bench.baselines.networks.own_encoder import own_network
from procgen_bench.baselines.policy_gradient.configuration import PolicyGradientConfiguration
from procgen_bench.baselines.policy_gradient.learner import PolicyGradient
from procgen_bench.baselines.policy_gradient.policy import ActorPolicy
from procgen_bench.baselines.run_folder import RunFolder
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.registrations import environment_type
from procgen_bench.core.seeding import seed_from_parts


def train_policy_gradient(
    method: str, benchmark: Benchmark, configuration: PolicyGradientConfiguration, seed: int, steps: int, out: Path
) -> RunFolder:
    """Train for ``steps`` environment steps (the last rollout is cut to fit); resumes the run that ``out`` holds."""
    sizes: dict[str, Any] = {
        "width": configuration.width,
        "layers": configuration.layers,
        "memory": configuration.memory,
        "network": own_network(configuration.network),
    }
    options = environment_type(benchmark.environment_id).learning_options()
    run, rows = begin_run(
        method,
        benchmark,
        configuration,
        seed,
        steps,
        out,
        configuration.num_envs,
        check_actions=check_learnable,
        **options,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed_from_parts("network", seed))
        policy = ActorPolicy(benchmark.environment_id, configuration.stochastic, **sizes)
        network = ActorPolicy(benchmark.environment_id, configuration.stochastic, **sizes).network
    learner = PolicyGradient(network, policy.actions, configuration, rng_of("learner", seed), configuration.device)
    Training(run, learner, rows, policy, sizes, configuration.rollout_steps).train()
    rows.close()
    return run
