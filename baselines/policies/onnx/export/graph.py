"""Graph: an ONNX graph as it is written, node by node. The same writing gives the same bytes, whoever writes."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from procgen_bench.baselines.policies.onnx.form import OPSET, Column

#: ONNX's format that goes with ``OPSET``.
_IR_VERSION = 8
_ROWS = "N"


class Graph:
    """Nodes, constants, inputs and outputs. Tensors go by the names that its methods return."""

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[tuple[str, tuple[int, ...], bytes], onnx.TensorProto] = {}
        self._inputs: list[onnx.ValueInfoProto] = []
        self._outputs: list[onnx.ValueInfoProto] = []
        self._count = 0

    def input(self, column: Column) -> str:
        """Add an input."""
        self._inputs.append(_value_info(column))
        return column.name

    def output(self, column: Column, source: str) -> None:
        """Add an output, which is the tensor ``source``."""
        self._nodes.append(helper.make_node("Identity", [source], [column.name]))
        self._outputs.append(_value_info(column))

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add a node with one output."""
        return self.add_many(operator, inputs, 1, **attributes)[0]

    def add_many(self, operator: str, inputs: Sequence[str], outputs: int, **attributes: Any) -> list[str]:
        """Add a node with some outputs. Attributes that are ``None`` are left out."""
        names = [self._new_name() for _ in range(outputs)]
        given = {name: value for name, value in attributes.items() if value is not None}
        self._nodes.append(helper.make_node(operator, list(inputs), names, **given))
        return names

    def constant(self, array: np.ndarray) -> str:
        """A constant, kept once."""
        array = np.ascontiguousarray(array)
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._constants:
            self._constants[key] = numpy_helper.from_array(array, f"constant_{len(self._constants)}")
        return self._constants[key].name

    def to_bytes(self, metadata: Mapping[str, str]) -> bytes:
        """The file."""
        graph = helper.make_graph(
            self._nodes, "policy", self._inputs, self._outputs, initializer=list(self._constants.values())
        )
        opset = helper.make_opsetid("", OPSET)
        model = helper.make_model(graph, opset_imports=[opset], ir_version=_IR_VERSION, producer_name="procgen_bench")
        helper.set_model_props(model, dict(sorted(metadata.items())))
        onnx.checker.check_model(model, full_check=True)
        return model.SerializeToString(deterministic=True)

    def _new_name(self) -> str:
        self._count += 1
        return f"value_{self._count}"


def _value_info(column: Column) -> onnx.ValueInfoProto:
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(column.dtype))
    return helper.make_tensor_value_info(column.name, kind, [_ROWS, *column.shape])
