"""CallRules: which program may call which, and how far a search looks ahead, as the arrays that a search reads."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from procgen_bench.core.errors import InvalidOptionError, ProcgenBenchError
from procgen_bench.tasks.programs import ProgramLibrary

#: What a program may call: every program of a lower level (the paper), or those of its definition's own list.
Calls = Literal["levels", "library"]
CALLS = ("levels", "library")
#: The level of Stop.
STOP_LEVEL = -1
#: Nodes below the root that a search of a program of level 2 or more goes down, and those that one of level 1 goes
#: down beyond its most atomic calls.
_DEPTH_OF_HIGHER, _DEPTH_BEYOND_CALLS = 5, 2


class OtherLibraryError(ProcgenBenchError):
    """What was learned is for other programs."""


@dataclass(frozen=True)
class CallRules:
    """The rules of one library of P programs. Action ``x`` calls program ``x``; action P is Stop.

    Attributes:
        library: The programs.
        calls: What a program may call.
        levels: int64 (P + 1,), the programs' levels and Stop's, -1.
        callable: bool (P, P + 1), whether the program of the row may do the action, where its pre-condition holds.
        depth_limits: int64 (P,), the depth at which a search of a program gives up: it may call that many less one.
        composed: int64 (C,), numbers of the programs that are not atomic, and are learned.
    """

    library: ProgramLibrary
    calls: Calls
    levels: np.ndarray
    callable: np.ndarray
    depth_limits: np.ndarray
    composed: np.ndarray

    @property
    def stop(self) -> int:
        """The action that ends a program: P."""
        return len(self.library)

    @property
    def num_actions(self) -> int:
        """P + 1."""
        return len(self.library) + 1

    @property
    def names(self) -> list[str]:
        """Names of the actions, ``"Stop"`` the last."""
        return [*self.library, "Stop"]


def call_rules(library: ProgramLibrary, calls: str = "levels") -> CallRules:
    """The rules of a library.

    Raises:
        InvalidOptionError: ``calls`` is none of ``CALLS``, or no program of the library calls others.
    """
    if calls not in CALLS:
        raise InvalidOptionError(f"calls is {calls!r}, expected one of {', '.join(CALLS)}")
    programs = [*library.values()]
    levels = np.array([program.level for program in programs] + [STOP_LEVEL])
    composed = np.flatnonzero(levels[:-1] > 0)
    if not len(composed):
        raise InvalidOptionError("the library has atomic programs alone, expected at least one that calls others")
    may_call = np.zeros((len(programs), len(programs) + 1), np.bool_)
    for number in composed.tolist():
        own = [library[name].number for name in programs[number].calls]
        may_call[number, own if calls == "library" else np.flatnonzero(levels[:-1] < levels[number])] = True
        may_call[number, -1] = True
    limits = [
        program.most_atomic_calls + _DEPTH_BEYOND_CALLS
        if program.level == 1
        else _DEPTH_OF_HIGHER * (program.level > 1)
        for program in programs
    ]
    return CallRules(library, calls, levels, may_call, np.array(limits), composed)  # type: ignore[arg-type]  # checked


def described(library: ProgramLibrary) -> dict[str, Any]:
    """A library in JSON's types, by which it is recognised; of programs' functions the arguments alone count."""
    programs = {
        one.name: {
            "level": one.level,
            "calls": list(one.calls),
            "arguments": list(one.arguments),
            "most_atomic_calls": one.most_atomic_calls,
        }
        for one in library.definitions
    }
    return {"num_blocks": library.num_blocks, "programs": programs}


def refuse_other_library(what: str, found: dict[str, Any], library: ProgramLibrary) -> None:
    """Raise :class:`OtherLibraryError` unless what was learned is for this library.

    Args:
        what: Names it in the error, like ``"the checkpoint in runs/a"``.
        found: The :func:`described` library that it was learned for.
        library: The one that it is to be used for.
    """
    wanted = described(library)
    if found == wanted and [*found["programs"]] == [*wanted["programs"]]:
        return
    raise OtherLibraryError(f"{what} is for another library: {_difference(found, wanted)}")


def _difference(found: dict[str, Any], wanted: dict[str, Any]) -> str:
    if found["num_blocks"] != wanted["num_blocks"]:
        return f"it is for {found['num_blocks']} blocks, this library for {wanted['num_blocks']}"
    theirs, ours = found["programs"], wanted["programs"]
    if missing := [name for name in ours if name not in theirs]:
        return f"it does not know {', '.join(missing)}"
    if more := [name for name in theirs if name not in ours]:
        return f"it also knows {', '.join(more)}"
    for name, own in ours.items():
        for part, value in own.items():
            if theirs[name][part] != value:
                return f"{part} of {name} is {theirs[name][part]} there, and {value} here"
    return "its programs have another order"
