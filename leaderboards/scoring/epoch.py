"""Epochs: the salts from which fresh tasks, episode seeds and policy noise follow.

A row ranks under an epoch that began when its policies were on the board already: nobody could fit them to its salt.
"""

import datetime
import hashlib
import json
import secrets
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from procgen_bench.core.atomic import write_bytes
from procgen_bench.leaderboards.errors import CorruptBoardError, InvalidSubmissionError
from procgen_bench.leaderboards.submission.metadata import SHA256, Line
from procgen_bench.leaderboards.submission.plain_folder import read_plain_file
from procgen_bench.leaderboards.submission.strict_json import StrictModel, parse_json, validated

EPOCHS_FILE = "epochs.json"
SALT_BYTES = 32
_MAX_BYTES = 16 * 1024 * 1024


def _day(text: str) -> str:
    try:
        return datetime.date.fromisoformat(text).isoformat()
    except ValueError:
        raise ValueError("a day, YYYY-MM-DD") from None


Day = Annotated[str, AfterValidator(_day)]


class Beacon(StrictModel):
    """What a public beacon gave.

    Attributes:
        chain: The beacon's name, for example drand's ``"quicknet"``.
        round: Number of the round.
        value: Its randomness, hexadecimal.
    """

    chain: Annotated[str, Field(pattern="^[A-Za-z0-9._-]{1,100}$")]
    round: Annotated[int, Field(ge=1, le=2**53)]
    value: Annotated[str, Field(pattern="^([0-9a-f]{2}){16,128}$")]

    @property
    def salt(self) -> bytes:
        """SHA-256 of the value's bytes."""
        return hashlib.sha256(bytes.fromhex(self.value)).digest()


class Epoch(StrictModel):
    """One epoch.

    Attributes:
        number: From 1 on, without gaps.
        began: Day on which it began, YYYY-MM-DD.
        salt: 32 bytes, hexadecimal.
        beacon: What the salt follows from; ``None``: it was drawn by the machine that began the epoch.
        policies: By benchmark, SHA-256 of the policies that were on the board when it began, rising: these rank by it,
            there alone. ``None``: a person's own board began with it, where all rows rank at once.
    """

    number: Annotated[int, Field(ge=1)]
    began: Day
    salt: SHA256
    beacon: Beacon | None = None
    policies: dict[Line, list[SHA256]] | None = None

    @model_validator(mode="after")
    def _follows(self) -> Self:
        if self.beacon is not None and self.beacon.salt.hex() != self.salt:
            raise ValueError(f"the salt {self.beacon.salt.hex()}, which round {self.beacon.round} gives")
        return self

    @property
    def salt_bytes(self) -> bytes:
        """The salt, 32 bytes."""
        return bytes.fromhex(self.salt)

    def ranks(self, benchmark: str, policies: Iterable[str]) -> bool:
        """Whether it began after all of these policies (SHA-256) had come to the board for this benchmark.

        Of policies that were entered for another one, somebody who knows the salt could choose what is lucky here.
        """
        return self.policies is None or set(policies) <= set(self.policies.get(benchmark, ()))


class _File(StrictModel):
    epochs: Annotated[list[Epoch], Field(min_length=1)]


def read_epochs(board: Path) -> list[Epoch]:
    """The epochs of a board, the newest last; none of a board that has not begun.

    Raises:
        CorruptBoardError: The file is not as it was written; names the epoch.
    """
    path = board / EPOCHS_FILE
    if not path.exists():
        return []
    try:
        epochs = validated(_File, parse_json(read_plain_file(path, _MAX_BYTES), EPOCHS_FILE), EPOCHS_FILE).epochs
    except InvalidSubmissionError as error:
        raise CorruptBoardError(f"{path}: {error.fault.partition(': ')[2]}") from None
    if [one.number for one in epochs] != list(range(1, len(epochs) + 1)):
        raise CorruptBoardError(f"{path}: epochs are {[one.number for one in epochs]}, expected 1, 2 ... in turn")
    return epochs


def begun(
    epochs: list[Epoch],
    policies: Mapping[str, Collection[str]] | None,
    beacon: Beacon | None = None,
    began: str | None = None,
) -> Epoch:
    """The epoch that follows others.

    Args:
        epochs: The former ones.
        policies: By benchmark, SHA-256 of the policies that are there now; ``None``: see :class:`Epoch`.
        beacon: What the salt follows from; ``None``: the operating system draws it.
        began: The day; ``None``: today.
    """
    salt = secrets.token_bytes(SALT_BYTES) if beacon is None else beacon.salt
    return Epoch(
        number=len(epochs) + 1,
        began=today() if began is None else began,
        salt=salt.hex(),
        beacon=beacon,
        policies=None if policies is None else {name: sorted(set(policies[name])) for name in sorted(policies)},
    )


def write_epochs(epochs: list[Epoch], board: Path) -> None:
    """Write a board's list of epochs, wholly or not at all."""
    content = json.dumps({"epochs": [one.model_dump() for one in epochs]}, indent=1) + "\n"
    write_bytes(board / EPOCHS_FILE, content.encode())


def today() -> str:
    """The day, YYYY-MM-DD, at Greenwich."""
    return datetime.datetime.now(datetime.UTC).date().isoformat()
