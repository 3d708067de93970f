"""Which ONNX models are played: plain graphs of known operators, whole in one file.

Nothing here trusts the file. What is not checked is left out: the model that is played is written again.
"""

import math
from typing import Any

import onnx
from onnx import AttributeProto, TensorProto
from onnx.helper import tensor_dtype_to_np_dtype

from procgen_bench.baselines.policies.onnx.column import Column
from procgen_bench.baselines.policies.onnx.form import MAX_FILE_BYTES, MAX_METADATA_BYTES, OPSETS
from procgen_bench.baselines.policies.onnx.sandbox.answers import brief

_DEFAULT_DOMAIN = ("", "ai.onnx")
_MAX_NODES, _MAX_TENSORS, _MAX_DIMENSIONS = 10_000, 256, 8

#: Operators that compute numbers of numbers, the same ones every time: no control flow, no draws, no text, no pictures.
OPERATORS = frozenset(
    """
    Abs Acos Acosh Add And ArgMax ArgMin Asin Asinh Atan Atanh AveragePool BatchNormalization BitShift BitwiseAnd
    BitwiseNot BitwiseOr BitwiseXor Cast CastLike Ceil Celu Clip Compress Concat Constant ConstantOfShape Conv
    ConvTranspose Cos Cosh CumSum DepthToSpace DequantizeLinear Div DynamicQuantizeLinear Einsum Elu Equal Erf Exp
    Expand EyeLike Flatten Floor GRU Gather GatherElements GatherND Gelu Gemm GlobalAveragePool GlobalMaxPool Greater
    GreaterOrEqual GroupNormalization HardSigmoid HardSwish Hardmax Identity InstanceNormalization IsInf IsNaN LRN LSTM
    LayerNormalization LeakyRelu Less LessOrEqual Log LogSoftmax LpNormalization MatMul MatMulInteger Max MaxPool Mean
    MeanVarianceNormalization Min Mish Mod Mul Neg NonZero Not OneHot Or PRelu Pad Pow QLinearConv QLinearMatMul
    QuantizeLinear RMSNormalization RNN Range Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax
    ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare Relu Reshape Resize ReverseSequence Round ScatterElements
    ScatterND Selu Shape Shrink Sigmoid Sign Sin Sinh Size Slice Softmax Softplus Softsign SpaceToDepth Split Sqrt
    Squeeze Sub Sum Swish Tan Tanh ThresholdedRelu Tile TopK Transpose Trilu Unsqueeze Where Xor
    """.split()  # noqa: SIM905 - a list of 140 names would be 140 lines
)
_NUMBERS = {
    *(TensorProto.BOOL, TensorProto.FLOAT16, TensorProto.FLOAT, TensorProto.DOUBLE),
    *(TensorProto.INT8, TensorProto.INT16, TensorProto.INT32, TensorProto.INT64),
    *(TensorProto.UINT8, TensorProto.UINT16, TensorProto.UINT32, TensorProto.UINT64),
}
#: Types of attributes, and the fields that hold them.
_ATTRIBUTES = {
    AttributeProto.FLOAT: "f",
    AttributeProto.INT: "i",
    AttributeProto.STRING: "s",
    AttributeProto.TENSOR: "t",
    AttributeProto.FLOATS: "floats",
    AttributeProto.INTS: "ints",
    AttributeProto.STRINGS: "strings",
}


class RefusedModelError(Exception):
    """A file that is no policy of the form."""


def checked_model(file: bytes) -> onnx.ModelProto:
    """The model that a file holds: its graph, what it needs of operators, and its metadata.

    Raises:
        RefusedModelError: It holds something else, or more.
    """
    try:
        model = onnx.ModelProto.FromString(file)
    except Exception as error:  # protobuf's own kind differs from version to version
        raise RefusedModelError(f"the file is no ONNX model: {brief(error)}") from None
    model.DiscardUnknownFields()
    _check_model(model)
    _check_graph(model.graph)
    # Shapes that the file claims for what lies between inputs and outputs are not believed.
    model.graph.ClearField("value_info")
    return model


def input_columns(graph: onnx.GraphProto) -> list[Column]:
    """The inputs, whose first dimension must be any number of rows and whose others must be fixed.

    Raises:
        RefusedModelError: An input has other dimensions, or is no tensor of a known dtype.
    """
    columns = []
    for value in graph.input:
        kind = _tensor_type(value)
        dimensions = kind.shape.dim
        if not kind.HasField("shape") or not 1 <= len(dimensions) <= _MAX_DIMENSIONS:
            raise RefusedModelError(f"input {brief(value.name)!r} has no shape of 1 to {_MAX_DIMENSIONS} dimensions")
        rows, *others = dimensions
        if rows.HasField("dim_value"):
            raise RefusedModelError(f"input {brief(value.name)!r} has {rows.dim_value} rows, expected any number")
        if not all(side.HasField("dim_value") and side.dim_value >= 0 for side in others):
            raise RefusedModelError(f"input {brief(value.name)!r} has a shape that is open beside its rows")
        columns.append(Column(value.name, _dtype(kind.elem_type), tuple(side.dim_value for side in others)))
    return columns


def output_types(graph: onnx.GraphProto) -> dict[str, str]:
    """The outputs' types by name.

    Raises:
        RefusedModelError: An output is no tensor of a known dtype.
    """
    return {value.name: _dtype(_tensor_type(value).elem_type) for value in graph.output}


def metadata_of(model: onnx.ModelProto) -> dict[str, str]:
    """What the file tells of itself."""
    return {entry.key: entry.value for entry in model.metadata_props}


def num_parameters(graph: onnx.GraphProto) -> int:
    """How many numbers the graph's tensors hold."""
    return sum(math.prod(tensor.dims) for tensor in graph.initializer)


def _check_model(model: onnx.ModelProto) -> None:
    for field in ("functions", "training_info", "configuration"):
        if getattr(model, field, None):
            raise RefusedModelError(f"the model holds {field}, expected a graph of operators alone")
    versions = [opset.version for opset in model.opset_import if opset.domain in _DEFAULT_DOMAIN]
    others = sorted({opset.domain for opset in model.opset_import if opset.domain not in _DEFAULT_DOMAIN})
    if others:
        raise RefusedModelError(f"the model needs operators of the domain {brief(others[0])!r}, expected ONNX's own")
    if len(versions) != 1 or versions[0] not in OPSETS:
        raise RefusedModelError(
            f"the model needs operators of versions {brief(versions)}, expected one of {OPSETS[0]} to {OPSETS[-1]}"
        )
    size = sum(len(entry.key.encode()) + len(entry.value.encode()) for entry in model.metadata_props)
    if size > MAX_METADATA_BYTES:
        raise RefusedModelError(f"the model's metadata have {size} bytes, expected at most {MAX_METADATA_BYTES}")


def _check_graph(graph: onnx.GraphProto) -> None:
    if graph.sparse_initializer:
        raise RefusedModelError("the graph holds sparse tensors, expected dense ones")
    if len(graph.node) > _MAX_NODES:
        raise RefusedModelError(f"the graph has {len(graph.node)} operators, expected at most {_MAX_NODES}")
    for values in (graph.input, graph.output):
        if len(values) > _MAX_TENSORS or len({value.name for value in values}) < len(values):
            raise RefusedModelError(
                f"the graph's inputs or outputs are more than {_MAX_TENSORS}, or one is there twice"
            )
    constants = list(graph.initializer)
    if overlap := {value.name for value in graph.input} & {tensor.name for tensor in constants}:
        raise RefusedModelError(f"input {brief(min(overlap))!r} has a value of its own, expected none")
    for node in graph.node:
        _check_node(node)
        constants += [attribute.t for attribute in node.attribute if attribute.HasField("t")]
    for tensor in constants:
        _check_tensor(tensor)
    total = sum(_bytes_of(tensor) for tensor in constants)
    if total > MAX_FILE_BYTES:
        raise RefusedModelError(f"the constants have {total} bytes, expected at most {MAX_FILE_BYTES}")


def _check_node(node: onnx.NodeProto) -> None:
    operator = brief(node.op_type)
    if node.domain not in _DEFAULT_DOMAIN:
        raise RefusedModelError(f"operator {operator} is of the domain {brief(node.domain)!r}, expected ONNX's own")
    if node.op_type not in OPERATORS:
        raise RefusedModelError(
            f"operator {operator} is not allowed: no control flow, no draws, nothing but arithmetic"
        )
    for attribute in node.attribute:
        field = _ATTRIBUTES.get(attribute.type)
        held = {descriptor.name for descriptor, _ in attribute.ListFields()} - {"name", "type", "doc_string"}
        if field is None or not held <= {field}:
            found = ", ".join(sorted(held)) or "nothing"
            raise RefusedModelError(
                f"attribute {brief(attribute.name)!r} of operator {operator} holds {found}, "
                f"expected one of {', '.join(_ATTRIBUTES.values())}"
            )


def _check_tensor(tensor: TensorProto) -> None:
    name = brief(tensor.name)
    if tensor.external_data or tensor.data_location != TensorProto.DEFAULT:
        raise RefusedModelError(f"constant {name!r} lies in a file beside the model, which is not read")
    if tensor.HasField("segment"):
        raise RefusedModelError(f"constant {name!r} is a part of another, expected a whole one")
    if any(side < 0 for side in tensor.dims) or len(tensor.dims) > _MAX_DIMENSIONS:
        raise RefusedModelError(f"constant {name!r} has the shape {brief(list(tensor.dims))}")
    _dtype(tensor.data_type)


def _bytes_of(tensor: TensorProto) -> int:
    return math.prod(tensor.dims) * int(tensor_dtype_to_np_dtype(tensor.data_type).itemsize)


def _tensor_type(value: onnx.ValueInfoProto) -> Any:
    if not value.type.HasField("tensor_type"):
        raise RefusedModelError(f"{brief(value.name)!r} is no tensor")
    return value.type.tensor_type


def _dtype(kind: int) -> str:
    if kind not in _NUMBERS:
        raise RefusedModelError(f"the model holds tensors of the type {_known(TensorProto.DataType, kind)}")
    return str(tensor_dtype_to_np_dtype(kind).name)


def _known(names: Any, number: int) -> Any:
    return names.Name(number) if number in names.values() else number
