"""A population: runs that are compared as they go on, and some of which continue from another; see :mod:`.evolution`.

Members are ordinary runs. Between two comparisons they train apart, in this process or in several; what they go on from
is in their checkpoints, so that a population that was killed continues.
"""

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.training.curve_scores import curve_episodes
from procgen_bench.baselines.training.evolution import child_of, parent_and_child
from procgen_bench.baselines.training.method import rng_of
from procgen_bench.baselines.training.normalised_scores import PERCENTILES
from procgen_bench.baselines.training.run_folder import RunFolder, RunFolderError
from procgen_bench.baselines.training.trainer import paused_at
from procgen_bench.core.atomic import write_text
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.core.progress import Progress
from procgen_bench.engine.parallel import Workers, finished_jobs
from procgen_bench.leaderboards.sweeps.cell import Cell
from procgen_bench.leaderboards.sweeps.training import train_cell

#: Fitnesses that are means over tasks.
_MEANS = ("success", "return")


@dataclass(frozen=True)
class Evolution:
    """When, and how, members are compared. Shares are of a member's steps, as published of some 5e9.

    Attributes:
        start: Share after which it begins.
        every: Share between comparisons.
        rest: Share in which a child does not become one again.
        chance: With which each of a child's rates changes.
        guard: Standard errors by which a parent has to be better.
    """

    start: float = 0.1
    every: float = 0.05
    rest: float = 0.1
    chance: float = 0.5
    guard: float = 2.0


class MemberFailedError(ProcgenBenchError):
    """A member of a population cannot be trained further."""


def train_population(
    cells: Sequence[Cell], fitness: str, evolution: Evolution, workers: Workers, wandb: str | None = None
) -> None:
    """Train members up to their last comparison; what is left to train is as of any run.

    Args:
        cells: The members, which differ in their seeds.
        fitness: ``"success"`` or ``"return"``; any other compares percentiles of normalised scores.
        evolution: When, and how.
        workers: Who trains.
        wandb: A project of Weights & Biases that all curves are sent to.

    Raises:
        MemberFailedError: A member's training ended before its last step.
        RunFolderError: The folder holds a population that was compared at other steps.
    """
    cells = [replace(cell, out=cell.out.absolute()) for cell in cells]
    path = cells[0].out / "population.json"
    rounds: list[dict[str, Any]] = json.loads(path.read_text("utf-8")) if path.exists() else []
    steps, born = cells[0].steps, {one["event"][1]: one["step"] for one in rounds if one.get("event")}
    every = max(int(evolution.every * steps), 1)
    for number, step in enumerate(range(max(int(evolution.start * steps), 1), steps, every)):
        if any(cell.finished for cell in cells):
            return
        if number < len(rounds) and rounds[number]["step"] != step:
            raise RunFolderError(
                f"{path} holds a population that was compared at step {rounds[number]['step']:,}, not {step:,}; choose "
                "another --out, or the same plan"
            )
        if number == len(rounds):
            rounds.append({"step": step, "scores": _scores_at(step, cells, fitness, workers, wandb)})
            _write(path, rounds)
        if "event" in rounds[number]:
            continue
        scores = np.array(rounds[number]["scores"])
        rested = np.array([step - born.get(member, -steps) >= evolution.rest * steps for member in range(len(cells))])
        event = parent_and_child(_measures(scores, fitness), scores, rested, evolution.guard)
        if event is not None:
            born[event[1]] = step
            _evolve(cells[event[0]], cells[event[1]], rng_of(f"evolution {number}", cells[0].seed), evolution.chance)
        rounds[number]["event"] = event
        _write(path, rounds)


def _write(path: Path, rounds: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(rounds) + "\n")


def _scores_at(
    step: int, cells: Sequence[Cell], fitness: str, workers: Workers, wandb: str | None
) -> list[list[float]]:
    scores: list[list[float]] = [[] for _ in cells]
    jobs = [(cell, step, fitness, wandb) for cell in cells]
    bar = Progress(total=len(cells), unit="member", desc=f"population to step {step:,}")
    with bar, closing(finished_jobs(_trained_to, jobs, workers)) as finished:
        for place, own in finished:
            scores[place] = own
            bar.update()
    return scores


def _trained_to(cell: Cell, step: int, fitness: str, wandb: str | None) -> list[float]:
    """Train a member to this step, and score it on every task."""
    benchmark, configuration = get_benchmark(cell.benchmark), cell.configuration
    with paused_at(step):
        reason = train_cell(cell, wandb)
    if reason is not None:
        raise MemberFailedError(f"{cell.name}: {' '.join(reason.split())} (its output: {cell.log})")
    policy = load_policy(cell.folder / "policy", benchmark.environment_id)
    each = configuration.evaluation_episodes
    episodes, best = curve_episodes(policy, benchmark, configuration.evaluation_tasks, each)
    scored = [episode.success if fitness == "success" else episode.return_ for episode in episodes]
    means = np.array(scored, float).reshape(-1, each or benchmark.episodes_per_task).mean(axis=1)
    if fitness in _MEANS:
        return means.tolist()
    assert best is not None  # see read_plan
    return np.minimum(means[best > 0] / best[best > 0], 1.0).tolist()


def _measures(scores: np.ndarray, fitness: str) -> np.ndarray:
    """By what members are compared, (m, k), of their scores (m, n)."""
    if fitness in _MEANS:
        return scores.mean(axis=1, keepdims=True)
    return np.percentile(scores, PERCENTILES, axis=1).T


def _evolve(parent: Cell, child: Cell, rng: np.random.Generator, chance: float) -> None:
    """Let the child continue from the parent's checkpoint."""
    folders = [_run_folder(cell) for cell in (parent, child)]
    checkpoints = [folder.read_checkpoint() for folder in folders]
    assert checkpoints[0] is not None and checkpoints[1] is not None  # both were trained to here
    folders[1].write_checkpoint(*child_of(checkpoints[0], checkpoints[1], rng, chance))


def _run_folder(cell: Cell) -> RunFolder:
    return RunFolder(cell.folder, cell.method, get_benchmark(cell.benchmark), cell.configuration, cell.seed, cell.steps)
