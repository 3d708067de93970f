"""LoadedModel: a checked model in onnxruntime, and what it keeps of its rows."""

import os
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import helper

# Set before it is imported: otherwise it starts a thread that reports to its maker, and writes to the home folder.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
import onnxruntime

from procgen_bench.baselines.policies.onnx.column import Column
from procgen_bench.baselines.policies.onnx.form import OPSETS, STATE_IN, STATE_OUT
from procgen_bench.baselines.policies.onnx.sandbox import model_check

_SILENT = 4


class LoadedModel:
    """A policy that is ready to play, with one thread.

    Args:
        file: The ONNX file.

    Raises:
        RefusedModelError: It is no policy of the form.
    """

    def __init__(self, file: bytes):
        model = model_check.checked_model(file)
        self._inputs, self._types = model_check.input_columns(model.graph), model_check.output_types(model.graph)
        self._metadata = model_check.metadata_of(model)
        self._parameters = model_check.num_parameters(model.graph)
        self._session = new_session(model.SerializeToString())
        self._state: dict[str, np.ndarray] = {}
        self._kept = [column for column in self._inputs if column.name.startswith(STATE_IN)]
        self._following = [STATE_OUT + column.name.removeprefix(STATE_IN) for column in self._kept]
        #: What is given at every step, in this order.
        self.given = [column for column in self._inputs if not column.name.startswith(STATE_IN)]

    def description(self) -> dict[str, Any]:
        """Inputs, outputs, metadata and the number of parameters, as plain values."""
        return {
            "inputs": [[column.name, column.dtype, list(column.shape)] for column in self._inputs],
            "outputs": self._types,
            "metadata": self._metadata,
            "parameters": self._parameters,
        }

    def act(self, starts: np.ndarray, given: list[np.ndarray], outputs: Sequence[Column]) -> list[np.ndarray]:
        """What is asked for, as arrays (N, ...): a policy's actions.

        Args:
            starts: bool (N,), the rows whose episode begins.
            given: An array (N, ...) for each column of ``self.given``.
            outputs: What is asked for.

        Raises:
            ValueError: An output is of another type or shape.
        """
        rows = len(starts)
        feed = {column.name: array for column, array in zip(self.given, given, strict=True)}
        feed |= {column.name: self._remembered(column, starts) for column in self._kept}
        found = self._session.run([*(column.name for column in outputs), *self._following], feed)
        asked, kept = found[: len(outputs)], found[len(outputs) :]
        for column, array in zip(outputs, asked, strict=True):
            _check_output(column, array, rows)
        for column, name, array in zip(self._kept, self._following, kept, strict=True):
            _check_output(Column(name, column.dtype, column.shape), array, rows)
            self._state[column.name] = array
        return [np.ascontiguousarray(array) for array in asked]

    def _remembered(self, column: Column, starts: np.ndarray) -> np.ndarray:
        kept = self._state.get(column.name)
        if kept is None or len(kept) != len(starts):
            return np.zeros((len(starts), *column.shape), column.dtype)
        kept[starts] = 0
        return kept


def new_session(model: bytes) -> onnxruntime.InferenceSession:
    """A session of one thread on the processor, whose optimisations do not depend on the machine."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.log_severity_level = _SILENT
    options.add_session_config_entry("session.load_model_format", "ONNX")
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def warm_up() -> None:
    """Have onnxruntime load what it loads late, while there still are files."""
    column = helper.make_tensor_value_info("row", 1, ["N"]), helper.make_tensor_value_info("same", 1, ["N"])
    graph = helper.make_graph([helper.make_node("Identity", ["row"], ["same"])], "warm", column[:1], column[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSETS[0])], ir_version=8)
    new_session(model.SerializeToString()).run(None, {"row": np.zeros(1, np.float32)})


def memory_fault(error: BaseException) -> int | None:
    """The bytes that could not be had, if that is what an error says; 0: it does not say how many."""
    text = str(error)
    if found := re.search(r"[Ff]ailed to allocate memory.*?size:? ?(\d+)", text, re.DOTALL):
        return int(found[1])
    said = any(words in text for words in ("bad_alloc", "bad allocation", "alloc failed"))
    return 0 if said or isinstance(error, MemoryError) else None


def fault_in_words(error: BaseException) -> str:
    """What an error says, without onnxruntime's own numbers."""
    return re.sub(r"\[ONNXRuntimeError\] : \d+ : \w+ : ", "", str(error))


def _check_output(column: Column, array: Any, rows: int) -> None:
    if not isinstance(array, np.ndarray):
        raise ValueError(f"output {column.name} is no tensor")
    if array.dtype.name != column.dtype or array.shape != (rows, *column.shape):
        raise ValueError(f"output {column.name} is {array.dtype.name} {array.shape} for {rows} rows, expected {column}")
