"""What an epoch's salt decides: fresh tasks, episode seeds with the policies' noise, and which actions are noted.

All of it comes from HMAC-SHA256(salt, benchmark, version, what, k), never from a policy. So all policies of an epoch
meet the same, differences between them are paired, and nobody can draw again.
"""

import hmac
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.task import Task

#: Numbers of a policy's sketch: places x numbers of an action. And places of an episode, at most.
_SKETCHED, _PLACES = 4_096, 24


@dataclass(frozen=True, eq=False)
class PlayedEpisode:
    """One episode that is played.

    Attributes:
        task: A scored task, or a fresh one.
        seed: Seed of the environment's reset, which also decides the policy's noise.
    """

    task: Task
    seed: int


def suite_episodes(benchmark: Benchmark, salt: bytes) -> list[PlayedEpisode]:
    """Every task of the suite in turn, ``episodes_per_task`` times in a row."""
    tasks = [task for task in benchmark.task_suite().tasks for _ in range(benchmark.episodes_per_task)]
    return [
        PlayedEpisode(task, int(generator(salt, benchmark, "suite", place).integers(2**63)))
        for place, task in enumerate(tasks)
    ]


@lru_cache(1)  # all rows of an epoch meet the same, and drawing takes up to minutes
def fresh_episodes(benchmark: Benchmark, salt: bytes) -> tuple[PlayedEpisode, ...]:
    """``benchmark.num_fresh_episodes`` of tasks that :meth:`~.Benchmark.draw` gives; none where it gives none."""
    if not benchmark.has_fresh_tasks:
        return ()
    rngs = (generator(salt, benchmark, "fresh", place) for place in range(benchmark.num_fresh_episodes))
    return tuple(PlayedEpisode(benchmark.draw(rng), int(rng.integers(2**63))) for rng in rngs)


def sketch_places(benchmark: Benchmark, salt: bytes, action_numbers: int) -> list[np.ndarray]:
    """int64 of each fresh episode: the steps whose actions are noted, rising; early ones lie closer.

    They are unknown before the epoch begins, so no policy can act otherwise there alone.
    """
    episodes = benchmark.num_fresh_episodes if benchmark.has_fresh_tasks else 0
    count = min(_PLACES, max(1, _SKETCHED // (max(episodes, 1) * action_numbers)))
    most = np.log(benchmark.max_episode_steps)
    rngs = (generator(salt, benchmark, "sketch", place) for place in range(episodes))
    return [np.unique(np.exp(rng.uniform(0, most, count)).astype(np.int64) - 1) for rng in rngs]


def generator(salt: bytes, benchmark: Benchmark, what: str, place: int) -> np.random.Generator:
    """The random generator of one place."""
    text = f"{benchmark.id}|{benchmark.version}|{what}|{place}"
    return np.random.default_rng(np.frombuffer(hmac.digest(salt, text.encode(), "sha256"), np.uint32))
