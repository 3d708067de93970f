"""Exporting: from a trained policy, or the folder that a run left, to the bytes of an ONNX file."""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from procgen_bench.baselines.method_table import get_method
from procgen_bench.baselines.policies.folders import POLICY_FOLDER, PolicyFolder
from procgen_bench.baselines.policies.onnx import form
from procgen_bench.baselines.policies.onnx.columns import action_column, observation_columns
from procgen_bench.baselines.policies.onnx.export import functions  # noqa: F401 - registers how they are written
from procgen_bench.baselines.policies.onnx.export.graph import Graph
from procgen_bench.baselines.policies.onnx.export.tracing import Traced, Writer, plain
from procgen_bench.baselines.policies.onnx.form import Column
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.baselines.policies.weighted import WeightedPolicy
from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.engine.environment_options import make_environment

#: Numbers of rows with which a policy is traced: what it writes must not depend on them.
_ROWS = (2, 3)


class Origin(NamedTuple):
    """Where a policy comes from, as its file tells.

    Attributes:
        method: Name of the method that trained it.
        environment: Id of the environment that it plays.
        training_steps: Environment steps of its training; ``None``: unknown.
    """

    method: str
    environment: str
    training_steps: int | None = None


def export_folder(folder: Path) -> bytes:
    """The ONNX file of the policy that a folder holds.

    Args:
        folder: A policy's folder, or the run's folder that holds it.

    Raises:
        InvalidPolicyError: There is none, or it cannot be read or exported.
    """
    inside = folder / POLICY_FOLDER
    kept = PolicyFolder.read(inside if inside.is_dir() else folder)
    method = get_method(kept.method)
    if not method.exportable:
        raise InvalidPolicyError(f"the policy in {folder} plans by a search, which is no function of tensors to export")
    policy = method.load("policy").from_folder(kept)
    return export_policy(policy, Origin(kept.method, kept.environment, kept.configuration.get("training_steps")))


def export_policy(policy: WeightedPolicy, origin: Origin) -> bytes:
    """The ONNX file of a policy; equal policies give equal bytes.

    Raises:
        InvalidPolicyError: Its step is no function of each row alone, its actions are not of the action space's type,
            or the file is too large.
        UntranslatedError: It calls a function of torch that is not written as ONNX.
    """
    with make_environment(origin.environment, policy.environment_options) as env:
        observed, action = observation_columns(env.observation_space), action_column(env.action_space)
    first, second = (_traced(policy, observed, action, rows).to_bytes(_metadata(policy, origin)) for rows in _ROWS)
    if first != second:
        raise InvalidPolicyError("the policy's step depends on the number of rows, expected a function of each row")
    if len(first) > form.MAX_FILE_BYTES:
        raise InvalidPolicyError(f"the file has {len(first)} bytes, expected at most {form.MAX_FILE_BYTES}")
    return first


def _traced(policy: WeightedPolicy, observed: list[Column], action: Column, rows: int) -> Graph:
    """The graph of one step."""
    graph = Graph()
    writer = Writer(graph)

    def inputs(columns: list[Column]) -> Tensors:
        examples = {column.name: _example(column, rows) for column in columns}
        return {column.name: writer.traced(examples[column.name], graph.input(column)) for column in columns}

    observations = inputs(observed)
    kept = inputs([Column(form.STATE_IN + name, "float32", shape) for name, shape in policy.state_shapes.items()])
    noise = inputs([Column(form.NOISE, "float32", (policy.noise_width,))] if policy.noise_width else [])
    state = {name.removeprefix(form.STATE_IN): tensor for name, tensor in kept.items()}
    with torch.no_grad():
        actions, next_state = policy.step(observations, state, noise.get(form.NOISE, torch.zeros(rows, 0)))
    _write_output(graph, action, actions, rows)
    for name, shape in policy.state_shapes.items():
        _write_output(graph, Column(form.STATE_OUT + name, "float32", shape), next_state[name], rows)
    return graph


def _example(column: Column, rows: int) -> torch.Tensor:
    return torch.as_tensor(np.zeros((rows, *column.shape), column.dtype))


def _write_output(graph: Graph, column: Column, tensor: torch.Tensor, rows: int) -> None:
    example = plain(tensor).numpy()
    if example.dtype.name != column.dtype or example.shape != (rows, *column.shape):
        found = Column(column.name, example.dtype.name, example.shape[1:])
        raise InvalidPolicyError(f"the policy gives {column.name} as {found}, expected {column}")
    if not isinstance(tensor, Traced):
        raise InvalidPolicyError(f"the policy gives {column.name} without looking at any input")
    graph.output(column, tensor.place)


def _metadata(policy: WeightedPolicy, origin: Origin) -> dict[str, str]:
    metadata = {
        form.METHOD: origin.method,
        form.ENVIRONMENT: origin.environment,
        form.OPTIONS: json.dumps(policy.environment_options, sort_keys=True),
    }
    if origin.training_steps is not None:
        metadata[form.TRAINING_STEPS] = str(origin.training_steps)
    return metadata
