"""ModelProcess: the child that plays a model, as its parent sees it. Whatever it says is checked or counted."""

import contextlib
import importlib.util
import json
import math
import os
import select
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from procgen_bench.baselines.policies.onnx.column import Column
from procgen_bench.baselines.policies.onnx.form import MAX_FILE_BYTES
from procgen_bench.baselines.policies.onnx.sandbox.answers import (
    LENGTH,
    MAX_DESCRIPTION_BYTES,
    MAX_FAULT_BYTES,
    Outcome,
    brief,
)
from procgen_bench.baselines.policies.onnx.sandbox.limits import Limits
from procgen_bench.core.errors import InvalidPolicyError, NoSandboxError, PolicyStoppedError, PolicyTooSlowError
from procgen_bench.core.extras import check_modules

#: What plays a file.
PLAYED_WITH = ("onnx", "onnxruntime")
#: What the child imports, and what these packages import in turn.
_IMPORTED = ("numpy", *PLAYED_WITH, "google.protobuf", "ml_dtypes", "typing_extensions", "flatbuffers", "packaging")
#: The child's first words: our packages are folders to it, whose own modules (and what these import) stay unread.
BOOTSTRAP = """
import json, sys, types
settings = json.loads(sys.argv[1])
sys.path += settings["paths"]
for name, folder in settings["packages"]:
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [folder]
"""
_START = BOOTSTRAP + "from procgen_bench.baselines.policies.onnx.sandbox.child import main\nmain(settings)\n"
#: Isolated: no site, no user's folder, no PYTHON* variables.
INTERPRETER = (sys.executable, "-I", "-S", "-B")
#: Libraries that count processors start no threads, and onnxruntime sends no reports.
_VARIABLES = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "ORT_DISABLE_TELEMETRY": "1"}
_PIECE = 2**20
_ENDING_SECONDS = 10.0
#: How much longer than the child's processor may take an answer may take by the clock, on a machine that is busy.
_BUSY = 20.0
#: Seconds after which it is looked at what the child has taken; most answers take less.
_LOOK_SECONDS = 0.5


class _Allowance(NamedTuple):
    """How many seconds of its processor the child may take for an answer, and when it must be there whatever it took,
    by the monotonic clock."""

    seconds: float
    at: float


class ModelProcess:
    """A child that has read and checked an ONNX file, and plays it. It ends with the first fault.

    Args:
        file: The file's bytes.
        limits: What it may take.

    Attributes:
        description: What the child says of the model: ``inputs``, ``outputs`` and ``metadata``; not to be trusted.
        has_namespaces: Whether it has a network and a root of its own, which the kernel may not give.

    Raises:
        InvalidPolicyError: The file is no policy of the form.
        PolicyStoppedError: It took too much.
        NoSandboxError: No process can be confined here.
        MissingExtraError: onnx or onnxruntime is not installed.
    """

    def __init__(self, file: bytes, limits: Limits):
        if not sys.platform.startswith("linux"):
            raise NoSandboxError(f"this is {sys.platform}, and policies of others are confined by Linux alone")
        if len(file) > MAX_FILE_BYTES:
            raise InvalidPolicyError(f"the ONNX file has {len(file)} bytes, expected at most {MAX_FILE_BYTES}")
        self._limits = limits
        settings = child_settings(limits)
        self._child = subprocess.Popen(
            [*INTERPRETER, "-c", _START, json.dumps(settings)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=variables(),
            cwd="/",
        )
        assert self._child.stdin is not None and self._child.stdout is not None  # pipes, see above
        self._questions, self._answers = self._child.stdin.fileno(), self._child.stdout.fileno()
        self._end = weakref.finalize(self, _end, self._child)
        for descriptor in (self._questions, self._answers):
            _widen(descriptor)
        try:
            self.has_namespaces = self._ask([], 1, limits.start_seconds) == b"\1"
            self.description = self._load(file)
        except BaseException:
            self.close()
            raise

    def agree(self, outputs: Iterable[Column]) -> None:
        """Tell the child what it answers, a policy's actions or whatever a model gives; once, before the first step."""
        text = json.dumps([[column.name, column.dtype, column.shape] for column in outputs]).encode()
        self._send([LENGTH.pack(len(text)), text], _allowance(self._limits.step_seconds))

    def act(self, starts: np.ndarray, given: Iterable[np.ndarray], answer_bytes: int) -> bytearray:
        """The bytes of the answer to one step: of the arrays that were agreed on, one after the other.

        Args:
            starts: bool (N,), the rows whose episode begins; N is at least 1.
            given: A contiguous array (N, ...) for each input that is no state, in the description's order.
            answer_bytes: How many bytes the answer has.

        Raises:
            PolicyStoppedError: It failed, took too long or too much, or has ended before.
        """
        return self._ask([LENGTH.pack(len(starts)), starts, *given], answer_bytes, self._limits.step_seconds)

    def close(self) -> None:
        """End the child."""
        self._end()

    def _load(self, file: bytes) -> Any:
        length = self._ask([LENGTH.pack(len(file)), file], LENGTH.size, self._limits.start_seconds)
        count = LENGTH.unpack(length)[0]
        if count > MAX_DESCRIPTION_BYTES:
            raise PolicyStoppedError(f"it describes itself by {count} bytes, expected at most {MAX_DESCRIPTION_BYTES}")
        try:
            return json.loads(self._receive(count, _allowance(self._limits.start_seconds)))
        except (ValueError, RecursionError) as error:
            raise PolicyStoppedError(f"it describes itself by no JSON: {brief(error)}") from None

    def _ask(self, question: list[Any], answer_bytes: int, seconds: float) -> bytearray:
        if not self._end.alive:
            raise PolicyStoppedError("it has ended before")
        try:
            allowance = _allowance(seconds)
            self._send(question, allowance)
            outcome = self._receive(1, allowance)[0]
            if outcome == Outcome.DONE:
                return self._receive(answer_bytes, allowance)
            raise self._fault(outcome, allowance)
        except BaseException:
            self.close()
            raise

    def _send(self, parts: Iterable[Any], allowance: _Allowance) -> None:
        left = memoryview(b"".join(parts))
        while len(left):
            try:
                left = left[os.write(self._questions, left[:_PIECE]) :]
            except BlockingIOError:
                self._wait(self._questions, select.POLLOUT, allowance)
            except BrokenPipeError:
                return  # it has ended; what it said last is read next

    def _receive(self, count: int, allowance: _Allowance) -> bytearray:
        received = bytearray()
        while len(received) < count:
            self._wait(self._answers, select.POLLIN, allowance)
            try:
                piece = os.read(self._answers, min(count - len(received), _PIECE))
            except BlockingIOError:
                continue
            if not piece:
                raise self._death()
            received += piece
        return received

    def _wait(self, descriptor: int, event: int, allowance: _Allowance) -> None:
        poll = select.poll()
        poll.register(descriptor, event)
        if poll.poll(1_000 * min(_LOOK_SECONDS, allowance.seconds)):
            return
        before = self._processor_seconds()
        while self._processor_seconds() - before < allowance.seconds and time.monotonic() < allowance.at:
            if poll.poll(1_000 * _LOOK_SECONDS):
                return
        raise PolicyTooSlowError(f"no answer in {allowance.seconds:g} s of the processor")

    def _processor_seconds(self) -> float:
        """What the child's processor has taken so far; once it has ended, 0."""
        try:
            fields = Path(f"/proc/{self._child.pid}/stat").read_text("utf-8").rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _fault(self, outcome: int, allowance: _Allowance) -> Exception:
        length = LENGTH.unpack(self._receive(LENGTH.size, allowance))[0]
        text = brief(self._receive(min(length, MAX_FAULT_BYTES), allowance).decode(errors="replace"))
        if outcome == Outcome.REFUSED:
            return InvalidPolicyError(f"the ONNX file is refused: {text}")
        return NoSandboxError(text) if outcome == Outcome.UNCONFINED else PolicyStoppedError(text)

    def _death(self) -> Exception:
        try:
            code = self._child.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            return PolicyStoppedError("it has closed its pipe")
        if code == -signal.SIGXCPU:
            return PolicyTooSlowError(f"it took more than {self._limits.total_seconds:g} s of the processor")
        ended = f"by {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
        return PolicyStoppedError(f"its process ended {ended}")


def _allowance(seconds: float) -> _Allowance:
    return _Allowance(seconds, time.monotonic() + _BUSY * seconds)


def variables() -> dict[str, str]:
    """The child's environment variables; where Python's own libraries lie is this process's to say."""
    inherited = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
    return _VARIABLES | inherited


def child_settings(limits: Limits) -> dict[str, Any]:
    """What the child is given at its start.

    Raises:
        MissingExtraError: onnx or onnxruntime is not installed.
    """
    check_modules(*PLAYED_WITH)
    root = Path(__file__).parents[4]
    names = ("", "baselines", "baselines/policies", "baselines/policies/onnx", "baselines/policies/onnx/sandbox")
    return {
        "memory_bytes": limits.memory_bytes,
        "processor_seconds": math.ceil(limits.total_seconds),
        "paths": list(dict.fromkeys(_folder_of(package) for package in _IMPORTED)),
        "packages": [[".".join(["procgen_bench", *Path(name).parts]), str(root / name)] for name in names],
    }


def _folder_of(package: str) -> str:
    """The folder from which a package, or a module, is imported."""
    spec = importlib.util.find_spec(package)
    assert spec is not None and spec.origin is not None  # the extra brings it
    path = Path(spec.origin)
    above = package.count(".") + (2 if path.name == "__init__.py" else 1)
    return str(path.parents[above - 1])


def _widen(pipe: int) -> None:
    """Make writes to a pipe not block, and its buffer hold the observations of many rows."""
    import fcntl  # there is none elsewhere than on Unix

    os.set_blocking(pipe, False)
    with contextlib.suppress(PermissionError):  # a user who has many pipes gets small ones, which are only slower
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIECE)


def _end(child: subprocess.Popen) -> None:
    child.kill()
    child.wait()
    for pipe in (child.stdin, child.stdout):
        assert pipe is not None
        pipe.close()
