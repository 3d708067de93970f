"""Playing episodes with a policy of others, in sandboxes, or with a scripted player."""

from collections.abc import Sequence
from contextlib import closing
from typing import NamedTuple

from procgen_bench.baselines.policies.episode import Episode, PolicyCrashedError
from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.policies.onnx.sandbox.limits import Limits
from procgen_bench.baselines.policies.onnx.sandbox.policy import SandboxedPolicy
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.errors import (
    InvalidOptionError,
    InvalidPolicyError,
    PolicyStoppedError,
    PolicyTooSlowError,
)
from procgen_bench.core.policy import Policy
from procgen_bench.core.task import Task
from procgen_bench.engine.parallel import Workers, finished_jobs
from procgen_bench.leaderboards.errors import InvalidSubmissionError, TooSlowHereError
from procgen_bench.leaderboards.scoring.fresh import PlayedEpisode
from procgen_bench.leaderboards.submission.protocol import check_policy_options

#: Episodes that a policy plays at a time on physics tracks, from its loading on. Never to depend on the machine: it
#: decides what is rounded how.
EPISODES_PER_CHUNK = 10
#: Scripted players are played one after the other where they look into their environments.
Player = bytes | str


class Played(NamedTuple):
    """Episodes that a policy played, in their order; and its number of parameters, 0 of a scripted one."""

    episodes: list[Episode]
    parameters: int


class _Part(NamedTuple):
    """What came of some episodes: nothing but a fault, where there was one."""

    episodes: list[Episode]
    parameters: int = 0
    fault: str = ""
    too_slow: bool = False


def play_policy(
    player: Player,
    name: str,
    benchmark: Benchmark,
    episodes: Sequence[PlayedEpisode],
    limits: Limits = Limits(),  # noqa: B008 - frozen
    workers: Workers = None,
) -> Played:
    """Play episodes in parts that do not depend on the workers; physics in as many processes as there are.

    Args:
        player: An ONNX file's content, which plays in a sandbox; or the name of a scripted player.
        name: What errors call it.
        benchmark: Under whose protocol it plays.
        episodes: What it plays.
        limits: What a policy may take for each part.
        workers: Who plays physics.

    Raises:
        InvalidSubmissionError: The file is refused, or the policy is stopped.
        TooSlowHereError: It takes more time than it is given, on this machine.
        NoSandboxError, MissingExtraError: Policies cannot be played safely here.
    """
    size = EPISODES_PER_CHUNK if benchmark.physics else max(len(episodes), 1)
    jobs = [(player, benchmark, episodes[start : start + size], limits) for start in range(0, len(episodes), size)]
    parts: dict[int, _Part] = {}
    with closing(finished_jobs(_play_part, jobs, workers if len(jobs) > 1 else None)) as results:
        for place, part in results:
            if part.too_slow:
                raise TooSlowHereError(name, part.fault)
            if part.fault:
                expected = f"one that plays its episodes to their end: {part.fault}"
                raise InvalidSubmissionError(name, "policy", "refused or stopped", expected)
            parts[place] = part
    played = [episode for place in sorted(parts) for episode in parts[place].episodes]
    return Played(played, max((part.parameters for part in parts.values()), default=0))


def part_of(
    benchmark: Benchmark, episodes: Sequence[PlayedEpisode], number: int
) -> tuple[int, Sequence[PlayedEpisode]]:
    """The episodes that are played together with one of them, and the place of the first: played alone, a player that
    draws for all at once would draw otherwise."""
    size = EPISODES_PER_CHUNK if benchmark.physics else len(episodes)
    first = number // size * size
    return first, episodes[first : first + size]


def _play_part(player: Player, benchmark: Benchmark, episodes: Sequence[PlayedEpisode], limits: Limits) -> _Part:
    """Play episodes with a policy that is loaded for them."""
    tasks, seeds = [episode.task for episode in episodes], [episode.seed for episode in episodes]
    if isinstance(player, str):
        with closing(load_policy(player, benchmark.environment_id)) as scripted:
            scripted.seed(seeds[0] % 2**32)
            try:
                return _Part(_played(scripted, benchmark, tasks, seeds))
            except PolicyCrashedError as crash:  # one that does nothing at all gives up so
                return _Part(crash.episodes)
    try:
        with SandboxedPolicy.from_bytes(player, benchmark.environment_id, limits) as sandboxed:
            check_policy_options(sandboxed)
            played = _played(sandboxed, benchmark, tasks, seeds)
            return _Part(played, sandboxed.parameters)
    except PolicyTooSlowError as error:
        return _Part([], fault=str(error), too_slow=True)
    except (InvalidPolicyError, InvalidOptionError, PolicyStoppedError) as error:
        return _Part([], fault=str(error))
    except PolicyCrashedError as crash:
        return _Part([], fault=str(crash.__cause__), too_slow=isinstance(crash.__cause__, PolicyTooSlowError))


def _played(policy: Policy, benchmark: Benchmark, tasks: Sequence[Task], seeds: Sequence[int]) -> list[Episode]:
    if benchmark.physics:
        return play_episodes(policy, benchmark.environment_id, tasks, seeds, len(tasks), serial=True)
    return play_episodes(policy, benchmark.environment_id, tasks, seeds)
