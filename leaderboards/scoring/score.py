"""The pure function: (players, benchmark, epoch) -> record."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from gymnasium import spaces

from procgen_bench.baselines.policies.loading import policy_hash
from procgen_bench.baselines.policies.onnx.sandbox.limits import Limits
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.progress import Progress
from procgen_bench.core.provenance import commit, hardware
from procgen_bench.core.version import __version__
from procgen_bench.engine.parallel import Workers
from procgen_bench.leaderboards.scoring.epoch import Epoch
from procgen_bench.leaderboards.scoring.fresh import PlayedEpisode, fresh_episodes, sketch_places, suite_episodes
from procgen_bench.leaderboards.scoring.playing import Player, play_policy
from procgen_bench.leaderboards.scoring.record import Record
from procgen_bench.leaderboards.scoring.sketches import action_numbers, sketch
from procgen_bench.leaderboards.submission.metadata import policy_file
from procgen_bench.leaderboards.verification.verification import episode_score


@dataclass(frozen=True)
class Measured:
    """What one policy did; fields as of :class:`Record`."""

    suite: list[float]
    fresh: list[float]
    suite_steps: int
    fresh_steps: list[int]
    unfinished: int
    sketch: str
    parameters: int


def score(
    players: Sequence[Player],
    benchmark: Benchmark,
    epoch: Epoch,
    action_space: spaces.Space,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    workers: Workers = None,
    show_progress: bool = False,
) -> Record:
    """Play policies under an epoch.

    What is measured of a policy depends on nothing but the policy, the benchmark and the salt: not on the other
    policies, nor on the workers.

    Args:
        players: ONNX files' content, or names of scripted players.
        benchmark: What they play.
        epoch: Whose salt draws tasks, seeds and noise.
        action_space: The benchmark's.
        limits: What a policy may take for each part of its play.
        workers: Who plays physics.
        show_progress: Whether a bar is shown.

    Raises:
        InvalidSubmissionError: A file is refused, or a policy is stopped; names it.
        TooSlowHereError: A policy takes more time than it is given, on this machine.
        NoSandboxError, MissingExtraError: Policies cannot be played safely here.
    """
    suite, fresh = suite_episodes(benchmark, epoch.salt_bytes), fresh_episodes(benchmark, epoch.salt_bytes)
    places = sketch_places(benchmark, epoch.salt_bytes, action_numbers(action_space))
    bar = Progress(players, desc="scoring", unit="policy", delay=2, disable=not show_progress)
    measured = [
        _measured(player, policy_file(run), benchmark, suite, fresh, places, action_space, limits, workers)
        for run, player in enumerate(bar)
    ]
    return record_of([hash_of(player, benchmark) for player in players], measured, benchmark, epoch)


def hash_of(player: Player, benchmark: Benchmark) -> str:
    """SHA-256 that stands for a player."""
    if isinstance(player, str):
        return policy_hash(player, benchmark.environment_id)
    return hashlib.sha256(player).hexdigest()


def record_of(policies: list[str], measured: Sequence[Measured], benchmark: Benchmark, epoch: Epoch) -> Record:
    """The record of what was measured."""
    return Record(
        benchmark=benchmark.id,
        version=benchmark.version,
        epoch=epoch.number,
        policies=policies,
        suite=[one.suite for one in measured],
        fresh=[one.fresh for one in measured],
        suite_steps=[one.suite_steps for one in measured],
        fresh_steps=[one.fresh_steps for one in measured],
        unfinished=[one.unfinished for one in measured],
        sketches=[one.sketch for one in measured],
        parameters=[one.parameters for one in measured],
        package=__version__,
        commit=commit() or "",
        machine=hardware(),
    )


def _measured(
    player: Player,
    name: str,
    benchmark: Benchmark,
    suite: Sequence[PlayedEpisode],
    fresh: Sequence[PlayedEpisode],
    places: Sequence[np.ndarray],
    action_space: spaces.Space,
    limits: Limits,
    workers: Workers,
) -> Measured:
    played = play_policy(player, name, benchmark, suite, limits, workers)
    anew = play_policy(player, name, benchmark, fresh, limits, workers) if fresh else played._replace(episodes=[])
    return Measured(
        suite=[episode_score(benchmark, one) for one in played.episodes],
        fresh=[episode_score(benchmark, one) for one in anew.episodes],
        suite_steps=sum(one.length for one in played.episodes),
        fresh_steps=[one.length for one in anew.episodes],
        unfinished=sum(not one.finished for one in (*played.episodes, *anew.episodes)),
        sketch=sketch([one.actions for one in anew.episodes], places, action_space).hex(),
        parameters=played.parameters,
    )
