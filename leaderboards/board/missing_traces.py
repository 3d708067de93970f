"""Bringing back the traces of a board's entries: fetched by their address, or played again."""

import tempfile
import urllib.error
import urllib.request
from dataclasses import replace
from os import PathLike
from pathlib import Path

from procgen_bench.baselines.policies.loading import PolicySource, scripted_name
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.engine.parallel import Workers
from procgen_bench.leaderboards.board.board import Entry, read_entry_submission
from procgen_bench.leaderboards.board.trace_store import keep_traces, relative_path, traces_path
from procgen_bench.leaderboards.evaluation.draft import MethodDescription
from procgen_bench.leaderboards.evaluation.evaluation import evaluate
from procgen_bench.leaderboards.submission.folder import read_submission
from procgen_bench.leaderboards.submission.protocol import ANY_STEPS, Protocol
from procgen_bench.leaderboards.submission.traces import Traces, parse_traces

_TIMEOUT_SECONDS = 60.0


class TracesNotFoundError(ProcgenBenchError):
    """The traces of an entry can neither be fetched nor be made again."""


def has_traces(entry: Entry) -> bool:
    """Whether the traces of an entry lie on its board."""
    return traces_path(entry.record.traces, entry.board).is_file()


def can_be_played_again(entry: Entry) -> bool:
    """Whether the board has an entry's policies, or they are scripted."""
    return entry.metadata.policies or all(_scripted(entry, run) for run in range(len(entry.metadata.runs)))


def remedy(entry: Entry) -> str:
    """The command that brings an entry's traces, in a sentence."""
    benchmark = entry.benchmark
    if not can_be_played_again(entry):
        return f"`procgen-bench board traces {benchmark.id} --from DIR|URL` fetches them from where they are served"
    where = ", on the kind of machine that recorded them" if benchmark.physics else ""
    return f"`procgen-bench board traces {benchmark.id}` plays its policies again{where}"


def fetch_traces(entry: Entry, source: str) -> None:
    """Copy an entry's traces from another board's folder of traces, or from where one is served.

    Args:
        entry: The entry.
        source: A folder, or an http(s) address, that holds ``ab/abcdef... .npz``.

    Raises:
        TracesNotFoundError: They are not there, or not what their address says.
    """
    address, protocol = entry.record.traces, Protocol(entry.benchmark)
    limits = protocol.trace_limits(len(entry.metadata.runs), max_steps=ANY_STEPS)
    raw = _fetched(source, relative_path(address), limits.max_bytes)
    traces = parse_traces(raw, limits)
    if traces.address() != address:
        raise TracesNotFoundError(f"{source} holds other traces than {address} under that name")
    keep_traces(traces, entry.board)


def regenerate_traces(entry: Entry, workers: Workers = None) -> None:
    """Play an entry's policies again, which scripted policies and those that the board holds allow.

    Raises:
        TracesNotFoundError: The board does not hold its policies, or they play otherwise on this machine.
    """
    with tempfile.TemporaryDirectory() as scratch:
        traces = _played(entry, Path(scratch), workers)
    if traces.address() != entry.record.traces:
        traces = replace(traces, states=None)  # rows that are older than states
    if traces.address() != entry.record.traces:
        raise TracesNotFoundError(
            f"{entry.metadata.benchmark}: {entry.name} plays differently here than where it was recorded "
            f"({entry.metadata.hardware}); fetch its traces instead (--from)"
        )
    keep_traces(traces, entry.board)
    read_entry_submission(entry)


def _played(entry: Entry, scratch: Path, workers: Workers) -> Traces:
    metadata = entry.metadata
    sources = [_policy(entry, run) for run in range(len(metadata.runs))]
    description = MethodDescription(
        authors=metadata.authors,
        command=metadata.command,
        method=metadata.method,
        training_steps=metadata.training_steps,
    )
    policies = [(source, run.training_seed) for source, run in zip(sources, metadata.runs)]
    evaluate(entry.benchmark, policies, scratch / "submission", description, workers=workers)
    return read_submission(scratch / "submission", max_steps=ANY_STEPS).traces


def _policy(entry: Entry, run: int) -> PolicySource:
    if entry.metadata.policies:
        return entry.folder / entry.metadata.policy_files[run]
    name = _scripted(entry, run)
    if name is None:
        raise TracesNotFoundError(
            f"{entry.metadata.benchmark}: the board does not hold {entry.name}'s policies; fetch its traces (--from)"
        )
    return name


def _scripted(entry: Entry, run: int) -> str | None:
    return scripted_name(entry.metadata.runs[run].policy_hash, entry.benchmark.environment_id)


def _fetched(source: str | PathLike, name: str, limit: int) -> bytes:
    """The content of a file of at most ``limit`` bytes, from a folder or the web."""
    try:
        if str(source).startswith(("http://", "https://")):
            with urllib.request.urlopen(f"{str(source).rstrip('/')}/{name}", timeout=_TIMEOUT_SECONDS) as answer:
                content = answer.read(limit + 1)
        else:
            with Path(source, name).open("rb") as file:
                content = file.read(limit + 1)
    except (OSError, urllib.error.URLError) as error:
        raise TracesNotFoundError(f"{source} does not give {name}: {error}") from None
    if len(content) > limit:
        raise TracesNotFoundError(f"{source} gives more than {limit} bytes for {name}")
    return content
