"""Training a row's policy again by the command that it names, at the commit that it names."""

import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.policies.onnx.sandbox.limits import Limits
from procgen_bench.baselines.training.run_folder import TRAINING_TASKS_FILE, read_config
from procgen_bench.core.atomic import write_bytes
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.core.extras import import_extra
from procgen_bench.core.provenance import hardware
from procgen_bench.leaderboards.board.board import Entry
from procgen_bench.leaderboards.board.eligibility import FEWEST_RANKED_RUNS
from procgen_bench.leaderboards.board.reproduced import REPRODUCED_FILE, Reproduced, read_trainings, reproduced_json
from procgen_bench.leaderboards.scoring.compare import MEAN_TOLERANCE
from procgen_bench.leaderboards.scoring.score import hash_of, score
from procgen_bench.leaderboards.submission.metadata import Run, Training
from procgen_bench.leaderboards.submission.protocol import Protocol
from procgen_bench.leaderboards.verification.training_overlap import beyond_chance, training_tasks

#: How a training's command begins, and the options that say where it writes, which are left out.
_TRAIN, _WRITING = ["procgen-bench", "train"], ("--out", "--wandb")
#: How options name a class of one's own: MODULE:CLASS.
_CLASS = re.compile(r"([A-Za-z_][\w.]*):[A-Za-z_][\w.]*")
#: The checkout that this code runs from, if it is one.
_OWN_CHECKOUT = Path(__file__).resolve().parents[2]
#: The command line of the other checkout, of which nothing is imported here.
_PROGRAM = ".".join(("procgen_bench", "cli"))
#: Half of a 95 % interval, in standard errors.
_INTERVAL_ERRORS = 1.96


class RetrainingError(ProcgenBenchError):
    """A training that cannot be run again, or that gives another policy."""


class OtherCommitError(RetrainingError):
    """The checkout is not at the commit of a training."""

    exit_code = 3


def retrain(entry: Entry, seed: int, checkout: Path) -> Reproduced:
    """Run a training again, compare its policy, and note in the row that it agrees.

    Args:
        entry: The row.
        seed: Training seed of one of its runs.
        checkout: A checkout of this package at the training's commit.

    Raises:
        OtherCommitError: It is at another commit; says how to get one.
        RetrainingError: The row names no training, or its command does not exist at its commit, fails, or gives
            another policy, or the same by other steps, seed or tasks than the row says. Names the row.
    """
    run = _run_of(entry, seed)
    training = _training_of(entry, run)
    _check_commit(entry, training, checkout, seed)
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "run"
        policy = _trained(entry, training, checkout, out)
        by = _agreement(entry, run, training, policy)
        _check_claims(entry, run, out, by)
    found = Reproduced(
        training_seed=seed,
        policy=run.policy_hash,
        commit=training.commit or "",
        machine=hardware(),
        by=by,
    )
    path = entry.folder / REPRODUCED_FILE
    former = read_trainings(path.read_bytes()) if path.exists() else []
    kept = [one for one in former if one.training_seed != seed]
    write_bytes(path, reproduced_json(sorted([*kept, found], key=lambda one: one.training_seed)))
    return found


def _run_of(entry: Entry, seed: int) -> Run:
    seeds = [run.training_seed for run in entry.metadata.runs]
    if seed not in seeds or not entry.metadata.policies:
        raise RetrainingError(f"{entry.row} has no trained policy of seed {seed}, its seeds are {seeds}")
    return entry.metadata.runs[seeds.index(seed)]


def _training_of(entry: Entry, run: Run) -> Training:
    training = run.training
    if training is None or training.commit is None:
        raise RetrainingError(f"{entry.row}: the run of seed {run.training_seed} names no training and its commit")
    if training.is_uncommitted:
        raise RetrainingError(
            f"{entry.row}: seed {run.training_seed} was trained at {training.commit}, whose changes nobody else has"
        )
    if _words(training)[:2] != _TRAIN:
        raise RetrainingError(f"{entry.row}: {training.command!r} is no `procgen-bench train` command")
    return training


def _words(training: Training) -> list[str]:
    """A command's words; none where its quotes do not end."""
    try:
        return shlex.split(training.command)
    except ValueError:
        return []


def is_ancestor(repository: Path, commit: str, head: str) -> bool:
    """Whether a commit is in the history of another one."""
    words = ["git", "-C", str(repository), "merge-base", "--is-ancestor", commit, head]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def _check_commit(entry: Entry, training: Training, checkout: Path, seed: int) -> None:
    """Refuse code of others: what a commit outside this checkout's history runs may do anything, such as copy."""
    if (_OWN_CHECKOUT / ".git").exists() and not is_ancestor(_OWN_CHECKOUT, training.commit or "", "HEAD"):
        raise RetrainingError(
            f"{entry.row}: seed {seed} was trained at {training.commit}, which the history of {_OWN_CHECKOUT} does not "
            "have: its code is not reviewed"
        )
    found = _git(checkout, "rev-parse", "HEAD")
    if found == training.commit and not _git(checkout, "status", "--porcelain", "--untracked-files=no"):
        return
    if _git(checkout, "cat-file", "-t", training.commit or "") != "commit":
        raise RetrainingError(
            f"{entry.row}: seed {seed} was trained at {training.commit}, a commit that {checkout} does not have"
        )
    raise OtherCommitError(
        f"{entry.row}: seed {seed} was trained at {training.commit}, {checkout} is at {found or 'no commit'}: `git "
        f"worktree add ../retrain {training.commit}`, then `procgen-bench board retrain {entry.folder} --seed {seed} "
        "--checkout ../retrain`"
    )


def _trained(entry: Entry, training: Training, checkout: Path, out: Path) -> bytes:
    """The ONNX file of the policy that the command gives."""
    words = _without_places(_words(training)[1:])
    for module in filter(None, (_CLASS.fullmatch(word.rpartition("=")[2]) for word in words)):
        path = checkout.joinpath(*module[1].split("."))
        if not (path.with_suffix(".py").is_file() or path.is_dir()):
            raise RetrainingError(f"{entry.row}: `{module[0]}` is not in {checkout}: its code is not reviewed")
    variables = os.environ | {"PYTHONPATH": str(checkout.resolve())}
    command = [sys.executable, "-m", _PROGRAM, *words, _WRITING[0], str(out)]
    done = subprocess.run(command, cwd=checkout, env=variables, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        reason = " ".join(done.stderr.split()[-60:])
        raise RetrainingError(
            f"{entry.row}: `{training.command}` fails at {training.commit} (exit code {done.returncode}): {reason}"
        )
    export = import_extra("procgen_bench.baselines.policies.onnx.export")
    return export.export_folder(out / "policy")


def _without_places(words: Sequence[str]) -> list[str]:
    """A command's words without the options that say where it writes."""
    named = [place for place, word in enumerate(words) if word in _WRITING]
    left_out = {*named, *(place + 1 for place in named)}
    joined = tuple(f"{option}=" for option in _WRITING)
    return [word for place, word in enumerate(words) if place not in left_out and not word.startswith(joined)]


def _check_claims(entry: Entry, run: Run, out: Path, by: Literal["bytes", "score"]) -> None:
    """Refuse a row that says of its training what it was not."""
    settings = (read_config(out) or {}).get("settings", {})
    steps = PolicyFolder.read(out / "policy").configuration.get("training_steps")
    if settings.get("seed") != run.training_seed:
        raise RetrainingError(
            f"{entry.row}: the command of seed {run.training_seed} trains seed {settings.get('seed')}"
        )
    if steps is not None and steps > entry.metadata.training_steps:
        raise RetrainingError(
            f"{entry.row}: seed {run.training_seed} is trained for {steps:,} steps, the row says "
            f"{entry.metadata.training_steps:,}"
        )
    if by == "bytes" and (out / TRAINING_TASKS_FILE).exists():
        listed = (out / TRAINING_TASKS_FILE).read_bytes()
        count = len(np.load(io.BytesIO(listed), allow_pickle=False))
        met = training_tasks(entry.benchmark, listed, count, TRAINING_TASKS_FILE)
        if run.training_tasks is not None and met != run.training_tasks:
            raise RetrainingError(f"{entry.row}: seed {run.training_seed} is trained on other tasks than the row says")
        if run.training_tasks is None and beyond_chance(met):
            raise RetrainingError(f"{entry.row}: seed {run.training_seed} is trained on {met.met} tasks of the suite")


def _agreement(entry: Entry, run: Run, training: Training, policy: bytes) -> Literal["bytes", "score"]:
    """Whether the bytes agree or, between kinds of machines, the scores."""
    found = hash_of(policy, entry.benchmark)
    if found == run.policy_hash:
        return "bytes"
    if training.hardware == hardware():
        raise RetrainingError(
            f"{entry.row}: seed {run.training_seed} gives the policy {found[:12]}... here, on the same kind of "
            f"machine; the row has {run.policy_hash[:12]}..."
        )
    space, place = Protocol(entry.benchmark).action_space, entry.metadata.runs.index(run)
    made = score([policy], entry.benchmark, entry.epoch, space, Limits())
    which = "fresh" if entry.fresh is not None else "suite"
    own, here = np.array(getattr(entry.record, which)[place]), np.array(getattr(made, which)[0])
    span = entry.benchmark.maximum - entry.benchmark.minimum
    trainings = np.array(getattr(entry.record, which)).mean(axis=1)  # elsewhere, a training is another draw of these
    spread = np.sqrt(2) * float(trainings.std(ddof=1)) if len(trainings) >= FEWEST_RANKED_RUNS else 0.0
    error = np.hypot(float((own - here).std()) / np.sqrt(len(own)), spread)
    spare = max(MEAN_TOLERANCE * span, _INTERVAL_ERRORS * float(error))
    if abs(float(own.mean() - here.mean())) > spare:
        raise RetrainingError(
            f"{entry.row}: seed {run.training_seed} scores {here.mean():.4g} when it is trained here, the row has "
            f"{own.mean():.4g}, to {spare:.2g}"
        )
    return "score"


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""
