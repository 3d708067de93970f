"""Boards of XLand with made-up returns: what pages show, without the hours that playing takes."""

import hashlib
from pathlib import Path

import numpy as np

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.leaderboards.board.board import entries_folder
from procgen_bench.leaderboards.board.record import RECORD_FILE, FreshScore, NormalisedScores, VerifiedRecord
from procgen_bench.leaderboards.board.trace_store import keep_traces
from procgen_bench.leaderboards.board.trust import make_board, read_trust
from procgen_bench.leaderboards.board.verifier import own_root, own_verifier
from procgen_bench.leaderboards.submission.metadata import FORMAT_VERSION, METADATA_FILE, Metadata, Run
from procgen_bench.leaderboards.submission.protocol import Protocol
from procgen_bench.leaderboards.submission.traces import Traces

_STEPS = 4


def xland_benchmark(name: str, suite: str, task_names: tuple[str, ...] | None) -> Benchmark:
    """A benchmark of the track."""
    return Benchmark(
        id=f"xland/{name}",
        version=1,
        environment_id="XLand-v0",
        suite=suite,
        task_names=task_names,
        episodes_per_task=1,
        interaction_budget=10_000_000_000,
        training_tasks="whatever no suite holds",
        metric="return",
        minimum=0.0,
        maximum=900.0,
        tolerance=0.0,
        description="Made-up returns of methods that do not exist.",
    )


def write_entry(
    board: Path,
    benchmark: Benchmark,
    method: str,
    scores,
    oracle: bool = False,
    protocol: Protocol | None = None,
    normalised: NormalisedScores | None = None,
    fresh=None,
) -> None:
    """An entry of these returns, runs x tasks, on a board; its episodes are a few steps long and prove nothing.

    ``fresh`` is what its runs scored on fresh episodes, by default the same; an oracle has no such score.
    """
    scores = np.asarray(scores, np.float64)
    protocol = protocol or Protocol(benchmark)
    runs = [
        Run(training_seed=seed, policy_hash=hashlib.sha256(f"{method}|{seed}".encode()).hexdigest())
        for seed in range(len(scores))
    ]
    metadata = Metadata(
        format_version=FORMAT_VERSION,
        method=method,
        authors="Tests",
        link=None,
        benchmark=benchmark.id,
        benchmark_version=benchmark.version,
        oracle=oracle,
        training_steps=0,
        runs=runs,
        policies=False,
        claimed_score=float(scores.mean()),
        package_versions={"package": "1"},
        command="pytest",
        commit=None,
        hardware="none",
        wall_time_seconds=0.0,
        notes="",
    )
    traces = _traces(protocol, runs, scores)
    verifier = own_verifier()
    record = VerifiedRecord(
        tier="replayed" if oracle else "re-run",
        score=float(scores.mean()),
        scores=scores.tolist(),
        unfinished_episodes=0,
        fresh=None if oracle else _fresh(scores.mean(axis=1) if fresh is None else fresh),
        normalised=normalised,
        submission=hashlib.sha256(metadata.to_json()).hexdigest(),
        traces=traces.address(),
        run_actions=[run.policy_hash for run in runs],  # as if they played differently
        package_versions={"package": "1"},
        submitted_on="2026-01-01",
        verifier=verifier.public_key,
    )
    if read_trust(board).file is None:
        make_board(verifier, own_root(), board, "2026-01-01")
    keep_traces(traces, board)
    folder = entries_folder(benchmark, board) / metadata.entry_name
    folder.mkdir(parents=True)
    (folder / METADATA_FILE).write_bytes(metadata.to_json())
    (folder / RECORD_FILE).write_bytes(record.signed(verifier).to_json())


def _fresh(runs) -> FreshScore:
    runs = np.asarray(runs, np.float64)
    return FreshScore(score=float(runs.mean()), runs=runs.tolist(), episodes=50, seconds=1.0, secret="0" * 64)


def _traces(protocol: Protocol, runs: list[Run], scores: np.ndarray) -> Traces:
    num_tasks, num_episodes = len(protocol.task_indices), scores.size
    space, rng = protocol.action_space, np.random.default_rng(0)
    steps = _STEPS if num_episodes < 1000 else 0
    return Traces(
        runs=np.repeat(np.arange(len(runs), dtype=np.int32), num_tasks),
        tasks=np.tile(protocol.task_indices, len(runs)),
        seeds=np.concatenate([protocol.seeds(run) for run in runs]),
        lengths=np.full(num_episodes, steps, np.int32),
        scores=scores.ravel(),
        actions=rng.integers(0, space.nvec, (num_episodes * steps, len(space.nvec))).astype(space.dtype),
    )
