"""How torch's functions are written as ONNX's operators: those that the policies call. Add what yours calls."""

from typing import Any

import torch

from procgen_bench.baselines.policies.onnx.export.tracing import UntranslatedError, Writer, plain, translates

_END = 2**63 - 1

_ARITHMETIC = {"add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "truediv": "Div", "minimum": "Min"}
_ARITHMETIC |= {"maximum": "Max", "pow": "Pow", "remainder": "Mod", "matmul": "MatMul"}
_COMPARISONS = {"eq": "Equal", "lt": "Less", "le": "LessOrEqual", "gt": "Greater", "ge": "GreaterOrEqual"}
_LOGIC = {"and": "And", "or": "Or", "logical_and": "And", "logical_or": "Or"}
_MAPS = {"relu": "Relu", "tanh": "Tanh", "sigmoid": "Sigmoid", "exp": "Exp", "log": "Log", "sqrt": "Sqrt"}
_MAPS |= {"abs": "Abs", "sin": "Sin", "cos": "Cos", "neg": "Neg", "invert": "Not", "logical_not": "Not"}


def _register_simple() -> None:
    for name, operator in _ARITHMETIC.items():
        translates(name)(_binary(operator))
        if name in ("add", "sub", "mul", "div", "truediv"):
            translates(f"r{name}")(_binary(operator, swapped=True))
    for name, operator in (_COMPARISONS | _LOGIC).items():
        translates(name)(_comparison(operator))
    for name, operator in _MAPS.items():
        translates(name)(_map(operator))


def _binary(operator: str, swapped: bool = False):
    def write(writer: Writer, result: torch.Tensor, first: Any, second: Any) -> str:
        if swapped:
            first, second = second, first
        return writer.graph.add(operator, writer.name(first, result.dtype), writer.name(second, result.dtype))

    return write


def _comparison(operator: str):
    def write(writer: Writer, result: torch.Tensor, first: Any, second: Any) -> str:
        dtype = torch.result_type(plain(first), plain(second))
        return writer.graph.add(operator, writer.name(first, dtype), writer.name(second, dtype))

    return write


def _map(operator: str):
    def write(writer: Writer, result: torch.Tensor, input: Any, inplace: bool = False) -> str:
        _refuse("inplace", inplace)
        return writer.graph.add(operator, writer.name(input, result.dtype))

    return write


_register_simple()


@translates("softplus")
def _softplus(writer: Writer, result: torch.Tensor, input: Any) -> str:
    return writer.graph.add("Softplus", writer.name(input))


@translates("softmax")
def _softmax(writer: Writer, result: torch.Tensor, input: Any, dim: int) -> str:
    return writer.graph.add("Softmax", writer.name(input), axis=dim)


@translates("clamp")
def _clamp(writer: Writer, result: torch.Tensor, input: Any, min: Any = None, max: Any = None) -> str:
    ends = ["" if end is None else writer.name(end, result.dtype) for end in (min, max)]
    return writer.graph.add("Clip", writer.name(input, result.dtype), *ends)


@translates("where")
def _where(writer: Writer, result: torch.Tensor, condition: Any, input: Any, other: Any) -> str:
    chosen = (writer.name(value, result.dtype) for value in (input, other))
    return writer.graph.add("Where", writer.name(condition), *chosen)


@translates("linear")
def _linear(writer: Writer, result: torch.Tensor, input: Any, weight: Any, bias: Any = None) -> str:
    inputs = [writer.name(part) for part in (input, weight, bias) if part is not None]
    if input.dim() == 2:
        return writer.graph.add("Gemm", *inputs, transB=1)
    product = writer.graph.add("MatMul", inputs[0], writer.graph.add("Transpose", inputs[1], perm=[1, 0]))
    return product if bias is None else writer.graph.add("Add", product, inputs[2])


@translates("conv2d")
def _convolution(
    writer: Writer, result: torch.Tensor, input: Any, weight: Any, bias: Any, stride, padding, dilation, groups: int
) -> str:
    inputs = [writer.name(part) for part in (input, weight, bias) if part is not None]
    return writer.graph.add(
        "Conv", *inputs, strides=_pair(stride), pads=_pair(padding) * 2, dilations=_pair(dilation), group=groups
    )


@translates("max_pool2d")
def _pooling(
    writer: Writer,
    result: torch.Tensor,
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> str:
    _refuse("return_indices", return_indices)
    return writer.graph.add(
        "MaxPool",
        writer.name(input),
        kernel_shape=_pair(kernel_size),
        strides=_pair(kernel_size if stride is None else stride),
        pads=_pair(padding) * 2,
        dilations=_pair(dilation),
        ceil_mode=int(ceil_mode),
    )


@translates("layer_norm")
def _layer_norm(
    writer: Writer, result: torch.Tensor, input: Any, shape: Any, weight: Any, bias: Any, eps: float
) -> str:
    inputs = (writer.name(part) for part in (input, weight, bias))
    return writer.graph.add("LayerNormalization", *inputs, axis=-len(shape), epsilon=eps)


@translates("embedding")
def _embedding(writer: Writer, result: torch.Tensor, input: Any, weight: Any, **others: Any) -> str:
    _refuse("max_norm", others["max_norm"])
    return writer.graph.add("Gather", writer.name(weight), writer.name(input))


@translates("cat")
def _cat(writer: Writer, result: torch.Tensor, tensors: Any, dim: int = 0) -> str:
    return writer.graph.add("Concat", *(writer.name(tensor, result.dtype) for tensor in tensors), axis=dim)


@translates("chunk")
def _chunk(writer: Writer, result: tuple[torch.Tensor, ...], input: Any, chunks: int, dim: int = 0) -> list[str]:
    return writer.graph.add_many("Split", [writer.name(input), _sizes(writer, result, dim)], len(result), axis=dim)


@translates("split")
def _split(
    writer: Writer, result: tuple[torch.Tensor, ...], input: Any, split_size: int | list[int], dim: int = 0
) -> list[str]:
    return writer.graph.add_many("Split", [writer.name(input), _sizes(writer, result, dim)], len(result), axis=dim)


@translates("gather")
def _gather(writer: Writer, result: torch.Tensor, input: Any, dim: int, index: Any) -> str:
    return writer.graph.add("GatherElements", writer.name(input), writer.name(index), axis=dim)


@translates("argmax")
def _argmax(writer: Writer, result: torch.Tensor, input: Any, dim: int, keepdim: bool = False) -> str:
    return writer.graph.add("ArgMax", writer.name(input), axis=dim, keepdims=int(keepdim))


@translates("sum")
def _sum(writer: Writer, result: torch.Tensor, input: Any, dim: int, keepdim: bool = False) -> str:
    return writer.graph.add("ReduceSum", writer.name(input, result.dtype), writer.integers(dim), keepdims=int(keepdim))


@translates("amax")
def _amax(writer: Writer, result: torch.Tensor, input: Any, dim: int, keepdim: bool = False) -> str:
    return writer.graph.add("ReduceMax", writer.name(input), writer.integers(dim), keepdims=int(keepdim))


@translates("cumsum")
def _cumsum(writer: Writer, result: torch.Tensor, input: Any, dim: int) -> str:
    return writer.graph.add("CumSum", writer.name(input, result.dtype), writer.integers(dim))


@translates("permute")
def _permute(writer: Writer, result: torch.Tensor, input: Any, *dims: Any) -> str:
    return writer.graph.add("Transpose", writer.name(input), perm=list(_sequence(dims)))


@translates("transpose")
def _transpose(writer: Writer, result: torch.Tensor, input: Any, dim0: int, dim1: int) -> str:
    axes = list(range(input.dim()))
    axes[dim0], axes[dim1] = axes[dim1], axes[dim0]
    return writer.graph.add("Transpose", writer.name(input), perm=axes)


@translates("reshape", "view")
def _reshape(writer: Writer, result: torch.Tensor, input: Any, *shape: Any) -> str:
    return writer.graph.add("Reshape", writer.name(input), writer.integers(*_sequence(shape)))


@translates("flatten")
def _flatten(writer: Writer, result: torch.Tensor, input: Any, start_dim: int = 0, end_dim: int = -1) -> str:
    if start_dim < 1 or end_dim != -1:
        raise UntranslatedError(f"the policy flattens axes {start_dim} to {end_dim}, expected all but the rows'")
    return writer.graph.add("Reshape", writer.name(input), writer.integers(-1, *result.shape[1:]))


@translates("unsqueeze")
def _unsqueeze(writer: Writer, result: torch.Tensor, input: Any, dim: int) -> str:
    return writer.graph.add("Unsqueeze", writer.name(input), writer.integers(dim))


@translates("float", "double", "long", "int", "bool", "to")
def _cast(writer: Writer, result: torch.Tensor, input: Any, *types: Any, **keywords: Any) -> str:
    return writer.name(input, result.dtype)


@translates("detach", "contiguous", "clone")
def _same(writer: Writer, result: torch.Tensor, input: Any, **keywords: Any) -> str:
    return writer.name(input)


@translates("getitem")
def _getitem(writer: Writer, result: torch.Tensor, input: Any, index: Any) -> str:
    parts = list(index) if isinstance(index, tuple) else [index]
    if Ellipsis in parts:
        hidden, spent = parts.index(Ellipsis), sum(part is not None for part in parts) - 1
        parts[hidden : hidden + 1] = [slice(None)] * (input.dim() - spent)
    kept = [part for part in parts if part is not None]
    cuts = {axis: _cut(part) for axis, part in enumerate(kept) if part != slice(None)}
    place = writer.name(input)
    if cuts:
        starts, ends = zip(*cuts.values())
        place = writer.graph.add("Slice", place, *(writer.integers(*ints) for ints in (starts, ends, cuts)))
    numbers = [axis for axis, part in enumerate(kept) if isinstance(part, int)]
    if numbers:
        place = writer.graph.add("Squeeze", place, writer.integers(*numbers))
    shown = [part for part in parts if not isinstance(part, int)]
    new = [axis for axis, part in enumerate(shown) if part is None]
    return writer.graph.add("Unsqueeze", place, writer.integers(*new)) if new else place


def _sizes(writer: Writer, parts: tuple[torch.Tensor, ...], dim: int) -> str:
    return writer.integers(*(part.shape[dim] for part in parts))


def _cut(part: Any) -> tuple[int, int]:
    if isinstance(part, int):
        return part, _END if part == -1 else part + 1
    if isinstance(part, slice) and part.step in (None, 1):
        return part.start or 0, _END if part.stop is None else part.stop
    raise UntranslatedError(f"the policy takes [{part}] of a tensor, which is not written as ONNX")


def _pair(value: Any) -> list[int]:
    if isinstance(value, str):
        raise UntranslatedError(f"the policy pads a convolution by {value!r}, expected numbers")
    return [value, value] if isinstance(value, int) else list(value)


def _sequence(values: tuple) -> tuple[int, ...]:
    return tuple(values[0]) if len(values) == 1 and isinstance(values[0], tuple | list) else values


def _refuse(name: str, value: Any) -> None:
    if value:
        raise UntranslatedError(f"the policy gives {name} = {value} to a function, which is not written as ONNX")
