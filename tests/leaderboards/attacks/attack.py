"""An attack as data: what is done to something honest, and what must come of it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from procgen_bench.leaderboards.errors import CorruptBoardError, InvalidSubmissionError
from tests.leaderboards.attacks.checks import MEBIBYTES, SECONDS
from tests.leaderboards.attacks.tampering import Tampering


@dataclass(frozen=True)
class Attack:
    """A change to an honest submission, which a board must refuse.

    Attributes:
        name: What it is called.
        change: Makes the change.
        refusal: Pattern of the refusal.
        error: Its kind.
        victim: Name of the fixture with the honest submission's folder; it is copied for the change.
        board: Name of the fixture with the board to which it is submitted.
        seconds: Within which the refusal must come.
        mebibytes: By which memory may grow meanwhile.
    """

    name: str
    change: Callable[[Tampering], object]
    refusal: str
    error: type[Exception] = InvalidSubmissionError
    victim: str = "random_folder"
    board: str = "solver_board"
    seconds: float = SECONDS
    mebibytes: float = MEBIBYTES


class Attacks(list[Attack]):
    """Attacks of one kind; ``common`` are attributes that all of them have."""

    def __init__(self, **common: Any):
        super().__init__()
        self.common = common

    def add(self, name: str, change: Callable[[Tampering], object], refusal: str, **others: Any) -> None:
        """Add an attack."""
        self.append(Attack(name, change, refusal, **{**self.common, **others}))

    def refused(self, refusal: str, **others: Any) -> Callable:
        """Add the decorated function as an attack of its name."""

        def add(change: Callable[[Tampering], object]) -> Callable[[Tampering], object]:
            self.add(change.__name__, change, refusal, **others)
            return change

        return add


@dataclass(frozen=True)
class BoardAttack:
    """A change to a board that holds two entries of one benchmark, ``random`` and ``solver``.

    Attributes:
        name: What it is called.
        change: Makes the change, given the folder of the entry ``random`` and the board's.
        reason: Pattern of the entry that must be left out, and why, joined by a colon.
        remaining: The entries that must still be read.
        benchmark: The benchmark that is read.
        version: Its version that is read.
        mebibytes: By which memory may grow meanwhile.
    """

    name: str
    change: Callable[[Path, Path], object]
    reason: str
    remaining: tuple[str, ...] = ("solver",)
    benchmark: str = "grid-world/target-a"
    version: int = 1
    mebibytes: float = MEBIBYTES


@dataclass(frozen=True)
class Obstacle:
    """Something that is planted on a board to stop, or to misuse, the next submit.

    Attributes:
        name: What it is called.
        plant: Plants it, given the board's folder and a folder beside it that no submit may touch.
        refusal: Pattern of the error by which the submit ends; ``None``: it enters all the same.
        error: Its kind.
    """

    name: str
    plant: Callable[[Path, Path], object]
    refusal: str | None = None
    error: type[Exception] = CorruptBoardError


@dataclass(frozen=True)
class ChangeAttack:
    """A pull request that a review must refuse.

    Attributes:
        name: What it is called.
        change: Makes it, given a clone of the repository, the board's folder in it, and the folder of an honest row
            that the board does not have; gives a commit, or nothing where all files are to be committed.
        refusal: Pattern of the refusal.
        error: Its kind.
    """

    name: str
    change: Callable[[Path, Path, Path], str | None]
    refusal: str
    error: type[Exception]


@dataclass(frozen=True)
class HarmlessAttack:
    """A change to an honest submission after which it is accepted, to no avail.

    Attributes:
        name: What it is called.
        change: Makes the change.
        standing: Pattern of how its row stands: its name, tier, runs that count, rank.
        victim: Name of the fixture with the honest submission's folder.
        board: Name of the fixture with the board to which it is submitted.
    """

    name: str
    change: Callable[[Tampering], object]
    standing: str
    victim: str = "random_folder"
    board: str = "solver_board"
