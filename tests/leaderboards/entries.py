"""Entries that are written by hand, with nothing behind them."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.board.board import Entry
from procgen_bench.leaderboards.scoring.epoch import Epoch
from procgen_bench.leaderboards.scoring.fresh import sketch_places
from procgen_bench.leaderboards.scoring.record import Record
from procgen_bench.leaderboards.submission.metadata import FORMAT_VERSION, Metadata, Run, Training

EPOCH = Epoch(number=1, began="2026-01-01", salt="ab" * 32)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def state_training(submission: Path, **fields: Any) -> None:
    """Write into a submission.json how its runs were trained; fields that are not given are no one's."""
    content = json.loads(submission.read_text())
    stated = {"command": "procgen-bench train dqn grid-world/target-a", "commit": None, "hardware": "none"}
    stated |= {"wall_time_seconds": 1.0, "curve": []} | fields
    content["runs"] = [{**run, "training": stated} for run in content["runs"]]
    submission.write_text(json.dumps(content))


def metadata(
    name: str,
    seeds: Sequence[int] = (0,),
    training: str | None = None,
    score: float = 0.0,
    benchmark: tuple[str, int] = ("grid-world/target-a", 1),
    oracle: bool = False,
    policies: bool = False,
) -> Metadata:
    """What a submission says; ``training`` is the command of its runs, in which ``{seed}`` stands for theirs."""

    def trained(seed: int) -> Training | None:
        if training is None:
            return None
        command = training.replace("{seed}", str(seed))
        return Training(command=command, commit=None, hardware="none", wall_time_seconds=0.0, curve=[])

    return Metadata(
        format_version=FORMAT_VERSION,
        method=name,
        authors="Tests",
        link=None,
        benchmark=benchmark[0],
        benchmark_version=benchmark[1],
        oracle=oracle,
        training_steps=0,
        runs=[
            Run(training_seed=seed, policy_hash=digest(f"{name}|{run}"), training=trained(seed))
            for run, seed in enumerate(seeds)
        ],
        policies=policies,
        claimed_score=score,
        package_versions={"package": "1"},
        command="pytest",
        commit=None,
        hardware="none",
        wall_time_seconds=0.0,
        notes="",
    )


def entry(
    name: str,
    *runs: tuple[str, float],
    fresh: Sequence[float] | None = None,
    oracle: bool = False,
    benchmark: tuple[str, int] = ("grid-world/target-a", 1),
    seeds: Sequence[int] | None = None,
    training: str | None = None,
    board: Path = Path("board"),
    epoch: Epoch = EPOCH,
) -> Entry:
    """An entry of runs (actions, score), which play alike where they are called alike; with ``fresh`` scores of its
    runs, its policies were played, which were trained."""
    of, count = get_benchmark(benchmark[0]), len(runs)
    seeds = range(count) if seeds is None else seeds
    training = "pytest" if training is None and fresh is not None else training
    stated = metadata(name, seeds, training, 0.0, benchmark, oracle, fresh is not None)
    places, num_fresh = 0, 0
    if fresh is not None:
        num_fresh = of.num_fresh_episodes
        places = sum(map(len, sketch_places(of, epoch.salt_bytes, 1)))
    record = Record(
        benchmark=benchmark[0],
        version=benchmark[1],
        epoch=epoch.number,
        policies=[run.policy_hash for run in stated.runs],
        suite=[[float(score)] * of.episodes_per_task for _, score in runs],
        fresh=[[float(score)] * num_fresh for score in fresh or [0.0] * count],
        suite_steps=[1] * count,
        fresh_steps=[[of.max_episode_steps] * num_fresh] * count,
        unfinished=[0] * count,
        sketches=[(digest(actions) * (places // 32 + 1))[: 2 * places] for actions, _ in runs],
        parameters=[1 if fresh is not None else 0] * count,
        package="1",
        commit="",
        machine="none",
    )
    return Entry(Path(name), stated, record, board, epoch)
