"""Exporting: from a trained policy, or the folder that a run left, to the bytes of an ONNX file.

Torch's exporter writes the graph. It notes where in which file every operator was called; these notes and all names of
its own are left out, so that equal policies give equal bytes on every machine with the same torch.

Timings (torch 2.13.0, onnxscript 0.7.2, one thread; ``tests/baselines/policies/onnx/test_export.py`` plays the same):
of 31 fresh policies of all kinds, 18 play 528 observations bit for bit as in torch; the others, with continuous
actions, are off by at most 7e-7, and the ant's torques of up to 30 newton metres by at most 4e-5. An export takes 3 to
32 seconds, 8 as a rule, of which the first of a process waits the longest; onnxscript and onnx-ir take 10 MB.
"""

import json
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx
import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.baselines.method_table import policy_type_of
from procgen_bench.baselines.policies.arrays import named, named_space
from procgen_bench.baselines.policies.folders import POLICY_FOLDER, PolicyFolder
from procgen_bench.baselines.policies.onnx import form
from procgen_bench.baselines.policies.onnx.column import Column
from procgen_bench.baselines.policies.onnx.columns import action_column, observation_columns
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.baselines.policies.weighted import WeightedPolicy
from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.core.extras import import_extra
from procgen_bench.engine.environment_options import make_environment

#: Rows of the examples, which are played together, and apart: the first so many, and the others.
_ROWS, _FIRST = 5, 2


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
    policy = policy_type_of(kept.method, kept.environment).from_folder(kept)
    if not isinstance(policy, WeightedPolicy):
        raise InvalidPolicyError(f"the policy in {folder} cannot be exported: {policy.unexportable}")
    return export_policy(policy, Origin(kept.method, kept.environment, kept.configuration.get("training_steps")))


def export_policy(policy: WeightedPolicy, origin: Origin) -> bytes:
    """The ONNX file of a policy; equal policies give equal bytes.

    Raises:
        InvalidPolicyError: Its step is no function of each row alone, its actions are not of the action space's type,
            it does what torch does not export, or the file is too large.
        MissingExtraError: onnxscript, which torch's exporter writes with, is not installed.
    """
    import_extra("onnxscript")
    with make_environment(origin.environment, policy.environment_options) as env:
        observed, action = observation_columns(env.observation_space), action_column(env.action_space)
        examples = _observations(named_space(env.observation_space))
    step = _Step(policy, [column.name for column in observed])
    inputs = [examples[column.name] for column in observed]
    noise = np.random.default_rng(0).random((_ROWS, policy.noise_width), np.float32)
    inputs += [torch.zeros(_ROWS, *shape) for shape in policy.state_shapes.values()]
    inputs += [torch.as_tensor(noise)] if policy.noise_width else []
    states = [Column(form.STATE_OUT + name, "float32", shape) for name, shape in policy.state_shapes.items()]
    _check_outputs(step, inputs, [action, *states])
    names = [column.name for column in observed] + [form.STATE_IN + name for name in policy.state_shapes]
    names += [form.NOISE] if policy.noise_width else []
    model = _exported(step, inputs, names, [column.name for column in (action, *states)])
    onnx.helper.set_model_props(model, dict(sorted(_metadata(policy, origin).items())))
    onnx.checker.check_model(model, full_check=True)
    file = model.SerializeToString(deterministic=True)
    if len(file) > form.MAX_FILE_BYTES:
        raise InvalidPolicyError(f"the file has {len(file)} bytes, expected at most {form.MAX_FILE_BYTES}")
    return file


class _Step(nn.Module):
    """A policy's step as a module: observations, state and noise, in their order -> actions and the next state."""

    def __init__(self, policy: WeightedPolicy, observed: list[str]):
        super().__init__()
        self.network, self._policies, self._observed = policy.network, (policy,), observed

    def forward(self, *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """(n, ...) each -> (n, ...) each."""
        (policy,), count = self._policies, len(self._observed)
        observations = dict(zip(self._observed, inputs))
        state = dict(zip(policy.state_shapes, inputs[count:]))
        noise = inputs[-1] if policy.noise_width else torch.zeros(inputs[0].shape[0], 0)
        actions, following = policy.plain_step(observations, state, noise)
        return actions, *(following[name] for name in policy.state_shapes)


def _observations(space: spaces.Dict) -> Tensors:
    """Examples of a space, the same ones every time."""
    space.seed(0)
    drawn = [named(space.sample()) for _ in range(_ROWS)]
    return {name: torch.as_tensor(np.stack([one[name] for one in drawn])) for name in space}


def _check_outputs(step: _Step, inputs: list[torch.Tensor], expected: list[Column]) -> None:
    """Refuse a step that gives other tensors than are expected, or other ones to a row among others than alone."""
    with torch.no_grad():
        together = step(*inputs)
        parts = [step(*(tensor[rows] for tensor in inputs)) for rows in (slice(_FIRST), slice(_FIRST, None))]
    for column, given, *apart in zip(expected, together, *parts, strict=True):
        found = Column(column.name, str(given.dtype).removeprefix("torch."), tuple(given.shape[1:]))
        if found != column or len(given) != _ROWS:
            raise InvalidPolicyError(f"the policy gives {column.name} as {found}, expected {column}")
        if not torch.allclose(given.double(), torch.cat(apart).double(), rtol=1e-3, atol=1e-4):
            raise InvalidPolicyError("the policy's step depends on the number of rows, expected a function of each row")


def _exported(step: _Step, inputs: list[torch.Tensor], names: list[str], outputs: list[str]) -> onnx.ModelProto:
    rows = torch.export.Dim("rows")
    with _quietly():
        try:
            program = torch.onnx.export(
                step.eval(),
                tuple(inputs),
                dynamo=True,
                opset_version=form.OPSET,
                dynamic_shapes=(tuple({0: rows} for _ in inputs),),
                verbose=False,
            )
        except Exception as error:  # torch's exporter wraps whatever it meets
            reason = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
            raise InvalidPolicyError(f"torch does not export the policy: {reason}") from error
    assert program is not None  # as no file was named
    model = program.model_proto
    graph = model.graph
    model.ClearField("producer_version")
    model.producer_name, graph.name = "procgen_bench", "policy"
    for part in (model, graph, *graph.node, *graph.initializer, *graph.input, *graph.output):
        part.ClearField("metadata_props")
        part.ClearField("doc_string")
    graph.ClearField("value_info")
    _rename(graph, names, outputs)
    return model


def _rename(graph: onnx.GraphProto, inputs: list[str], outputs: list[str]) -> None:
    """Name inputs and outputs as given, and all between them by number: the exporter's names may be those of inputs."""
    renamed = {value.name: name for value, name in zip(graph.input, inputs, strict=True)}
    renamed |= {tensor.name: f"constant_{number}" for number, tensor in enumerate(graph.initializer)}
    written = [name for node in graph.node for name in node.output if name]
    renamed |= {name: f"value_{number}" for number, name in enumerate(written)}
    for part in (*graph.input, *graph.initializer):
        part.name = renamed[part.name]
    for node in graph.node:
        node.ClearField("name")
        node.input[:] = [name and renamed[name] for name in node.input]
        node.output[:] = [name and renamed[name] for name in node.output]
    for value, name in zip(graph.output, outputs, strict=True):
        graph.node.append(onnx.helper.make_node("Identity", [renamed[value.name]], [name]))
        value.name = name


@contextmanager
def _quietly() -> Iterator[None]:
    """Meanwhile the exporter keeps to itself which libraries it misses, and what will change in its own."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)


def _metadata(policy: WeightedPolicy, origin: Origin) -> dict[str, str]:
    metadata = {
        form.METHOD: origin.method,
        form.ENVIRONMENT: origin.environment,
        form.OPTIONS: json.dumps(policy.environment_options, sort_keys=True),
    }
    if origin.training_steps is not None:
        metadata[form.TRAINING_STEPS] = str(origin.training_steps)
    return metadata
