"""SandboxedPolicy: an ONNX policy that is played without being trusted."""

import hashlib
import math
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from gymnasium import spaces

from procgen_bench.baselines.policies.folders import regular_file
from procgen_bench.baselines.policies.onnx.columns import action_column, observation_arrays, observation_columns
from procgen_bench.baselines.policies.onnx.form import MAX_FILE_BYTES, NOISE, STATE_IN
from procgen_bench.baselines.policies.onnx.sandbox.limits import Limits
from procgen_bench.baselines.policies.onnx.sandbox.process import ModelProcess
from procgen_bench.baselines.policies.onnx.sandbox.signature import (
    Description,
    check_signature,
    read_columns,
    read_description,
    read_texts,
)
from procgen_bench.core.errors import InvalidActionError, InvalidPolicyError, PolicyStoppedError
from procgen_bench.core.policy import NoisyPolicy, Observations
from procgen_bench.engine.action_rule import ActionRule
from procgen_bench.engine.environment_options import make_environment

#: A file has no room for more.
_MAX_PARAMETERS = 8 * MAX_FILE_BYTES


class SandboxedPolicy(NoisyPolicy):
    """Plays by a :class:`ModelProcess`, and checks every action. To be closed, or used as a context manager.

    Args:
        process: The process, which belongs to the policy from now on.
        observation_space: What one row observes.
        action_space: What one row does.

    Attributes:
        description: What the file tells of itself.
        parameters: How many numbers its tensors hold, by what the process says.

    Raises:
        InvalidPolicyError: The model's inputs and outputs are not those of the spaces.
    """

    def __init__(self, process: ModelProcess, observation_space: spaces.Space, action_space: spaces.Space):
        self._process = process
        described = process.description if isinstance(process.description, dict) else {}
        inputs = read_columns(described.get("inputs"))
        observed, action = observation_columns(observation_space), action_column(action_space)
        check_signature(inputs, read_texts(described.get("outputs"), "outputs"), observed, action)
        self.description = _description(process)
        counted = described.get("parameters")
        self.parameters = counted if isinstance(counted, int) and 0 <= counted <= _MAX_PARAMETERS else 0
        super().__init__(next((column.shape[0] for column in inputs if column.name == NOISE), 0))
        self._given = [column for column in inputs if not column.name.startswith(STATE_IN)]
        self._shown = [column for column in self._given if column.name != NOISE]
        self._action, self._rule = action, ActionRule(action_space, num_rows=0)
        process.agree([action])

    @classmethod
    def from_bytes(cls, file: bytes, environment_id: str, limits: Limits = Limits()) -> Self:  # noqa: B008 - frozen
        """The policy that the bytes of an ONNX file hold, for an environment under the options that it asks for.

        Raises:
            InvalidPolicyError: They hold no policy of the form, or one of another environment.
            InvalidOptionError: The environment does not take the options.
            PolicyStoppedError: Reading them took too much.
            NoSandboxError: No process can be confined here.
            MissingExtraError: onnx or onnxruntime is not installed.
        """
        process = ModelProcess(file, limits)
        try:
            description = _description(process)
            if description.environment not in (None, environment_id):
                raise InvalidPolicyError(
                    f"the policy plays {description.environment!r}, expected one that plays {environment_id!r}"
                )
            env = make_environment(environment_id, description.environment_options)
            env.close()  # its spaces are all that is needed
            return cls(process, env.observation_space, env.action_space)
        except BaseException:
            process.close()
            raise

    @classmethod
    def from_file(cls, path: str | PathLike, environment_id: str, limits: Limits = Limits()) -> Self:  # noqa: B008
        """The same of a file; see :func:`read_policy_file` and :meth:`from_bytes`."""
        return cls.from_bytes(read_policy_file(path), environment_id, limits)

    @property
    def environment_options(self) -> dict[str, Any]:
        """Those that the file asks for."""
        return self.description.environment_options

    def act(self, observations: Observations, episode_starts: np.ndarray) -> np.ndarray:
        """Actions (N, ...), of the action space's shape, bounds and dtype.

        Raises:
            PolicyStoppedError: The policy failed, gave anything else, or took too much; it is over then.
        """
        rows = len(episode_starts)
        if rows == 0:
            return np.empty((0, *self._action.shape), self._action.dtype)
        shown = iter(observation_arrays(observations, self._shown))
        given = [self.draw_noise(rows) if column.name == NOISE else next(shown) for column in self._given]
        size = rows * math.prod(self._action.shape) * np.dtype(self._action.dtype).itemsize
        answer = self._process.act(np.ascontiguousarray(episode_starts, np.bool_), given, size)
        actions = np.frombuffer(answer, self._action.dtype).reshape(rows, *self._action.shape)
        if self._rule.shape[0] != rows:
            self._rule = ActionRule(self._rule.space, rows)
        try:
            return self._rule.checked(actions)
        except InvalidActionError as error:
            self.close()
            raise PolicyStoppedError(str(error)) from None

    def close(self) -> None:
        """End the process."""
        self._process.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_policy_file(path: str | PathLike) -> bytes:
    """The bytes of a policy's file, at most 64 MiB of a regular file.

    Raises:
        InvalidPolicyError: It is larger, something else, or cannot be read.
    """
    try:
        with regular_file(Path(path), MAX_FILE_BYTES).open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise InvalidPolicyError(f"there is no file to read: {error}") from None
    if len(content) > MAX_FILE_BYTES:
        raise InvalidPolicyError(f"{path} has more than {MAX_FILE_BYTES} bytes")
    return content


def policy_file_hash(file: bytes) -> str:
    """SHA-256 (hexadecimal) of a policy's file, which stands for the policy."""
    return hashlib.sha256(file).hexdigest()


def _description(process: ModelProcess) -> Description:
    described = process.description if isinstance(process.description, dict) else {}
    return read_description(read_texts(described.get("metadata"), "metadata"))
