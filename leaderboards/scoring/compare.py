"""Comparing two records of the same row, field by field."""

import numpy as np
from gymnasium import spaces

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.leaderboards.scoring.record import Record

#: Where floating point decides: up to which share of the benchmark's range a policy's mean may differ, and an episode's
#: score; and how many of the episodes may differ by more, since one rounding may decide an episode.
MEAN_TOLERANCE, EPISODE_TOLERANCE, OTHER_EPISODES = 0.03, 0.01, 0.1
#: What is compared to the digit even there.
_ALWAYS_EQUAL = ("schema_version", "benchmark", "version", "epoch", "policies", "parameters")


def is_exact(benchmark: Benchmark, action_space: spaces.Space) -> bool:
    """Whether every machine makes the same bytes: nothing is physics, and no action is a real number."""
    return not (benchmark.physics or isinstance(action_space, spaces.Box))


def differing_fields(recorded: Record, made: Record, benchmark: Benchmark, action_space: spaces.Space) -> list[str]:
    """Names of the fields in which a record is not what was made again; none where they agree.

    Who made them (package, commit, machine) is not compared.
    """
    own, others = recorded.measured(), made.measured()
    differing = [name for name in own if own[name] != others[name]]
    if is_exact(benchmark, action_space):
        return differing
    within = [name for name in ("suite", "fresh") if _agree(own[name], others[name], benchmark)]
    by_rounding = {*within, *_followers(within)}
    return [name for name in differing if name in _ALWAYS_EQUAL or name not in by_rounding]


def _followers(within: list[str]) -> tuple[str, ...]:
    """What may differ with episodes whose scores agree."""
    if within != ["suite", "fresh"]:
        return ()
    return ("suite_steps", "fresh_steps", "unfinished", "sketches")


def _agree(recorded: list[list[float]], made: list[list[float]], benchmark: Benchmark) -> bool:
    own, others = np.array(recorded, np.float64), np.array(made, np.float64)
    if own.shape != others.shape:
        return False
    if not own.size:
        return True
    span = benchmark.maximum - benchmark.minimum
    means = np.abs(own.mean(axis=1) - others.mean(axis=1))
    other = (np.abs(own - others) > EPISODE_TOLERANCE * span).mean(axis=1)
    return bool((means <= MEAN_TOLERANCE * span).all() and (other <= OTHER_EPISODES).all())
