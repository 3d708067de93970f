"""The errors of the leaderboards: one line each, naming file, field, value and what was expected."""

import reprlib

from procgen_bench.core.errors import ProcgenBenchError

_MAX_LENGTH = 100
_BRIEF = reprlib.Repr()
_BRIEF.maxstring = _BRIEF.maxother = _BRIEF.maxlong = 60


class InvalidSubmissionError(ProcgenBenchError, ValueError):
    """A submission that is malformed, breaks its benchmark's protocol, or claims what its replay does not give.

    Attributes:
        file: Where the fault is: ``"folder"``, ``"submission.json"`` or ``"traces.npz"``.
        field: What is wrong, e.g. ``"runs[0].training_seed"`` or ``"run 0, episode 7"``.
        value: What was found.
        expected: What would have been accepted, in words.
        fault: All of these in one line.
    """

    def __init__(self, file: str, field: str, value: object, expected: str):
        self.file, self.field, self.value, self.expected = file, field, value, expected
        self.fault = f"{file}: {field} is {brief(value)}, expected {expected}"
        super().__init__(f"submission refused: {self.fault}")


class TooSlowHereError(ProcgenBenchError):
    """A policy that needs more time than it is given, on this machine: neither scored nor refused."""

    exit_code = 3

    def __init__(self, policy: str, reason: str):
        super().__init__(f"too slow here: {policy}: {reason}; use a quicker machine, or allow more (--max-seconds)")


class OtherVersionsError(ProcgenBenchError):
    """A claim that does not hold here, of what was played under other versions: no forgery, no score."""

    exit_code = 3

    def __init__(self, fault: str, versions: str):
        super().__init__(
            f"submission unverifiable: {fault}; but it was played with other versions ({versions}), which may play "
            "differently: verify it with those"
        )


class DuplicateEntryError(ProcgenBenchError):
    """The board already holds an entry of this method name or of one of these policies."""


class NoSuchRowError(ProcgenBenchError):
    """A board has no such row."""


class CorruptBoardError(ProcgenBenchError):
    """What a board needs to read its entries cannot be read."""


class BoardBusyError(ProcgenBenchError):
    """Another submit has held the board's lock for too long."""


class IrreproducibleEpisodeError(ProcgenBenchError):
    """An episode that was just played scores something else when it is replayed."""


class ExistingFolderError(ProcgenBenchError):
    """A submission's folder already exists and is not overwritten."""


class UnfinishedEvaluationError(ProcgenBenchError):
    """The folder in which an evaluation keeps what it has played cannot be used."""


def brief(value: object) -> str:
    """``repr`` of a value from outside, short and on one line whatever it holds."""
    text = " ".join(_BRIEF.repr(value).split())
    return text if len(text) <= _MAX_LENGTH else text[: _MAX_LENGTH - 3] + "..."
