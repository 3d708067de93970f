"""Whether a model's inputs and outputs are those of the form for an environment, and what it tells of itself."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from procgen_bench.baselines.policies.onnx import form
from procgen_bench.baselines.policies.onnx.column import Column
from procgen_bench.baselines.policies.onnx.sandbox.answers import brief
from procgen_bench.core.errors import InvalidPolicyError

_MAX_NAME = 100


@dataclass(frozen=True)
class Description:
    """What an ONNX policy tells of itself.

    Attributes:
        method: Name of the method; ``None``: it does not say.
        environment: Id of the environment that it plays; ``None``: it does not say.
        training_steps: Environment steps of its training; ``None``: it does not say.
        environment_options: Arguments of the environment with which it plays.
    """

    method: str | None = None
    environment: str | None = None
    training_steps: int | None = None
    environment_options: dict[str, Any] = field(default_factory=dict)


def read_description(metadata: dict[str, str]) -> Description:
    """What a model's metadata tell; keys that are not the form's are left out.

    Raises:
        InvalidPolicyError: A value is not of its kind.
    """
    for name in (form.METHOD, form.ENVIRONMENT):
        value = metadata.get(name)
        if value is not None and not (0 < len(value) <= _MAX_NAME and value.isprintable()):
            raise InvalidPolicyError(f"the policy's {name} is {brief(value)!r}, expected 1 to {_MAX_NAME} characters")
    steps = metadata.get(form.TRAINING_STEPS)
    if steps is not None and not (steps.isascii() and steps.isdigit() and len(steps) <= 15):
        raise InvalidPolicyError(f"the policy's {form.TRAINING_STEPS} is {brief(steps)!r}, expected a number of steps")
    return Description(
        metadata.get(form.METHOD),
        metadata.get(form.ENVIRONMENT),
        None if steps is None else int(steps),
        _options(metadata.get(form.OPTIONS, "{}")),
    )


def check_signature(inputs: Sequence[Column], outputs: dict[str, str], observed: list[Column], action: Column) -> None:
    """Raise :class:`InvalidPolicyError` unless inputs and outputs are those of the form.

    Args:
        inputs: The model's.
        outputs: Its outputs' types by name.
        observed: What the environment shows.
        action: What it takes.
    """
    found = {column.name: column for column in inputs}
    states = {name for name in found if name.startswith(form.STATE_IN)}
    wanted = {column.name for column in observed}
    if found.keys() - states - {form.NOISE} != wanted:
        named = ", ".join(map(repr, map(brief, found))) or "none"
        raise InvalidPolicyError(f"the policy's inputs are {named}, expected {', '.join(map(repr, wanted))}")
    for column in observed:
        if found[column.name] != column:
            raise InvalidPolicyError(f"the policy's input {column.name!r} is {found[column.name]}, expected {column}")
    noise = found.get(form.NOISE)
    if noise is not None and not _is_noise(noise):
        raise InvalidPolicyError(
            f"the policy's noise is {noise}, expected float32 (N, K), K from 1 to {form.MAX_NOISE}"
        )
    for name in sorted(states):
        if found[name].dtype != "float32":
            raise InvalidPolicyError(f"the policy's {brief(name)!r} is {found[name]}, expected float32")
    kept = {name.replace(form.STATE_IN, form.STATE_OUT, 1): "float32" for name in states}
    expected = {form.ACTION: action.dtype} | kept
    if outputs != expected:
        raise InvalidPolicyError(f"the policy's outputs are {_typed(outputs)}, expected {_typed(expected)}")


def _is_noise(column: Column) -> bool:
    return column.dtype == "float32" and len(column.shape) == 1 and 1 <= column.shape[0] <= form.MAX_NOISE


def _typed(outputs: dict[str, str]) -> str:
    return brief(", ".join(f"{name!r} ({dtype})" for name, dtype in outputs.items()) or "none")


def _options(text: str) -> dict[str, Any]:
    try:
        options = json.loads(text)
    except (ValueError, RecursionError):
        options = None
    if not isinstance(options, dict):
        raise InvalidPolicyError(f"the policy's {form.OPTIONS} are {brief(text)!r}, expected a JSON object")
    return options


def read_columns(described: Any) -> list[Column]:
    """The inputs that a child describes, which may say anything.

    Raises:
        InvalidPolicyError: It says something else.
    """
    columns = []
    for entry in described if isinstance(described, list) else [None]:
        match entry:
            case [str(name), str(dtype), [*shape]] if all(type(side) is int and side >= 0 for side in shape):
                columns.append(Column(name, dtype, tuple(shape)))
            case _:
                raise InvalidPolicyError(f"the policy's inputs are {brief(described)!r}, expected names and shapes")
    return columns


def read_texts(described: Any, what: str) -> dict[str, str]:
    """A dictionary of texts that a child describes, which may say anything.

    Raises:
        InvalidPolicyError: It says something else.
    """
    if not (isinstance(described, dict) and all(isinstance(value, str) for value in described.values())):
        raise InvalidPolicyError(f"the policy's {what} are {brief(described)!r}, expected texts by name")
    return described
