"""Boards of XLand with made-up returns: what pages show, without the hours that playing takes."""

import hashlib
from pathlib import Path

import numpy as np

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.leaderboards.board.board import entries_folder
from procgen_bench.leaderboards.scoring.epoch import begun, read_epochs, write_epochs
from procgen_bench.leaderboards.scoring.record import RECORD_FILE, Record
from procgen_bench.leaderboards.submission.metadata import (
    FORMAT_VERSION,
    METADATA_FILE,
    Metadata,
    Run,
    Training,
    policy_file,
)


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
    fresh=None,
) -> None:
    """An entry of these returns, runs x tasks, on a board; its policies are no models and prove nothing.

    ``fresh`` is what its runs scored on fresh episodes, by default the same.
    """
    scores = np.asarray(scores, np.float64)
    policies = [f"{method}|{seed}".encode() for seed in range(len(scores))]
    training = Training(command="pytest", commit=None, hardware="none", wall_time_seconds=0.0, curve=[])
    runs = [
        Run(training_seed=seed, policy_hash=hashlib.sha256(policy).hexdigest(), training=training)
        for seed, policy in enumerate(policies)
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
        policies=True,
        claimed_score=float(scores.mean()),
        package_versions={"package": "1"},
        command="pytest",
        commit=None,
        hardware="none",
        wall_time_seconds=0.0,
        notes="",
    )
    means = scores.mean(axis=1) if fresh is None else np.asarray(fresh, np.float64)
    episodes = benchmark.num_fresh_episodes
    record = Record(
        benchmark=benchmark.id,
        version=benchmark.version,
        epoch=1,
        policies=[run.policy_hash for run in runs],
        suite=scores.tolist(),
        fresh=[[mean] * episodes for mean in means.tolist()],
        suite_steps=[0] * len(runs),
        fresh_steps=[[0] * episodes] * len(runs),
        unfinished=[0] * len(runs),
        sketches=[""] * len(runs),
        parameters=[1] * len(runs),
        package="1",
        commit="",
        machine="none",
    )
    board.mkdir(parents=True, exist_ok=True)
    if not read_epochs(board):
        write_epochs([begun([], None)], board)
    folder = entries_folder(benchmark, board) / metadata.entry_name
    folder.mkdir(parents=True)
    (folder / METADATA_FILE).write_bytes(metadata.to_json())
    (folder / RECORD_FILE).write_bytes(record.to_json())
    for seed, policy in enumerate(policies):
        (folder / policy_file(seed)).write_bytes(policy)
