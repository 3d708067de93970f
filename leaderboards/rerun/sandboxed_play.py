"""Playing episodes with the policy that an ONNX file holds: in sandboxes, and within the time that a submission has."""

import time
from collections.abc import Sequence
from contextlib import closing
from typing import NamedTuple

import numpy as np

from procgen_bench.baselines.policies.episode import Episode, PolicyCrashedError
from procgen_bench.baselines.policies.onnx.sandbox.limits import Limits
from procgen_bench.baselines.policies.onnx.sandbox.policy import SandboxedPolicy
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.errors import InvalidOptionError, InvalidPolicyError, PolicyStoppedError
from procgen_bench.engine.parallel import Workers, finished_jobs
from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.evaluation.playing import EPISODES_PER_CHUNK
from procgen_bench.leaderboards.evaluation.recording import Recording
from procgen_bench.leaderboards.rerun.fresh_episodes import PlayedEpisode
from procgen_bench.leaderboards.submission.protocol import check_policy_options
from procgen_bench.leaderboards.submission.submission import EpisodeTrace
from procgen_bench.leaderboards.verification.replay import Outcome, replay_for

#: Seconds that the episodes of all policies of a submission may take together, by default.
BUDGET_SECONDS = 7_200.0


class Budget:
    """The time that a submission's policies may take in all, whatever they play.

    Episodes that are played together have what is left when their run begins; so a submission takes twice as long at
    most, for each worker.

    Args:
        seconds: How long that is.
    """

    def __init__(self, seconds: float = BUDGET_SECONDS):
        self._seconds, self.spent = seconds, 0.0

    @property
    def limits(self) -> Limits:
        """What a policy may take that is loaded now."""
        return Limits(total_seconds=max(self._seconds - self.spent, 1.0))

    def spend(self, seconds: float, policy: str) -> None:
        """Take time off.

        Raises:
            InvalidSubmissionError: None is left; names the policy that was playing.
        """
        self.spent += seconds
        if self.spent > self._seconds:
            expected = f"at most {self._seconds:g}, of all policies and episodes (--max-seconds)"
            raise InvalidSubmissionError(policy, "seconds that the submission took", round(self.spent), expected)


class Played(NamedTuple):
    """Episodes that a policy played, in their order: the actions of each, and what each gave; and its parameters."""

    actions: list[np.ndarray]
    outcomes: list[Outcome]
    parameters: int


class _Part(NamedTuple):
    """What came of some episodes: nothing but a fault, where there was one."""

    episodes: list[Episode]
    outcomes: Sequence[Outcome]
    seconds: float
    fault: str
    parameters: int = 0


def play_policy(
    policy: bytes,
    name: str,
    benchmark: Benchmark,
    episodes: Sequence[PlayedEpisode],
    budget: Budget,
    workers: Workers = None,
) -> Played:
    """Play episodes in parts that do not depend on the workers; physics in as many processes as there are.

    Args:
        policy: The ONNX file's content.
        name: What errors call it.
        benchmark: Under whose protocol it plays.
        episodes: What it plays.
        budget: The time that it may take.
        workers: Who plays physics.

    Raises:
        InvalidSubmissionError: The file is refused, the policy is stopped, or the time is up.
        NoSandboxError, MissingExtraError: Policies cannot be played safely here.
    """
    size = EPISODES_PER_CHUNK if benchmark.physics else max(len(episodes), 1)
    limits = budget.limits
    jobs = [(policy, benchmark, episodes[start : start + size], limits) for start in range(0, len(episodes), size)]
    parts: dict[int, _Part] = {}
    with closing(finished_jobs(_play_part, jobs, workers if len(jobs) > 1 else None)) as results:
        for place, part in results:
            budget.spend(part.seconds, name)
            if part.fault:
                expected = f"one that plays its episodes to their end: {part.fault}"
                raise InvalidSubmissionError(name, "policy", "refused or stopped", expected)
            parts[place] = part
    played = [episode for place in sorted(parts) for episode in parts[place].episodes]
    outcomes = [outcome for place in sorted(parts) for outcome in parts[place].outcomes]
    if len(outcomes) < len(played):
        traces = [
            EpisodeTrace(episode.task, "", 0, episode.seed, one.actions, claimed_score=np.nan)
            for episode, one in zip(episodes, played, strict=True)
        ]
        outcomes = replay_for(benchmark, traces, workers=workers)
    parameters = max((part.parameters for part in parts.values()), default=0)
    return Played([episode.actions for episode in played], outcomes, parameters)


def _play_part(policy: bytes, benchmark: Benchmark, episodes: Sequence[PlayedEpisode], limits: Limits) -> _Part:
    """Play episodes in a sandbox of their own; those of physics are recorded meanwhile, where that can be."""
    tasks, seeds = [episode.task for episode in episodes], [episode.seed for episode in episodes]
    begun = time.perf_counter()
    try:
        with SandboxedPolicy.from_bytes(policy, benchmark.environment_id, limits) as sandboxed:
            check_policy_options(sandboxed)
            if not benchmark.physics:
                played = play_episodes(sandboxed, benchmark.environment_id, tasks, seeds)
                return _Part(played, (), time.perf_counter() - begun, "", sandboxed.parameters)
            recorders = Recording.of(benchmark).recorders(sandboxed.environment_options)
            played = play_episodes(
                sandboxed, benchmark.environment_id, tasks, seeds, len(tasks), serial=True, wrapper=recorders
            )
            return _Part(played, recorders.outcomes, time.perf_counter() - begun, "", sandboxed.parameters)
    except (InvalidPolicyError, InvalidOptionError, PolicyStoppedError) as error:
        return _Part([], (), time.perf_counter() - begun, str(error))
    except PolicyCrashedError as crash:
        return _Part([], (), time.perf_counter() - begun, str(crash.__cause__))
