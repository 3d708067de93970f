"""CVaR of policies: their success, or return, on the worst 1 to 100 % of a benchmark's tasks.

Papers on unsupervised environment design report it of random levels, since a mean hides the levels that are never
solved. Every task is played several times: one half of its episodes ranks it, the other scores it
(:func:`.worst_shares`), so that a task is not counted among the worst for its bad luck.

``python -m procgen_bench.leaderboards.evaluation.cvar BENCHMARK POLICY...`` prints a row of a table for each policy.
"""

import argparse
from collections.abc import Sequence

import numpy as np
import torch

from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError, ProcgenBenchError
from procgen_bench.core.policy import Policy
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.leaderboards.statistics.worst_tenth import FEWEST_EPISODES, worst_shares

#: Shares of the tasks, in percent, that papers report; at 100 it is the mean.
PERCENTS = (1, 2, 5, 10, 20, 50, 100)


def task_scores(policy: Policy, benchmark: Benchmark, num_tasks: int, episodes: int) -> np.ndarray:
    """Scores float64 (tasks, episodes) by the benchmark's metric, of tasks that are spread evenly over its suite.

    Args:
        policy: Who plays, with the same seeds as every other.
        benchmark: What it plays.
        num_tasks: Tasks at most.
        episodes: Episodes of each, at least :data:`.FEWEST_EPISODES`.

    Raises:
        InvalidOptionError: Too few episodes, or no task.
        PolicyCrashedError: The policy raised an error.
    """
    if num_tasks < 1 or episodes < FEWEST_EPISODES:
        raise InvalidOptionError(
            f"tasks is {num_tasks} and episodes {episodes}, expected at least 1 and {FEWEST_EPISODES}: fewer episodes "
            "of a task rank nothing"
        )
    suite = benchmark.task_suite()
    places = np.linspace(0, len(suite) - 1, min(num_tasks, len(suite))).round().astype(int).tolist()
    tasks = [suite.tasks[place] for place in places for _ in range(episodes)]
    seeds = [seed_from_parts("cvar", number) for number in range(len(tasks))]
    policy.seed(0)
    played = play_episodes(policy, benchmark.environment_id, tasks, seeds, progress="CVaR")
    scores = [one.success if benchmark.metric == "success" else one.return_ for one in played]
    return np.array(scores, np.float64).reshape(len(places), episodes)


def cvar(scores: np.ndarray, percents: Sequence[int] = PERCENTS) -> dict[int, float]:
    """Mean score on the worst so many percent of the tasks, by percent, of scores (tasks, episodes)."""
    return {percent: float(worst_shares(scores[None], percent, np.random.default_rng(0))[0]) for percent in percents}


def main(arguments: Sequence[str] | None = None) -> None:
    """Play, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmark", metavar="BENCHMARK", help="What is played, e.g. ued-maze/random.")
    parser.add_argument("policies", metavar="POLICY", nargs="+", help="Folders of policies, or names as random.")
    parser.add_argument("--tasks", type=int, default=1_000, help="Tasks at most (default 1,000).")
    parser.add_argument("--episodes", type=int, default=10, help="Episodes of each (default 10).")
    chosen = parser.parse_args(arguments)
    torch.set_num_threads(1)  # small networks gain nothing from more
    try:
        benchmark = get_benchmark(chosen.benchmark)
        print(f"| Policy | {' | '.join(f'{percent} %' for percent in PERCENTS)} |")
        print(f"| --- |{' ---: |' * len(PERCENTS)}", flush=True)
        for name in chosen.policies:
            policy = load_policy(name, benchmark.environment_id)
            found = cvar(task_scores(policy, benchmark, chosen.tasks, chosen.episodes))
            print(f"| {name} | {' | '.join(f'{value:.3f}' for value in found.values())} |", flush=True)
    except ProcgenBenchError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
