"""Tiny policies for GridWorld as ONNX files, put together by hand: none is trained, none exported."""

from collections.abc import Sequence

import numpy as np
from onnx import NodeProto, TensorProto, helper

OBSERVED = {"objects": [10], "position": [2], "view": [7, 7]}
ACTION = helper.make_tensor_value_info("action", TensorProto.INT64, ["N"])


def model_of(
    nodes: Sequence[NodeProto],
    constants: Sequence[TensorProto],
    name: str,
    doc: str = "",
    inputs: dict[str, list[int]] = {},  # noqa: B006 - never changed
    outputs: Sequence = (),
) -> bytes:
    """A policy of these nodes, the last of which gives ``action``."""
    observed = [
        helper.make_tensor_value_info(column, TensorProto.FLOAT, ["N", *shape])
        for column, shape in {**OBSERVED, **inputs}.items()
    ]
    graph = helper.make_graph(nodes, name, observed, [ACTION, *outputs], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8, doc_string=doc)
    helper.set_model_props(model, {"method": name, "environment": "GridWorld-v0", "training_steps": "10"})
    return model.SerializeToString()


def integer(name: str, value: int) -> TensorProto:
    return helper.make_tensor(name, TensorProto.INT64, [], [value])


def reals(name: str, values: Sequence[float], shape: Sequence[int]) -> TensorProto:
    return helper.make_tensor(name, TensorProto.FLOAT, shape, values)


def constant_policy(action: int, name: str = "left", doc: str = "") -> bytes:
    """Always takes one action."""
    nodes = [
        helper.make_node("ReduceSum", ["position", "axis"], ["sum"], keepdims=0),
        helper.make_node("Mul", ["sum", "zero"], ["nothing"]),
        helper.make_node("Cast", ["nothing"], ["integers"], to=TensorProto.INT64),
        helper.make_node("Add", ["integers", "chosen"], ["action"]),
    ]
    axis = helper.make_tensor("axis", TensorProto.INT64, [1], [1])
    return model_of(nodes, [axis, reals("zero", [0.0], []), integer("chosen", action)], name, doc)


def row_reading_policy(rows: int, then: int, otherwise: int, name: str = "rows") -> bytes:
    """Always takes one action where it is asked for so many rows at once, else another."""
    nodes = [
        helper.make_node("ReduceSum", ["position", "axis"], ["sum"], keepdims=0),
        helper.make_node("Mul", ["sum", "zero"], ["nothing"]),
        helper.make_node("Cast", ["nothing"], ["integers"], to=TensorProto.INT64),
        helper.make_node("Shape", ["integers"], ["count"]),
        helper.make_node("Equal", ["count", "rows"], ["told"]),
        helper.make_node("Where", ["told", "then", "otherwise"], ["chosen"]),
        helper.make_node("Add", ["integers", "chosen"], ["action"]),
    ]
    axis = helper.make_tensor("axis", TensorProto.INT64, [1], [1])
    constants = [integer("rows", rows), integer("then", then), integer("otherwise", otherwise)]
    return model_of(nodes, [axis, reals("zero", [0.0], []), *constants], name)


def linear_policy(weights: Sequence[float], name: str = "linear", doc: str = "", bias: Sequence[float] = ()) -> bytes:
    """Takes the greatest of four sums over the 49 cells of the view; ``weights`` are (49, 4), row by row."""
    nodes = [
        helper.make_node("Flatten", ["view"], ["cells"], axis=1),
        helper.make_node("MatMul", ["cells", "weights"], ["sums"]),
        helper.make_node("Add", ["sums", "bias"], ["values"]),
        helper.make_node("ArgMax", ["values"], ["action"], axis=1, keepdims=0),
    ]
    return model_of(nodes, [reals("weights", weights, [49, 4]), reals("bias", bias or [0.0] * 4, [4])], name, doc)


def noisy_policy(name: str = "noisy") -> bytes:
    """Draws its action from the verifier's noise."""
    nodes = [
        helper.make_node("Mul", ["noise", "four"], ["drawn"]),
        helper.make_node("Cast", ["drawn"], ["integers"], to=TensorProto.INT64),
        helper.make_node("Squeeze", ["integers", "axis"], ["action"]),
    ]
    axis = helper.make_tensor("axis", TensorProto.INT64, [1], [1])
    return model_of(nodes, [reals("four", [4.0], []), axis], name, inputs={"noise": [1]})


def counting_policy(name: str = "counting") -> bytes:
    """Takes one action after the other, by a memory that counts its steps; it would go on in the next episode."""
    nodes = [
        helper.make_node("Mod", ["state_in_steps", "four"], ["turn"], fmod=1),
        helper.make_node("Cast", ["turn"], ["integers"], to=TensorProto.INT64),
        helper.make_node("Squeeze", ["integers", "axis"], ["action"]),
        helper.make_node("Add", ["state_in_steps", "one"], ["state_out_steps"]),
    ]
    axis = helper.make_tensor("axis", TensorProto.INT64, [1], [1])
    kept = helper.make_tensor_value_info("state_out_steps", TensorProto.FLOAT, ["N", 1])
    constants = [reals("four", [4.0], []), reals("one", [1.0], []), axis]
    return model_of(nodes, constants, name, inputs={"state_in_steps": [1]}, outputs=[kept])


def failing_policy(steps: int = 10, name: str = "failing") -> bytes:
    """Goes left, and looks for an entry beyond its table's end after so many steps."""
    nodes = [
        helper.make_node("Cast", ["state_in_steps"], ["turn"], to=TensorProto.INT64),
        helper.make_node("Squeeze", ["turn", "axis"], ["row"]),
        helper.make_node("Gather", ["table", "row"], ["action"], axis=0),
        helper.make_node("Add", ["state_in_steps", "one"], ["state_out_steps"]),
    ]
    axis = helper.make_tensor("axis", TensorProto.INT64, [1], [1])
    table = helper.make_tensor("table", TensorProto.INT64, [steps], [0] * steps)
    kept = helper.make_tensor_value_info("state_out_steps", TensorProto.FLOAT, ["N", 1])
    return model_of(nodes, [table, axis, reals("one", [1.0], [])], name, inputs={"state_in_steps": [1]}, outputs=[kept])


def table_policy(views: np.ndarray, actions: np.ndarray, name: str = "table") -> bytes:
    """Knows the first views of some tasks, float32 (tasks, 7, 7), and plays a list of actions in each, (tasks, steps).

    It remembers which of the views is the nearest to the one that its episode began with, and how many steps it took.
    """
    tasks, steps = actions.shape
    nodes = [
        helper.make_node("Flatten", ["view"], ["cells"], axis=1),
        helper.make_node("MatMul", ["cells", "keys"], ["products"]),
        helper.make_node("Sub", ["products", "halves"], ["nearness"]),
        helper.make_node("ArgMax", ["nearness"], ["nearest"], axis=1, keepdims=1),
        helper.make_node("Cast", ["nearest"], ["seen"], to=TensorProto.FLOAT),
        helper.make_node("Less", ["state_in_steps", "half"], ["begins"]),
        helper.make_node("Where", ["begins", "seen", "state_in_task"], ["state_out_task"]),
        helper.make_node("Mul", ["state_out_task", "steps"], ["first"]),
        helper.make_node("Add", ["first", "state_in_steps"], ["place"]),
        helper.make_node("Cast", ["place"], ["row"], to=TensorProto.INT64),
        helper.make_node("Squeeze", ["row", "axis"], ["rows"]),
        helper.make_node("Gather", ["table", "rows"], ["action"], axis=0),
        helper.make_node("Add", ["state_in_steps", "one"], ["state_out_steps"]),
    ]
    keys = views.reshape(tasks, 49).astype(np.float64)
    constants = [
        reals("keys", keys.T.ravel().tolist(), [49, tasks]),
        reals("halves", ((keys**2).sum(axis=1) / 2).tolist(), [tasks]),
        reals("half", [0.5], []),
        reals("steps", [float(steps)], []),
        reals("one", [1.0], []),
        helper.make_tensor("axis", TensorProto.INT64, [1], [1]),
        helper.make_tensor("table", TensorProto.INT64, [actions.size], actions.ravel().tolist()),
    ]
    kept = [helper.make_tensor_value_info(f"state_out_{one}", TensorProto.FLOAT, ["N", 1]) for one in ("steps", "task")]
    inputs = {"state_in_steps": [1], "state_in_task": [1]}
    return model_of(nodes, constants, name, inputs=inputs, outputs=kept)
