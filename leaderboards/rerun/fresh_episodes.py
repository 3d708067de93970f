"""Fresh episodes: tasks and seeds that only the verifier can know before a policy is fixed."""

import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.task import Task


@dataclass(frozen=True, eq=False)
class PlayedEpisode:
    """One episode that the verifier plays.

    Attributes:
        task: A scored task, or one that was drawn by the benchmark's held-out generator.
        seed: Seed of the environment's reset, which also decides the policy's noise.
    """

    task: Task
    seed: int


def fresh_episodes(
    benchmark: Benchmark, policy_hash: str, secret: bytes, places: Iterable[int] | None = None
) -> list[PlayedEpisode]:
    """The episodes that a re-run of a policy plays at these places; ``None``: the first
    ``benchmark.num_fresh_episodes``.

    They are derived by HMAC-SHA256 from the verifier's secret, the policy, the benchmark and its version: the same for
    everyone who knows the secret, and unpredictable for the policy's author.
    """
    episodes = []
    for index in range(benchmark.num_fresh_episodes) if places is None else places:
        rng = secret_generator(secret, benchmark, policy_hash, index)
        episodes.append(PlayedEpisode(benchmark.draw(rng), int(rng.integers(2**63))))
    return episodes


def secret_generator(secret: bytes, benchmark: Benchmark, name: str, index: int) -> np.random.Generator:
    """A random generator that the verifier's secret, the benchmark, a name and a number decide."""
    text = f"{benchmark.id}|{benchmark.version}|{name}|{index}"
    return np.random.default_rng(np.frombuffer(hmac.digest(secret, text.encode(), "sha256"), np.uint32))


def commitment(secret: bytes) -> str:
    """SHA-256 (hexadecimal) of a secret: what a board names it by before it is used, and until it is published."""
    return hashlib.sha256(secret).hexdigest()
