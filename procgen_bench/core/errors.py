"""The errors that users meet: each names the offending value, what was expected, and how to fix it."""

import difflib
import os
import signal
from collections.abc import Iterable

import gymnasium.error

#: How like a name is, as :mod:`difflib` has it, that may be meant.
_LIKE = 0.65
#: Kinds of names that ``procgen-bench list`` shows.
_LISTED = ("environment", "method", "teacher", "benchmark")


class ProcgenBenchError(Exception):
    """Base of every error that this package raises on purpose.

    Attributes:
        exit_code: What a command that fails by it exits with.
    """

    exit_code = 2


class InvalidTaskError(ProcgenBenchError, ValueError):
    """A task or a raw task parameter lies outside its space.

    Attributes:
        parameter: Name of the offending parameter, e.g. ``"coordinates[2, 0]"``.
        value: The value that was given.
        expected: The values that would have been accepted, in words.
    """

    def __init__(self, parameter: str, value: object, expected: str):
        self.parameter, self.value, self.expected = parameter, value, expected
        super().__init__(f"invalid task: {parameter} is {_brief(value)}, expected {expected}")


class UnknownNameError(ProcgenBenchError, KeyError):
    """A name (of a task, a suite, a method, a benchmark) that does not exist; the known ones are listed.

    Attributes:
        kind: What it would be the name of.
        name: The name.
        known: Those that there are.
        close: The known ones that are most like it, at most three.
    """

    def __init__(self, kind: str, name: object, known: list[str], shown: int = 12):
        self.kind, self.name, self.known = kind, name, known
        self.close = [] if str(name).isdecimal() else difflib.get_close_matches(str(name), known, cutoff=_LIKE)
        #: The known names, the first ``shown`` of many.
        self.listed = (
            ", ".join(known[:shown]) + (f", ... ({len(known)} in all)" if len(known) > shown else "") or "none"
        )
        meant = f"did you mean {' or '.join(map(repr, self.close))}? " if self.close else ""
        place = "; `procgen-bench list` shows them all" if kind in _LISTED and len(known) > shown else ""
        super().__init__(f"unknown {kind} {_brief(name)}; {meant}known: {self.listed}{place}")

    def __str__(self) -> str:
        return self.args[0]


class UnsupportedEnvironmentError(ProcgenBenchError, ValueError):
    """An environment that a method does not support; the supported ones are listed."""

    def __init__(self, method: str, environment_id: str, known: Iterable[str], others: str = ""):
        self.environment_id, self.known = environment_id, list(known)
        super().__init__(f"{method} does not support {environment_id}; supported: {', '.join(self.known)}{others}")


class InvalidOptionError(ProcgenBenchError, ValueError):
    """A keyword argument or a reset option that the environment does not accept."""


class InvalidSpaceError(ProcgenBenchError, ValueError):
    """An environment declares a space that other people's code could not use."""


class UndrawnTasksError(ProcgenBenchError, NotImplementedError):
    """Fresh tasks were requested that are like those of a suite whose tasks were written, not drawn."""


class InvalidActionError(ProcgenBenchError, ValueError):
    """An action outside the action space."""


class DivergedError(ProcgenBenchError, ArithmeticError):
    """The physics is not finite: no action within bounds is known to cause that."""


class LearningDivergedError(DivergedError):
    """What a learner computes is not finite; a :class:`DivergedError`, as of physics."""

    def __init__(self, what: str):
        super().__init__(
            f"learning diverged: {what}; take a smaller learning rate or smaller weights, in another run folder"
        )


class ResetNeededError(ProcgenBenchError, gymnasium.error.ResetNeeded):
    """A step before the first reset, or after the end of an episode."""


class ClosedEnvironmentError(ProcgenBenchError, gymnasium.error.ClosedEnvironmentError):
    """A call after ``close``, of a single or a vector environment."""

    def __init__(self) -> None:
        super().__init__("the environment has been closed; make a new one")


class WorkerDiedError(ProcgenBenchError, RuntimeError):
    """A worker process has ended, and with it the rows of a vector environment or the job that it had.

    Attributes:
        worker: Its number, from 0.
        exit_code: What the process exited with; minus the signal's number where one killed it.
        rows: The rows that it held, or ``None``.
    """

    def __init__(self, worker: int, exit_code: int, rows: range | None = None):
        self.worker, self.exit_code, self.rows = worker, exit_code, rows
        code = f"{exit_code} ({signal.Signals(-exit_code).name})" if exit_code < 0 else str(exit_code)
        if rows is None:
            remedy = "; with fewer --workers each has more memory" if exit_code == -signal.SIGKILL else ""
            super().__init__(f"worker {worker} ended with exit code {code} before its job was done{remedy}")
            return
        held = f"row {rows[0]}" if len(rows) == 1 else f"rows {rows[0]} to {rows[-1]}"
        starved = exit_code == -signal.SIGKILL
        remedy = " with fewer rows: the system kills what takes the last memory" if starved else ""
        super().__init__(
            f"worker {worker} of the vector environment, which holds {held}, ended with exit code {code}; "
            f"close the environment and make a new one{remedy}"
        )


class UnwritablePathError(ProcgenBenchError, OSError):
    """No file, or no folder, can be made at the requested path."""


class UnsolvedTaskError(ProcgenBenchError):
    """A scripted player did not solve a task in time, which proves nothing: another player might."""


class InvalidPolicyError(ProcgenBenchError, ValueError):
    """A policy folder that cannot be read, or whose policy does not fit the environment."""


class PolicyStoppedError(ProcgenBenchError, RuntimeError):
    """A policy that plays in a process of its own failed, or took more time or memory than it is given."""

    def __init__(self, reason: str):
        super().__init__(f"the policy was stopped: {reason}")


class PolicyTooSlowError(PolicyStoppedError):
    """A policy took more time than it is given: on a quicker machine it might not."""


class NoSandboxError(ProcgenBenchError, OSError):
    """No process can be confined here, so untrusted policies are not played."""

    def __init__(self, reason: str):
        super().__init__(f"ONNX policies cannot be confined here, and are not played: {reason}; use Linux")


class MissingExtraError(ProcgenBenchError, gymnasium.error.DependencyNotInstalled):
    """An optional dependency is not installed; names the extra that brings it.

    Attributes:
        package: What is missing.
        remedy: The command that installs it.
    """

    def __init__(self, package: str, extra: str, problem: str = "is not installed", remedy: str | None = None):
        self.package, self.remedy = package, remedy or f"pip install 'procgen-bench[{extra}]'"
        super().__init__(f"{package} {problem}; install it with: {self.remedy}")


class UntestedVersionError(MissingExtraError):
    """An optional dependency is installed in a version that does not work, or was never tried."""

    def __init__(self, package: str, found: str, extra: str, tested: str):
        problem = f"{found} is installed, but the extra {extra} was tested with {package}{tested}"
        super().__init__(package, extra, problem, f"pip install '{package}{tested}'")


class NoRendererError(ProcgenBenchError):
    """MuJoCo can draw nothing on this machine, or not by the library that ``MUJOCO_GL`` asks for."""

    def __init__(self, reason: object):
        chosen = os.environ.get("MUJOCO_GL", "")
        asked = f" with MUJOCO_GL={chosen}" if chosen else ""
        instead = "unset MUJOCO_GL, or set it to egl" if chosen not in ("", "egl") else "without a screen it needs EGL"
        library = "libosmesa6" if chosen == "osmesa" else "libegl1 libopengl0 libgl1-mesa-dri"
        super().__init__(
            f"MuJoCo cannot render here{asked} ({' '.join(str(reason).split())}); {instead}, "
            f"or install what is missing: apt-get install {library} (Debian's names)"
        )


class MissingChromiumError(ProcgenBenchError, gymnasium.error.DependencyNotInstalled):
    """There is no Chromium to start, or none where ``PROCGEN_BENCH_CHROMIUM`` says."""

    def __init__(self, problem: str):
        super().__init__(
            f"{problem}; install Debian's package (apt install chromium), "
            "or set PROCGEN_BENCH_CHROMIUM to the path of a Chromium"
        )


class BrowserStartError(ProcgenBenchError, RuntimeError):
    """Chromium, or the driver that steers it, did not start."""


class PageError(ProcgenBenchError, RuntimeError):
    """A page could not do what it was asked for: a script threw an exception, or a picture could not be taken."""


def _brief(value: object) -> str:
    """``repr`` of a value, cut to one short line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else text[:77] + "..."
