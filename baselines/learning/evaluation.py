"""Evaluating a policy that is still in training, on the benchmark's tasks under seeds of no submission."""

import numpy as np

from procgen_bench.baselines.rollout import play_episodes
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.checks import check_count
from procgen_bench.core.policy import Policy
from procgen_bench.core.seeding import seed_from_parts


def evaluate(
    policy: Policy, benchmark: Benchmark, num_tasks: int | None = None, episodes_per_task: int | None = None
) -> dict[str, float]:
    """Means over the benchmark's tasks, or so many of them, spread evenly over the suite.

    Of each as many episodes are played as the benchmark scores, unless told otherwise.

    Returns:
        Mean return, success and length, and means of what the environment tells of its episodes' ends beside them
        (voxel building's structure completion).
    """
    if episodes_per_task is not None:
        check_count("evaluation_episodes", episodes_per_task)
    suite = benchmark.task_suite().tasks
    places = np.linspace(0, len(suite) - 1, min(num_tasks or len(suite), len(suite))).round().astype(int)
    tasks = [suite[place] for place in places for _ in range(episodes_per_task or benchmark.episodes_per_task)]
    seeds = [seed_from_parts("training evaluation", index) for index in range(len(tasks))]
    policy.seed(0)
    episodes = play_episodes(policy, benchmark.environment_id, tasks, seeds)
    return {
        "return": float(np.mean([episode.return_ for episode in episodes])),
        "success": float(np.mean([episode.success for episode in episodes])),
        "length": float(np.mean([episode.length for episode in episodes])),
    } | {name: float(np.mean([episode.measures[name] for episode in episodes])) for name in episodes[0].measures}
