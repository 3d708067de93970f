"""A policy, and the same one in disguise."""

import numpy as np
import onnx
from onnx import numpy_helper

from tests.leaderboards.onnx_policies import linear_policy

WEIGHTS = np.random.default_rng(3).normal(size=49 * 4)
LINEAR = linear_policy(WEIGHTS.tolist())


def with_hidden_order(policy: bytes) -> bytes:
    """The same function, computed in another order: the view's cells and the rows of the weights are exchanged."""
    model = onnx.load_from_string(policy)
    weights = next(tensor for tensor in model.graph.initializer if tensor.name == "weights")
    array, order = numpy_helper.to_array(weights), np.random.default_rng(1).permutation(49)
    weights.CopyFrom(numpy_helper.from_array(array[order], "weights"))
    model.graph.initializer.append(numpy_helper.from_array(order.astype(np.int64), "order"))
    model.graph.node.insert(1, onnx.helper.make_node("Gather", ["cells", "order"], ["ordered"], axis=1))
    model.graph.node[2].input[0] = "ordered"
    return model.SerializeToString()


#: The five disguises by which one published policy stood first as "five runs".
DISGUISES = {
    "a byte of its doc_string": linear_policy(WEIGHTS.tolist(), doc="x"),
    "scaled weights": linear_policy((2 * WEIGHTS).tolist()),
    "shifted values": linear_policy(WEIGHTS.tolist(), bias=[7.0] * 4),
    "a little noise": linear_policy((WEIGHTS + 1e-4 * np.random.default_rng(0).normal(size=196)).tolist()),
    "cells in another order": with_hidden_order(LINEAR),
}
