"""Small ONNX models, honest and hostile, for an environment that shows four numbers and takes two."""

import numpy as np
from gymnasium import spaces
from onnx import TensorProto, helper, numpy_helper

OBSERVATIONS = spaces.Dict({"seen": spaces.Box(-10, 10, (4,), np.float32)})
ACTIONS = spaces.Box(-1, 1, (2,), np.float32)
WEIGHTS = np.linspace(-0.1, 0.1, 8, dtype=np.float32).reshape(4, 2)
FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def value(name, shape, kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def node(operator, inputs, outputs, **attributes):
    return helper.make_node(operator, inputs.split(), outputs.split(), **attributes)


def constant(name, array):
    return numpy_helper.from_array(np.asarray(array), name)


def honest_nodes():
    return [node("MatMul", "seen weights", "product"), node("Tanh", "product", "action")]


def make_model(
    nodes=None, inputs=None, outputs=None, constants=(), opset=18, domains=(), metadata=None, **model_fields
):
    """A model; by default the honest one: tanh(seen @ WEIGHTS)."""
    graph = helper.make_graph(
        honest_nodes() if nodes is None else nodes,
        "policy",
        [value("seen", ["N", 4])] if inputs is None else inputs,
        [value("action", ["N", 2])] if outputs is None else outputs,
        [constant("weights", WEIGHTS), *constants],
    )
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in domains)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8, **model_fields)
    helper.set_model_props(model, metadata or {})
    return model


def rows(count, seed=0):
    """Observations of some rows."""
    return {"seen": np.random.default_rng(seed).normal(size=(count, 4)).astype(np.float32)}
