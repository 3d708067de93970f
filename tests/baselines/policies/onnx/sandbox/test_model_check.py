"""What is refused by reading alone; every case differs in one thing from a model that is taken."""

import numpy as np
import onnx
import pytest
from onnx import AttributeProto, TensorProto, helper

from procgen_bench.baselines.policies.onnx.column import Column
from procgen_bench.baselines.policies.onnx.form import MAX_METADATA_BYTES
from procgen_bench.baselines.policies.onnx.sandbox.model_check import (
    OPERATORS,
    RefusedModelError,
    checked_model,
    input_columns,
    metadata_of,
    output_types,
)
from tests.baselines.policies.onnx.sandbox.models import FLOAT, WEIGHTS, constant, honest_nodes, make_model, node, value


def test_an_honest_model_is_described():
    model = checked_model(make_model(metadata={"method": "mine"}).SerializeToString())
    assert input_columns(model.graph) == [Column("seen", "float32", (4,))]
    assert output_types(model.graph) == {"action": "float32"}
    assert metadata_of(model) == {"method": "mine"}


def test_operators_are_known_to_onnx_and_draw_nothing():
    known = {schema.name for schema in onnx.defs.get_all_schemas() if schema.domain == ""}
    assert known >= OPERATORS
    drawing = {"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial", "Bernoulli"}
    flowing = {"If", "Loop", "Scan", "SequenceMap", "Optional", "StringConcat", "ImageDecoder", "Dropout"}
    assert drawing | flowing <= known
    assert not OPERATORS & (drawing | flowing)


def subgraph():
    return helper.make_graph([node("Identity", "seen", "inner")], "inner", [], [value("inner", ["N", 4])])


def beside():
    tensor = constant("weights", WEIGHTS)
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    entry = tensor.external_data.add()
    entry.key, entry.value = "location", "../../etc/passwd"
    model = make_model()
    model.graph.initializer[0].CopyFrom(tensor)
    return model


def external_attribute():
    model = make_model([node("Constant", "", "more", value=constant("", WEIGHTS)), *honest_nodes()])
    tensor = model.graph.node[0].attribute[0].t
    tensor.ClearField("raw_data")
    entry = tensor.external_data.add()
    entry.key, entry.value = "location", "weights.bin"
    return model


def hidden_subgraph():
    """An attribute that says it is a number, and holds a graph, too."""
    model = make_model([*honest_nodes(), node("Softmax", "action", "more", axis=1)])
    model.graph.node[2].attribute[0].g.CopyFrom(subgraph())
    return model


def function_reference():
    model = make_model([*honest_nodes(), node("Softmax", "action", "more", axis=1)])
    model.graph.node[2].attribute[0].ref_attr_name = "axis"
    return model


def with_function():
    body = [node("Identity", "x", "y")]
    function = helper.make_function("mine", "f", ["x"], ["y"], body, [helper.make_opsetid("", 18)])
    return make_model(functions=[function])


def sparse():
    model = make_model()
    tensor = model.graph.sparse_initializer.add()
    tensor.values.CopyFrom(constant("more", np.ones(1, np.float32)))
    return model


def shaped(dims):
    """A constant that claims a shape of its own."""
    model = make_model()
    tensor = model.graph.initializer.add()
    tensor.name, tensor.data_type = "more", FLOAT
    tensor.dims.extend(dims)
    return model


def sequence_input():
    kind = helper.make_sequence_type_proto(helper.make_tensor_type_proto(FLOAT, ["N", 4]))
    return make_model(inputs=[value("seen", ["N", 4]), helper.make_value_info("list", kind)])


def graph_type_attribute():
    model = make_model([*honest_nodes(), node("Softmax", "action", "more", axis=1)])
    model.graph.node[2].attribute[0].type = AttributeProto.UNDEFINED
    return model


def twice_imported():
    model = make_model()
    model.opset_import.append(model.opset_import[0])
    return model


REFUSED = {
    "operator Loop is not allowed": lambda: make_model([node("Loop", "", "action", body=subgraph())]),
    "operator If is not allowed": lambda: make_model([node("If", "seen", "action", then_branch=subgraph())]),
    "operator Scan is not allowed": lambda: make_model([node("Scan", "seen", "action", body=subgraph())]),
    "operator RandomNormal is not allowed": lambda: make_model([node("RandomNormal", "", "action", shape=[1, 2])]),
    "operator Bernoulli is not allowed": lambda: make_model([node("Bernoulli", "seen", "action")]),
    "operator Multinomial is not allowed": lambda: make_model([node("Multinomial", "seen", "action")]),
    "operator a b is not allowed": lambda: make_model([node("a\n\0b", "seen", "action")]),
    "operator FusedConv is of the domain 'com.microsoft'": lambda: make_model(
        [node("FusedConv", "seen", "action", domain="com.microsoft")]
    ),
    "needs operators of the domain 'com.microsoft'": lambda: make_model(domains=["com.microsoft"]),
    r"of versions \[7\], expected one of 17 to 23": lambda: make_model(opset=7),
    r"of versions \[18, 18\]": twice_imported,
    "the model holds functions": with_function,
    "holds sparse tensors": sparse,
    "constant 'weights' lies in a file beside the model": beside,
    "constant '' lies in a file beside the model": external_attribute,
    "attribute 'axis' of operator Softmax holds g, i": hidden_subgraph,
    "attribute 'axis' of operator Softmax holds i, ref_attr_name": function_reference,
    "attribute 'axis' of operator Softmax holds i, expected": graph_type_attribute,
    "the constants have 160000000032 bytes": lambda: shaped([200_000, 200_000]),
    r"constant 'more' has the shape \[-1\]": lambda: shaped([-1]),
    "tensors of the type STRING": lambda: make_model(constants=[constant("more", np.array(["x"], object))]),
    "tensors of the type BFLOAT16": lambda: make_model(inputs=[value("seen", ["N", 4], TensorProto.BFLOAT16)]),
    "'list' is no tensor": sequence_input,
    "input 'seen' has 1 rows, expected any number": lambda: make_model(inputs=[value("seen", [1, 4])]),
    "input 'seen' has a shape that is open": lambda: make_model(inputs=[value("seen", ["N", "M"])]),
    "input 'seen' has no shape": lambda: make_model(inputs=[value("seen", None)]),
    "or one is there twice": lambda: make_model(inputs=[value("seen", ["N", 4])] * 2),
    "input 'weights' has a value of its own": lambda: make_model(inputs=[value("weights", ["N", 2])]),
    "the graph has 10001 operators": lambda: make_model([node("Identity", "seen", "action")] * 10_001),
    "metadata have 16403 bytes, expected at most 16384": lambda: make_model(
        metadata={"m": "x" * (MAX_METADATA_BYTES + 18)}
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_other_models_are_refused(message):
    file = REFUSED[message]().SerializeToString()
    with pytest.raises(RefusedModelError, match=message) as caught:
        model = checked_model(file)
        input_columns(model.graph), output_types(model.graph)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "file",
    [
        b"",
        b"not a model",
        make_model().SerializeToString()[:-40],
        b"\x3a\xff\xff\xff\x7f" + bytes(100),  # a graph that claims two gigabytes
        b"ORTM" + bytes(100),  # onnxruntime's other format
    ],
)
def test_other_bytes_are_refused(file):
    with pytest.raises(RefusedModelError) as caught:
        checked_model(file)
    assert "\n" not in str(caught.value)


def test_deep_nesting_is_refused():
    """A graph with an operator with an attribute with a graph, a thousand times over."""
    graph = b""
    for _ in range(1_000):
        for field in (b"\x32", b"\x2a", b"\x0a"):  # an attribute's graph, an operator's attribute, a graph's operator
            graph = field + encoded(len(graph)) + graph
    with pytest.raises(RefusedModelError, match="the file is no ONNX model"):
        checked_model(b"\x3a" + encoded(len(graph)) + graph)


def encoded(number):
    """A length as protobuf writes it."""
    pieces = []
    while number > 127:
        pieces.append(number & 127 | 128)
        number >>= 7
    return bytes([*pieces, number])


def test_what_the_file_claims_beside_is_left_out():
    model = make_model()
    model.graph.value_info.append(value("product", ["N", 10**12]))
    file = model.SerializeToString() + b"\xf2\x3f\x04evil"  # a field that no version knows
    checked = checked_model(file)
    assert len(checked.graph.value_info) == 0
    assert b"evil" not in checked.SerializeToString()
