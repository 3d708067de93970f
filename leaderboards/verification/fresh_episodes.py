"""Fresh episodes: tasks and seeds that only the verifier can know before a policy is fixed."""

import hashlib
import hmac
from dataclasses import dataclass

import numpy as np

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.task import Task


@dataclass(frozen=True, eq=False)
class FreshEpisode:
    """One episode of a re-run.

    Attributes:
        task: Drawn by the benchmark's held-out generator.
        seed: Seed of the environment's reset, which also decides the policy's noise.
    """

    task: Task
    seed: int


def fresh_episodes(benchmark: Benchmark, policy_hash: str, secret: bytes) -> list[FreshEpisode]:
    """The episodes that a re-run of a policy plays, ``benchmark.num_fresh_episodes`` of them.

    They are derived by HMAC-SHA256 from the verifier's secret, the policy, the benchmark and its version: the same for
    everyone who knows the secret, and unpredictable for the policy's author.
    """
    episodes = []
    for index in range(benchmark.num_fresh_episodes):
        text = f"{benchmark.id}|{benchmark.version}|{policy_hash}|{index}"
        digest = hmac.digest(secret, text.encode(), "sha256")
        rng = np.random.default_rng(np.frombuffer(digest, np.uint32))
        episodes.append(FreshEpisode(benchmark.draw(rng), int(rng.integers(2**63))))
    return episodes


def commitment(secret: bytes) -> str:
    """SHA-256 (hexadecimal) of a secret: what a record names it by until it is published."""
    return hashlib.sha256(secret).hexdigest()
