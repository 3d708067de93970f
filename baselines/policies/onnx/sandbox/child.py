"""The child: it confines itself, and only then reads the model and plays it, as it is asked through its pipe."""

import io
import json
import math
import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from procgen_bench.baselines.policies.onnx.column import Column
from procgen_bench.baselines.policies.onnx.form import MAX_FILE_BYTES
from procgen_bench.baselines.policies.onnx.sandbox.answers import LENGTH, MAX_FAULT_BYTES, Outcome, brief
from procgen_bench.baselines.policies.onnx.sandbox.confinement import confine
from procgen_bench.baselines.policies.onnx.sandbox.loaded_model import (
    LoadedModel,
    fault_in_words,
    memory_fault,
    warm_up,
)

Result = TypeVar("Result")
_GIGABYTE = 1e9


def main(settings: dict[str, Any]) -> None:
    """Answer until the parent closes the pipe, or something fails.

    Args:
        settings: ``memory_bytes`` and ``processor_seconds``, see :func:`confine`.
    """
    pipe = _Pipe(settings["memory_bytes"])
    pipe.answer(Outcome.UNCONFINED, lambda: _confine(settings))
    model = pipe.answer(Outcome.REFUSED, lambda: _load(pipe))
    outputs = [Column(name, dtype, tuple(shape)) for name, dtype, shape in json.loads(pipe.read_counted())]
    while rows := pipe.read_length():
        pipe.answer(Outcome.FAILED, lambda: _act(pipe, model, outputs, rows))


def _confine(settings: dict[str, Any]) -> tuple[None, bytes]:
    warm_up()
    return None, bytes([confine(settings["memory_bytes"], settings["processor_seconds"])])


def _load(pipe: "_Pipe") -> tuple[LoadedModel, bytes]:
    model = LoadedModel(pipe.read_counted(MAX_FILE_BYTES))
    described = json.dumps(model.description()).encode()
    return model, LENGTH.pack(len(described)) + described


def _act(pipe: "_Pipe", model: LoadedModel, outputs: Sequence[Column], rows: int) -> tuple[None, bytes]:
    starts = pipe.read_array(Column("starts", "bool", ()), rows)
    found = model.act(starts, [pipe.read_array(column, rows) for column in model.given], outputs)
    return None, b"".join(array.tobytes() for array in found)


class _Pipe:
    """Questions, read from standard input, and answers, written to what was standard output.

    Args:
        memory_bytes: What the policy may take, which faults tell.
    """

    def __init__(self, memory_bytes: int):
        self._memory_bytes = memory_bytes
        self._questions, self._answers = io.FileIO(0, "r", closefd=False), os.dup(1)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (1, 2):
            os.dup2(nowhere, stream)  # libraries may print; no reader is there
        os.close(nowhere)

    def answer(self, failure: Outcome, question: Callable[[], tuple[Result, bytes]]) -> Result:
        """Answer a question by the bytes that it gives, and return what else it gives; a fault ends the process."""
        try:
            result, given = question()
        except Exception as error:
            said = self._fault(error).encode()[:MAX_FAULT_BYTES]
            outcome = failure if memory_fault(error) is None else Outcome.FAILED
            self._write(bytes([outcome]) + LENGTH.pack(len(said)) + said)
            os._exit(1)
        self._write(bytes([Outcome.DONE]) + given)
        return result

    def read_length(self) -> int:
        """A number; 0 at the end."""
        return int(LENGTH.unpack(self._read(LENGTH.size) or bytes(LENGTH.size))[0])

    def read_counted(self, most: int = MAX_FAULT_BYTES) -> bytes:
        """As many bytes as a number says that comes first."""
        length = self.read_length()
        if length > most:
            raise ValueError(f"{length} bytes, expected at most {most}")
        return bytes(self._read(length))

    def read_array(self, column: Column, rows: int) -> np.ndarray:
        """An array (rows, ...)."""
        count = rows * math.prod(column.shape)
        read = self._read(count * np.dtype(column.dtype).itemsize)
        return np.frombuffer(read, column.dtype).reshape(rows, *column.shape)

    def _read(self, count: int) -> bytearray:
        """That many bytes; none if the parent has gone."""
        buffer = bytearray(count)
        with memoryview(buffer) as left:
            while len(left):
                got = self._questions.readinto(left)
                if not got:
                    return bytearray()
                left = left[got:]
        return buffer

    def _write(self, content: bytes) -> None:
        left = memoryview(content)
        while len(left):
            left = left[os.write(self._answers, left) :]

    def _fault(self, error: Exception) -> str:
        asked = memory_fault(error)
        if asked is None:
            return brief(fault_in_words(error))
        wanted = f"{asked / _GIGABYTE:.1f} GB of memory" if asked else "more memory than it is given"
        return f"it asked for {wanted}, of {self._memory_bytes / _GIGABYTE:.1f} GB"
