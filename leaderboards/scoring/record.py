"""record.json: what scoring measured, and nothing that follows from it, as canonical JSON."""

from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from pydantic import Field, model_validator

from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.submission.metadata import SHA256, Line
from procgen_bench.leaderboards.submission.strict_json import StrictModel, parse_json, validated

RECORD_FILE = "record.json"
SCHEMA = 1
#: Twice what 64 runs of the largest suite take.
MAX_RECORD_BYTES = 48 * 1024 * 1024
#: What may differ between two makings of the same record: who made it, not what was measured.
PROVENANCE = ("package", "commit", "machine")

Count = Annotated[int, Field(ge=0, le=2**53)]
#: Bytes as hexadecimal digits.
Sketch = Annotated[str, Field(pattern="^([0-9a-f]{2})*$")]


class Record(StrictModel):
    """What scoring measured of P policies.

    Attributes:
        schema_version: Version of this form.
        benchmark, version: What was played.
        epoch: Number of the epoch.
        policies: (P,) SHA-256 of each policy.
        suite: (P, episodes), score of each episode of the suite: every task in turn, its episodes in a row.
        fresh: (P, fresh episodes), score of each fresh episode; empty lists of actions that were replayed.
        suite_steps: (P,) steps of the suite's episodes together.
        fresh_steps: (P, fresh episodes), steps of each.
        unfinished: (P,) episodes that were not played to their end.
        sketches: (P,) actions at the epoch's places in fresh play (:mod:`.copies`).
        parameters: (P,) numbers that the policy's tensors hold; 0 of one without a file.
        package: Version of the package.
        commit: Its commit, or "" where it is installed.
        machine: Processor and number of cores.
    """

    schema_version: Annotated[int, Field(ge=SCHEMA, le=SCHEMA)] = SCHEMA
    benchmark: Line
    version: Annotated[int, Field(ge=1)]
    epoch: Annotated[int, Field(ge=1)]
    policies: Annotated[list[SHA256], Field(min_length=1)]
    suite: list[list[float]]
    fresh: list[list[float]]
    suite_steps: list[Count]
    fresh_steps: list[list[Count]]
    unfinished: list[Count]
    sketches: list[Sketch]
    parameters: list[Count]
    package: Line
    commit: Annotated[str, Field(max_length=100)]
    machine: Line

    @model_validator(mode="after")
    def _of_one_form(self) -> Self:
        runs = len(self.policies)
        for name in ("suite", "fresh", "suite_steps", "fresh_steps", "unfinished", "sketches", "parameters"):
            if len(getattr(self, name)) != runs:
                raise ValueError(f"{runs} rows of {name}, one for each policy")
        lengths = [{len(row) for row in self.suite}, {*map(len, self.fresh), *map(len, self.fresh_steps)}]
        if any(len(found) != 1 for found in lengths):
            raise ValueError("as many episodes of every policy")
        return self

    def to_json(self) -> bytes:
        """The file's content: the same record, the same bytes."""
        return self.model_dump_json().encode() + b"\n"

    def measured(self) -> dict[str, Any]:
        """All fields but those that say who made it."""
        return self.model_dump(exclude=set(PROVENANCE))

    @property
    def suite_scores(self) -> np.ndarray:
        """float64 (P, episodes)."""
        return np.array(self.suite, np.float64)

    @property
    def fresh_scores(self) -> np.ndarray:
        """float64 (P, fresh episodes)."""
        return np.array(self.fresh, np.float64)


def parse_record(raw: bytes) -> Record:
    """The record that a file holds.

    Raises:
        InvalidSubmissionError: It is none, has a field that scoring does not make, or is not in its canonical form.
    """
    record = validated(Record, parse_json(raw, RECORD_FILE), RECORD_FILE)
    if record.to_json() != raw:
        raise InvalidSubmissionError(RECORD_FILE, "form", raw[:16], "the bytes that `procgen-bench score` writes")
    return record


def archived_file(epoch: int) -> str:
    """Name of the file that keeps the record of a former epoch."""
    return f"record-epoch-{epoch}.json"


def record_path(folder: Path) -> Path:
    """Where a row has its record."""
    return folder / RECORD_FILE
