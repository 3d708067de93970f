"""Behaviour: what a policy does on observations that its author does not know, by which copies are found.

A byte of a file changes its hash, and not what the policy does. So policies are shown the same sequences of
observations, of episodes that random actions play in tasks that the verifier's secret draws, and their answers are
compared. What a policy answers changes nothing of what it is shown.
"""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from gymnasium import spaces

from procgen_bench.baselines.policies.onnx.sandbox.policy import SandboxedPolicy
from procgen_bench.baselines.training.evaluation import make_task_vector_env
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.registrations import make_task_space
from procgen_bench.core.task import Task
from procgen_bench.leaderboards.rerun.fresh_episodes import secret_generator
from procgen_bench.leaderboards.rerun.sandboxed_play import Budget

#: Episodes that are shown, and steps of each.
NUM_EPISODES, NUM_STEPS = 16, 24
#: Up to which share of its range two real numbers of an action are alike.
_ALIKE = 0.05


@dataclass(frozen=True, eq=False)
class Behaviour:
    """What a policy did.

    Attributes:
        actions: (steps, episodes, ...), in the action space's dtype.
        space: The action space.
    """

    actions: np.ndarray
    space: spaces.Space

    def likeness(self, other: "Behaviour") -> float:
        """The share of observations on which both did the same; of real numbers, about the same."""
        if isinstance(self.space, spaces.Box):
            alike = _ALIKE * (self.space.high.astype(np.float64) - self.space.low)
            same = np.abs(self.actions.astype(np.float64) - other.actions) <= alike
        else:
            same = self.actions == other.actions
        return float(same.reshape(*same.shape[:2], -1).all(axis=2).mean())


def behaviour_of(policy: bytes, benchmark: Benchmark, secret: bytes, budget: Budget) -> Behaviour:
    """Show a policy what all policies of a benchmark are shown under a secret.

    Raises:
        InvalidPolicyError, InvalidOptionError, PolicyStoppedError: The file is refused, or the policy is stopped.
        NoSandboxError, MissingExtraError: Policies cannot be played safely here.
    """
    rng = secret_generator(secret, benchmark, "behaviour", 0)
    tasks = _tasks(benchmark, rng)
    seeds = rng.integers(2**63, size=NUM_EPISODES).tolist()
    with (
        SandboxedPolicy.from_bytes(policy, benchmark.environment_id, budget.limits) as shown,
        closing(make_task_vector_env(benchmark.environment_id, NUM_EPISODES, shown.environment_options)) as env,
    ):
        space = env.action_space
        space.seed(int(rng.integers(2**31)))
        starts = np.ones(NUM_EPISODES, np.bool_)
        answers: list[np.ndarray] = []
        observations = _begun(shown, env, tasks, seeds, starts)
        while len(answers) < NUM_STEPS:
            answers.append(np.array(shown.act(observations, starts)))
            observations, _, terminations, truncations, _ = env.step(space.sample())
            starts = terminations | truncations
            if starts.any():
                observations = _begun(shown, env, tasks, seeds, starts)
        return Behaviour(np.stack(answers), env.single_action_space)


def _tasks(benchmark: Benchmark, rng: np.random.Generator) -> list[Task]:
    """Where a suite is one task, policies that learned it do much the same in it: these are shown other tasks."""
    if benchmark.fresh == "tasks":
        return [benchmark.draw(rng) for _ in range(NUM_EPISODES)]
    space = make_task_space(benchmark.environment_id)
    return [space.decode(space.sample(rng)) for _ in range(NUM_EPISODES)]


def _begun(policy: SandboxedPolicy, env, tasks: Sequence, seeds: Sequence[int], rows: np.ndarray):
    observations, _ = env.reset(seed=seeds, options={"task": tasks, "reset_mask": rows})
    for row in np.flatnonzero(rows).tolist():
        policy.begin_noise(row, seeds[row])
    return observations
