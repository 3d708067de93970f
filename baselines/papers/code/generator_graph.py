"""The graph of :class:`.DesignGenerator` in ONNX's operators: its choices one by one, as many as a design has."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from procgen_bench.baselines.papers.code.design_generator import DesignGenerator
from procgen_bench.baselines.papers.code.generator_file import NUM_PLACES, PLACES, PRIMITIVES, UNIFORM
from procgen_bench.baselines.policies.arrays import network_arrays
from procgen_bench.baselines.policies.onnx.column import Column
from procgen_bench.baselines.policies.onnx.form import NOISE, OPSET
from procgen_bench.baselines.policies.tensors import NEVER


def generator_model(generator: DesignGenerator, inputs: Sequence[Column], outputs: Sequence[Column]) -> onnx.ModelProto:
    """The model of a generator, without metadata; equal weights give equal bytes."""
    graph = _Graph(generator)
    graph.build()
    given, made = (
        [helper.make_tensor_value_info(one.name, _kind(one.dtype), ["rows", *one.shape]) for one in columns]
        for columns in (inputs, outputs)
    )
    built = helper.make_graph(graph.nodes, "generator", given, made, list(graph.constants.values()))
    model = helper.make_model(built, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)
    model.producer_name = "procgen_bench"
    return model


class _Graph:
    """Nodes and constants; values (N, k) are known by their names.

    Attributes:
        nodes: In the order in which they are computed.
        constants: The weights, and other fixed numbers, by name.
    """

    def __init__(self, generator: DesignGenerator):
        self._generator = generator
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}
        self._known: dict[tuple, str] = {}
        weights = network_arrays(generator)
        for name, array in weights.items():
            self._constant(array, name)
        self._axis = self._constant(np.array([1]))
        #: What precedes the first choice, float32 (1, k).
        self._start = np.zeros((1, weights["choice.0.weight"].shape[1]), np.float32)
        self._start[0, generator.num_primitives + 1] = 1

    def build(self) -> None:
        """All nodes, from the inputs to the outputs."""
        generator = self._generator
        draws = generator.slots * (1 + (generator.place is not None)) + (generator.number is not None)
        uniform = iter(self._add("Split", UNIFORM, outputs=draws, axis=1, num_outputs=draws))
        hidden, cell = self._two_layers("first", NOISE), ""
        last = generator.most_places - 1
        number = self._constant(np.array([[last]]))
        if generator.number is not None:
            number = self._chosen(self._two_layers("number", hidden), next(uniform), last)
        seen = self._seen(self._constant(self._start))
        primitives, places = [], []
        for _ in range(generator.slots):
            hidden, cell = self._next(seen, hidden, cell)
            primitives.append(
                self._chosen(self._two_layers("primitive", hidden), next(uniform), generator.num_primitives)
            )
            if generator.place is not None:
                logits = self._where_there_are(self._two_layers("place", hidden), number)
                places.append(self._chosen(logits, next(uniform), last))
            seen = self._seen(self._encoded(primitives[-1], places[-1] if places else ""))
        rows = self._one("Shape", primitives[0])
        counted = self._one("Expand", self._one("Add", number, self._constant(np.array(1))), rows)
        self._give("Squeeze", counted, self._axis, output=NUM_PLACES)
        self._give("Concat", *primitives, output=PRIMITIVES, axis=1)
        if not places:
            places = [self._one("Expand", self._constant(np.array(0)), rows)] * generator.slots
        self._give("Concat", *places, output=PLACES, axis=1)

    def _two_layers(self, part: str, value: str) -> str:
        inside = self._one("Tanh", self._dense(f"{part}.0", value))
        return self._dense(f"{part}.2", inside)

    def _dense(self, layer: str, value: str) -> str:
        return self._one("Gemm", value, f"{layer}.weight", f"{layer}.bias", transB=1)

    def _seen(self, choice: str) -> str:
        return self._dense("seen", self._two_layers("choice", choice))

    def _next(self, seen: str, hidden: str, cell: str) -> tuple[str, str]:
        """One step of the LSTM; there is no cell before the first."""
        gates = self._one("Add", seen, self._one("Gemm", hidden, "kept.weight", transB=1))
        let_in, forget, new, let_out = self._add("Split", gates, outputs=4, axis=1, num_outputs=4)
        added = self._one("Mul", self._one("Sigmoid", let_in), self._one("Tanh", new))
        if cell:
            added = self._one("Add", self._one("Mul", self._one("Sigmoid", forget), cell), added)
        return self._one("Mul", self._one("Sigmoid", let_out), self._one("Tanh", added)), added

    def _chosen(self, logits: str, uniform: str, last: int) -> str:
        """int64 (N, 1), of the choices 0 to ``last``, as :meth:`.DesignGenerator.draw` draws them."""
        shares = self._one("Softmax", self._one("Cast", logits, to=onnx.TensorProto.DOUBLE), axis=1)
        reached = self._one("CumSum", shares, self._constant(np.array(1)))
        whole = self._one("Gather", reached, self._constant(np.array([last])), axis=1)
        passed = self._one("LessOrEqual", reached, self._one("Mul", uniform, whole))
        counted = self._one("Cast", passed, to=onnx.TensorProto.INT64)
        return self._one("Min", self._one("ReduceSum", counted, self._axis), self._constant(np.array(last)))

    def _where_there_are(self, logits: str, number: str) -> str:
        places = self._constant(np.arange(self._generator.most_places)[None])
        return self._one(
            "Where", self._one("Greater", places, number), self._constant(np.array(NEVER, np.float32)), logits
        )

    def _encoded(self, primitive: str, place: str) -> str:
        entries = self._constant(np.arange(self._start.shape[1])[None])
        ones = self._one("Equal", primitive, entries)
        if place:
            behind = self._constant(np.array(self._generator.num_primitives + 2))
            ones = self._one("Or", ones, self._one("Equal", self._one("Add", place, behind), entries))
        return self._one("Cast", ones, to=onnx.TensorProto.FLOAT)

    def _constant(self, array: np.ndarray, name: str = "") -> str:
        """The name of a constant; equal ones are one."""
        content = array.dtype.name, array.shape, array.tobytes()
        name = name or self._known.get(content, f"constant_{len(self.constants)}")
        self._known[content] = name
        self.constants[name] = numpy_helper.from_array(array, name)
        return name

    def _one(self, operator: str, *inputs: str, **attributes: Any) -> str:
        (value,) = self._add(operator, *inputs, **attributes)
        return value

    def _add(self, operator: str, *inputs: str, outputs: int = 1, **attributes: Any) -> list[str]:
        names = [f"value_{len(self.nodes)}_{place}" for place in range(outputs)]
        self.nodes.append(helper.make_node(operator, inputs, names, **attributes))
        return names

    def _give(self, operator: str, *inputs: str, output: str, **attributes: Any) -> None:
        self.nodes.append(helper.make_node(operator, inputs, [output], **attributes))


def _kind(dtype: str) -> int:
    return helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
