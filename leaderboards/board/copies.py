"""Copies: which policy of a board a submission's policies are most like."""

import itertools
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.errors import InvalidPolicyError, PolicyStoppedError
from procgen_bench.leaderboards.board.board import Entry, read_entries, stored_submission
from procgen_bench.leaderboards.board.record import Resemblance
from procgen_bench.leaderboards.rerun.behaviour import Behaviour, behaviour_of
from procgen_bench.leaderboards.rerun.sandboxed_play import Budget
from procgen_bench.leaderboards.submission.submission import Submission

#: Share of observations from which on two policies are named as being alike.
NAMED = 0.9
#: Seconds that a policy may take to answer.
_SECONDS = 120.0


def resemblances(
    submission: Submission, board: Path, secret: bytes, before: tuple[str, str] | None = None
) -> list[Resemblance | None]:
    """Of each run of a submission the policy that it is most like: of the board's entries, or of its own earlier runs.

    Args:
        submission: One whose policies have been played.
        board: The board.
        secret: The verifier's, which decides the observations.
        before: (day, name); only entries that were submitted before count. ``None``: all of them do.
    """
    benchmark, own = submission.benchmark, submission.metadata.entry_name
    held = list(_held(benchmark, board, secret, own, before))
    found: list[Resemblance | None] = []
    for run, policy in enumerate(submission.policies):
        behaviour = _behaviour(policy, benchmark, secret)
        shares = [(behaviour.likeness(other), place) for place, (_, _, other) in enumerate(held)]
        share, place = max(shares, default=(0.0, -1), key=lambda pair: (pair[0], -pair[1]))
        found.append(Resemblance(entry=held[place][0], run=held[place][1], share=share) if share >= NAMED else None)
        held.append((own, run, behaviour))
    return found


def _held(
    benchmark: Benchmark, board: Path, secret: bytes, own: str, before: tuple[str, str] | None
) -> Iterator[tuple[str, int, Behaviour]]:
    """(entry, run, behaviour) of the board's policies; of one that can be played no more nothing is known."""
    for entry in read_entries(benchmark, board):
        if not entry.metadata.policies or entry.name == own or (before is not None and _order(entry) >= before):
            continue
        for run, policy in zip(itertools.count(), stored_submission(entry).policies):
            try:
                yield entry.name, run, _behaviour(policy, benchmark, secret)
            except (InvalidPolicyError, PolicyStoppedError):
                continue


def _order(entry: Entry) -> tuple[str, str]:
    return entry.record.submitted_on, entry.name


@lru_cache(maxsize=128)
def _behaviour(policy: bytes, benchmark: Benchmark, secret: bytes) -> Behaviour:
    """Asked for again and again where many rows are verified one after the other."""
    return behaviour_of(policy, benchmark, secret, Budget(_SECONDS))
