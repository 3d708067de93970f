"""Training for a moment, so that everything is compiled that learners and their teachers need."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.core.benchmarks import get_benchmark

#: Method, benchmark, settings and steps of runs that together compile all there is: gradient steps and replays of
#: Q-learning and APT-Gen's networks; advantages and scattered sums; views; pages of sites; scores of goals.
_RUNS: tuple[tuple[str, str, dict[str, Any], int], ...] = (
    (
        "dqn",
        "grid-world/target-a",
        {"teacher": "apt-gen", "teacher_options": "warm_up=60,batch=8", "learning_starts": 8, "batch_size": 8},
        150,
    ),
    ("ppo", "grid-world/graded", {"num_envs": 4, "rollout_steps": 6, "minibatches": 2, "evaluation_tasks": 1}, 24),
    (
        "recurrent-ppo",
        "ued-maze/random",
        {"network": "view", "num_envs": 4, "rollout_steps": 6, "minibatches": 2, "evaluation_tasks": 1},
        24,
    ),
    ("pair-ppo", "gminiwob/test", {"num_envs": 4, "rollout_steps": 6, "minibatches": 2, "evaluation_tasks": 1}, 24),
    ("sibling-rivalry", "bit-grid/test", {"rollouts": 4, "minibatches": 2, "evaluation_tasks": 1}, 200),
)


def train_once() -> None:
    """Train every run from its beginning to its few steps' end, and keep none; then read a scene.

    Raises:
        MissingExtraError: A package that learners need is not installed.
    """
    with TemporaryDirectory() as scratch:
        for method_name, benchmark_id, settings, steps in _RUNS:
            method, benchmark = METHODS[method_name], get_benchmark(benchmark_id)
            configuration = method.configured(benchmark.environment_id, settings)
            method.train(benchmark, configuration, 0, steps, Path(scratch) / method_name)
    read_scenes_once()


def read_scenes_once() -> None:
    """Read XLand's states as its learners do, without its simulation, which the environment's first use compiles."""
    import numpy as np
    from torch import nn

    from procgen_bench.baselines.fast.set_layers import SetTable
    from procgen_bench.baselines.papers.open_ended.agent_policy import AgentNetwork
    from procgen_bench.baselines.papers.open_ended.compiled_scene import CompiledScene
    from procgen_bench.baselines.policies.tensors import array_leaves
    from procgen_bench.envs.xland.observations import observation_space

    space = observation_space("state")
    encoder = AgentNetwork(space, [2], 2, 1, 0).encoder
    scene = CompiledScene(encoder)
    scene.compile_into(SetTable(), nn.Linear(encoder.features, 2))
    scene.encode({name: np.zeros((1, *leaf.shape), leaf.dtype) for name, leaf in array_leaves(space).items()})
