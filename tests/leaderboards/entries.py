"""Entries that are written by hand, with nothing behind them."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from procgen_bench.leaderboards.board.board import Entry
from procgen_bench.leaderboards.board.record import FreshScore, Resemblance, VerifiedRecord
from procgen_bench.leaderboards.submission.metadata import FORMAT_VERSION, Metadata, Run, Training


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


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
    on: str = "2026-01-01",
    benchmark: tuple[str, int] = ("grid-world/target-a", 1),
    seeds: Sequence[int] | None = None,
    training: str | None = None,
    board: Path = Path("board"),
    resembles: Sequence[Resemblance | None] = (),
    is_older: bool = False,
) -> Entry:
    """An entry of runs (actions, score), which play alike where they are called alike; with ``fresh`` scores of its
    runs, its policies were played again."""
    scores = [score for _, score in runs]
    score = float(np.mean(scores))
    seeds = range(len(runs)) if seeds is None else seeds
    found = None
    if fresh is not None:
        found = FreshScore(
            score=float(np.mean(fresh)), runs=list(fresh), episodes=50, seconds=1.0, secret=digest("a secret")
        )
    record = VerifiedRecord(
        tier="replayed" if fresh is None else "re-run",
        score=score,
        scores=[[score] for score in scores],
        unfinished_episodes=0,
        fresh=found,
        submission=digest(name),
        traces=digest(f"traces of {name}"),
        run_actions=[digest(actions) for actions, _ in runs],
        resembles=list(resembles),
        package_versions={"package": "1"},
        submitted_on=on,
        verifier="0" * 64,
    )
    stated = metadata(name, seeds, training, score, benchmark, oracle, fresh is not None)
    return Entry(Path(name), stated, record, board, is_older)
