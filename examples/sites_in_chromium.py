"""Whether a trained policy fills in real pages as it does their native twin: gminiwob/test in both.

Every task is played with its own seed, which decides the policy's draws: the same success, return and length are
expected of both, episode by episode. Takes Chromium (extra ``web``).

procgen-bench train pair-ppo gminiwob/test --steps 300000 --teacher random-designs --teacher-options slots=5,pages=3 \\
    --out runs/small
python examples/sites_in_chromium.py runs/small/policy
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from procgen_bench.baselines.policies.episode import Episode
from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.policy import Policy
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.core.task import Task

BENCHMARK = get_benchmark("gminiwob/test")


class InBackend:
    """A policy that is played in one backend of its environment; what it is otherwise stays."""

    def __init__(self, policy: Policy, backend: str):
        self._policy = policy
        self.environment_options = {**policy.environment_options, "backend": backend}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._policy, name)


def played(source: Path | str, backend: str, tasks: Sequence[Task], num_envs: int = 16) -> list[Episode]:
    """An episode of each task by the policy of ``source``, loaded again, in the backend ``"dom"`` or ``"browser"``."""
    policy = InBackend(load_policy(source, BENCHMARK.environment_id), backend)
    seeds = [seed_from_parts("sites in chromium", place) for place in range(len(tasks))]
    return play_episodes(policy, BENCHMARK.environment_id, tasks, seeds, num_envs, progress=backend)  # type: ignore[arg-type]


def unlike(twin: Sequence[Episode], real: Sequence[Episode]) -> list[int]:
    """Places of the episodes that differ in success, return or length."""
    pairs = enumerate(zip(twin, real, strict=True))
    return [place for place, (one, other) in pairs if _result(one) != _result(other)]


def _result(episode: Episode) -> tuple[bool, float, int]:
    return bool(episode.success), float(episode.return_), episode.length


def main() -> None:
    """Play the suite in both, and print what is equal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("policy", type=Path, help="Folder of a policy of GMiniWoB-v0.")
    parser.add_argument("--every", type=int, default=1, help="Of the 460 tasks, every which one.")
    arguments = parser.parse_args()
    suite = BENCHMARK.task_suite()
    places = range(0, len(suite), arguments.every)
    tasks = [suite.tasks[place] for place in places]
    results = {}
    for backend in ("dom", "browser"):
        begun = time.perf_counter()
        results[backend] = played(arguments.policy, backend, tasks)
        successes = sum(bool(episode.success) for episode in results[backend])
        print(f"{backend}: {successes} of {len(tasks)} solved, {time.perf_counter() - begun:.1f} s", flush=True)
    differing = unlike(results["dom"], results["browser"])
    print(f"{len(tasks) - len(differing)} of {len(tasks)} episodes are equal in success, return and length")
    for place in differing:
        print(f"unlike: {suite.task_names[places[place]]}")


if __name__ == "__main__":
    main()
