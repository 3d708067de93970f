"""Tracing: what torch's functions do to tensors is written down as an ONNX graph while they do it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from onnx import helper
from torch.overrides import resolve_name

from procgen_bench.baselines.policies.onnx.export.graph import Graph
from procgen_bench.core.errors import ProcgenBenchError

#: Writes one function into a graph: (writer, result, *args, **keywords) -> the name of the result, or one for each.
Translation = Callable[..., str | list[str]]
_TRANSLATIONS: dict[str, Translation] = {}


class UntranslatedError(ProcgenBenchError, NotImplementedError):
    """A policy calls a function of torch, or in a way, that is not written as ONNX."""


def translates(*names: str) -> Callable[[Translation], Translation]:
    """Register what writes torch's functions and tensors' methods of these names (``__add__`` is ``add``)."""

    def register(translation: Translation) -> Translation:
        _TRANSLATIONS.update(dict.fromkeys(names, translation))
        return translation

    return register


class Traced(torch.Tensor):
    """A tensor that stands for one of a graph: it holds what some input gives, for its type and shape.

    Attributes:
        writer: Who writes the graph.
        place: The tensor's name there.
    """

    writer: "Writer"
    place: str

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        """Call the function, and write it down if it gives tensors."""
        kwargs = kwargs or {}
        writer = next(value.writer for value in _flat([*args, *kwargs.values()]) if isinstance(value, Traced))
        result = func(*plain(args), **plain(kwargs))
        if isinstance(result, torch.Tensor):
            return writer.traced(result, writer.write(func, result, args, kwargs))
        if isinstance(result, tuple) and result and all(isinstance(part, torch.Tensor) for part in result):
            return tuple(map(writer.traced, result, writer.write(func, result, args, kwargs)))
        return result


class Writer:
    """Writes functions of torch into a graph.

    Args:
        graph: The graph.
    """

    def __init__(self, graph: Graph):
        self.graph = graph

    def traced(self, example: torch.Tensor, place: str) -> Traced:
        """A tensor that stands for ``place`` and holds ``example``."""
        tensor = example.as_subclass(Traced)  # type: ignore[arg-type]  # torch's stubs want a tensor type
        tensor.writer, tensor.place = self, place
        return tensor

    def write(self, function: Callable, result: Any, args: Any, keywords: dict[str, Any]) -> Any:
        """Add a function's nodes; the name of its result, or of each."""
        name = function.__name__
        known = name.strip("_") if name.startswith("__") else name
        if known not in _TRANSLATIONS:
            raise UntranslatedError(
                f"the policy calls {resolve_name(function) or name}, which is not written as ONNX: add it to "
                "procgen_bench.baselines.policies.onnx.export.functions"
            )
        return _TRANSLATIONS[known](self, result, *args, **keywords)

    def name(self, value: Any, dtype: torch.dtype | None = None) -> str:
        """The name of a traced tensor, or of a constant that holds a tensor or a number, cast to ``dtype``."""
        if isinstance(value, Traced):
            return value.place if dtype in (None, plain(value).dtype) else self.cast(value.place, dtype)
        return self.graph.constant(torch.as_tensor(value, dtype=dtype).detach().cpu().contiguous().numpy())

    def cast(self, place: str, dtype: torch.dtype | None) -> str:
        """A tensor cast to a type."""
        array = torch.empty(0, dtype=dtype).numpy()
        return self.graph.add("Cast", place, to=_onnx_type(array.dtype))

    def integers(self, *values: int) -> str:
        """A constant vector of integers."""
        return self.graph.constant(np.array(values, np.int64))


def _onnx_type(dtype: np.dtype) -> int:
    return int(helper.np_dtype_to_tensor_dtype(dtype))


def plain(value: Any) -> Any:
    """The same with plain tensors for traced ones."""
    if isinstance(value, Traced):
        with torch._C.DisableTorchFunctionSubclass():
            return value.as_subclass(torch.Tensor)
    if isinstance(value, tuple | list):
        return type(value)(map(plain, value))
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    return value


def _flat(value: Any) -> list[Any]:
    return [leaf for part in value for leaf in _flat(part)] if isinstance(value, tuple | list) else [value]
