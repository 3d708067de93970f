"""Submissions that are changed at random: refused in one line, or accepted with the score that they replay to."""

import contextlib
import dataclasses
import io
import json
import shutil
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.leaderboards.scores import least_difference
from procgen_bench.leaderboards.submission.folder import read_submission
from procgen_bench.leaderboards.submission.metadata import METADATA_FILE
from procgen_bench.leaderboards.submission.traces import TRACES_FILE
from procgen_bench.leaderboards.verification.replay import replay
from procgen_bench.leaderboards.verification.verification import episode_score, verify

Mutation = Callable[[Path, np.random.Generator], None]
#: What changing a file raises that an earlier change has left unreadable: it is tried as it is.
UNCHANGEABLE = (
    *(ValueError, TypeError, KeyError, IndexError, EOFError, OSError, RuntimeError, SyntaxError, tokenize.TokenError),
    *(zipfile.BadZipFile, zlib.error, struct.error, MemoryError),
)
VALUES = (None, True, -1, 0, 1, 2**63, 1.5, -0.0, 1e308, 5e-324, "", "x" * 400, "\u202e", [], {}, [[]], {"a": 1})


def flip(path: Path, rng: np.random.Generator) -> None:
    raw = bytearray(path.read_bytes())
    for place in rng.integers(0, len(raw), rng.integers(1, 6)):
        raw[place] = rng.integers(256)
    path.write_bytes(raw)


def cut(path: Path, rng: np.random.Generator) -> None:
    raw = path.read_bytes()
    start, end = np.sort(rng.integers(0, len(raw) + 1, 2))
    path.write_bytes(raw[:start] + raw[end:])


def splice(path: Path, rng: np.random.Generator) -> None:
    raw = path.read_bytes()
    start, end, place = rng.integers(0, len(raw) + 1, 3)
    path.write_bytes(raw[:place] + raw[min(start, end) : max(start, end)][:5_000] + raw[place:])


def value(folder: Path, rng: np.random.Generator) -> None:
    """Another value in the place of one of the metadata's, however deep it lies."""
    path = folder / METADATA_FILE
    content = json.loads(path.read_text())
    holder, key = content, str(rng.choice(list(content)))
    while isinstance(holder[key], (dict, list)) and holder[key] and rng.random() < 0.8:
        holder = holder[key]
        key = str(rng.choice(list(holder))) if isinstance(holder, dict) else int(rng.integers(len(holder)))
    holder[key] = VALUES[rng.integers(len(VALUES))]
    path.write_text(json.dumps(content))


def array(folder: Path, rng: np.random.Generator) -> None:
    """One array permuted, shifted, changed in a place, or of another length."""
    path = folder / TRACES_FILE
    with np.load(io.BytesIO(path.read_bytes())) as archive:
        arrays = {name: archive[name] for name in archive.files}
    name = str(rng.choice(list(arrays)))
    changed = arrays[name].copy()
    match rng.integers(5):
        case 0:
            changed = rng.permutation(changed)
        case 1:
            changed = np.roll(changed, int(rng.integers(1, 60)), axis=0)
        case 2:
            changed.reshape(-1)[rng.integers(changed.size)] = rng.integers(0, 4)
        case 3:
            changed = changed[: rng.integers(len(changed))]
        case _:
            changed = np.concatenate([changed, changed[:1]])
    np.savez_compressed(path, **{**arrays, name: changed})


MUTATIONS: tuple[Mutation, ...] = (
    value,
    array,
    *(
        lambda folder, rng, change=change, name=name: change(folder / name, rng)
        for change in (flip, cut, splice)
        for name in (METADATA_FILE, TRACES_FILE)
    ),
)


def outcome(folder: Path) -> str:
    """``"refused"``, or ``"accepted"`` with the score that an independent replay of what it holds gives."""
    try:
        submission = read_submission(folder)
        verification, _ = verify(submission)
    except ProcgenBenchError as refusal:
        assert str(refusal).isprintable() and len(str(refusal)) < 500
        return "refused"
    benchmark = submission.benchmark
    scores = [episode_score(benchmark, played) for played in replay(benchmark, submission.all_episodes())]
    assert abs(float(np.mean(scores)) - verification.score) <= 1e-9, "a false score"
    assert abs(submission.metadata.claimed_score - verification.score) <= least_difference(benchmark) + 1e-9
    return "accepted"


def mutate(folder: Path, number: int, seed: int, scratch: Path) -> dict[str, int]:
    """What became of so many mutations of a submission."""
    rng, counts = np.random.default_rng(seed), {"refused": 0, "accepted": 0}
    for _ in range(number):
        mutated = scratch / "mutated"
        shutil.copytree(folder, mutated)
        for _ in range(rng.integers(1, 3)):
            if all((mutated / name).stat().st_size for name in (METADATA_FILE, TRACES_FILE)):
                with contextlib.suppress(*UNCHANGEABLE):
                    MUTATIONS[rng.integers(len(MUTATIONS))](mutated, rng)
        counts[outcome(mutated)] += 1
        shutil.rmtree(mutated)
    print(f"{number} mutations of {folder.name}: {counts}, no traceback, no false score")
    return counts


@pytest.mark.parametrize(("number", "seed"), [(100, 1), pytest.param(3_500, 2, marks=pytest.mark.slow)])
def test_mutated_submissions_are_refused_or_score_what_they_replay_to(random_folder, tmp_path, number, seed):
    counts = mutate(random_folder, number, seed, tmp_path)
    assert counts["accepted"] > 0 and counts["refused"] > number / 2


def test_a_forged_score_would_be_noticed(honest, monkeypatch):
    """The check can fail: a verifier that believes is caught."""
    submission = read_submission(honest.folder)
    found = dataclasses.replace(verify(submission)[0], score=0.9)
    monkeypatch.setitem(outcome.__globals__, "verify", lambda _: (found, []))
    with pytest.raises(AssertionError, match="a false score"):
        outcome(honest.folder)
