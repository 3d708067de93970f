"""Verifying a board's entries again: their policies are played, and what they score is signed by its present keys."""

import time
from dataclasses import replace

from procgen_bench.core.atomic import write_bytes
from procgen_bench.engine.parallel import Workers
from procgen_bench.leaderboards.board.board import Entry, read_entry, stored_submission
from procgen_bench.leaderboards.board.copies import resemblances
from procgen_bench.leaderboards.board.record import RECORD_FILE
from procgen_bench.leaderboards.board.submitting import record_of, today
from procgen_bench.leaderboards.board.trace_store import keep_traces
from procgen_bench.leaderboards.board.trust import check_trusted, read_trust
from procgen_bench.leaderboards.board.verifier import own_verifier
from procgen_bench.leaderboards.rerun.fresh_episodes import commitment
from procgen_bench.leaderboards.rerun.rerun import Rerun, fresh_scores, play_suite, score_spare
from procgen_bench.leaderboards.rerun.sandboxed_play import Budget
from procgen_bench.leaderboards.verification.verification import check_claimed_score


def reverify(entry: Entry, workers: Workers = None, budget: Budget | None = None) -> Entry:
    """Play an entry's policies on the suite and on new fresh episodes, and replace its record by what is found.

    Args:
        entry: One whose policies the board has.
        workers: Who plays physics.
        budget: The time that the policies may take; ``None``: the usual one.

    Returns:
        The entry with its new record. Its day of submission stays.

    Raises:
        UntrustedVerifierError: The board does not trust the user's verifier.
        InvalidSubmissionError: A policy is refused or stopped, or does not score what was claimed; the record stays.
    """
    start, verifier, board = time.perf_counter(), own_verifier(), entry.board
    check_trusted(verifier, board, entry.benchmark.track, today())
    submission, budget = stored_submission(entry), budget or Budget()
    played, verification = play_suite(submission, budget, workers=workers)
    check_claimed_score(submission, verification, score_spare(verification, submission))
    scores = fresh_scores(submission, verifier.secret, budget, workers=workers)
    found = Rerun(scores, time.perf_counter() - start, commitment(verifier.secret))
    verification = replace(verification, training=tuple(entry.training))
    submitted_on = entry.record.submitted_on
    record = record_of(played, verification, found, submitted_on, today())
    record = record.model_copy(update={"training_lists": entry.record.training_lists})
    alike = resemblances(submission, board, verifier.secret, (submitted_on, entry.name))
    keep_traces(played.traces, board)
    signed = record.model_copy(update={"resembles": alike}).signed(verifier)
    write_bytes(entry.folder / RECORD_FILE, signed.to_json())
    return read_entry(entry.folder, entry.benchmark, entry.metadata.benchmark_version, board, read_trust(board))
