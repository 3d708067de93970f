"""reproduced.json: whose training was run again, and what came of it."""

import json
from collections.abc import Collection
from typing import Annotated, Literal

from pydantic import Field

from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.submission.metadata import MAX_SEED, SHA256, Commit, Line, Metadata
from procgen_bench.leaderboards.submission.strict_json import StrictModel, parse_json, validated

REPRODUCED_FILE = "reproduced.json"


class Reproduced(StrictModel):
    """One training that was run again.

    Attributes:
        training_seed: Its seed.
        policy: SHA-256 of the row's policy.
        commit: Commit at which it was run.
        machine: Processor and number of cores.
        by: Whether the policies have the same bytes, or their scores agree.
    """

    training_seed: Annotated[int, Field(ge=0, le=MAX_SEED)]
    policy: SHA256
    commit: Commit
    machine: Line
    by: Literal["bytes", "score"]


class _File(StrictModel):
    trainings: list[Reproduced]


def parse_reproduced(raw: bytes, metadata: Metadata) -> tuple[int, ...]:
    """The training seeds whose training was run again.

    Raises:
        InvalidSubmissionError: It is no such file, or of other policies than the row's.
    """
    trainings = read_trainings(raw)
    held = {(run.training_seed, run.policy_hash) for run in metadata.runs}
    for one in trainings:
        if (one.training_seed, one.policy) not in held:
            raise InvalidSubmissionError(REPRODUCED_FILE, "training_seed", one.training_seed, "a run of the row")
    return tuple(one.training_seed for one in trainings)


def reproduced_badge(seeds: Collection[int], num_runs: int) -> str | None:
    """What a row of so many runs is called, some of whose trainings were run again; ``None``: none was."""
    again = len(set(seeds))
    if not again:
        return None
    return "training reproduced" if again >= num_runs else f"{again} of {num_runs} trainings reproduced"


def read_trainings(raw: bytes) -> list[Reproduced]:
    """What a file holds; errors as of :func:`parse_reproduced`."""
    return validated(_File, parse_json(raw, REPRODUCED_FILE), REPRODUCED_FILE).trainings


def reproduced_json(trainings: list[Reproduced]) -> bytes:
    """The file's content."""
    return json.dumps({"trainings": [one.model_dump() for one in trainings]}, indent=1).encode() + b"\n"
