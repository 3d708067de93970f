"""Policies by name, by folder, as an ONNX file, or the user's own code."""

import hashlib
import inspect
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from procgen_bench.baselines.method_table import METHODS, get_method, policy_type_of
from procgen_bench.baselines.policies.episode import PolicyCrashedError
from procgen_bench.baselines.policies.folders import PolicyFolder, policy_path
from procgen_bench.baselines.policies.onnx.sandbox.policy import (
    SandboxedPolicy,
    policy_file_hash,
    read_policy_file,
)
from procgen_bench.core.errors import InvalidPolicyError, UnknownNameError
from procgen_bench.core.own_code import EndedProgramError, exits_are_errors, import_code, names_code
from procgen_bench.core.policy import Observations, Policy

#: What a policy is loaded from; see :func:`load_policy`.
PolicySource = Any


def load_policy(source: PolicySource, environment_id: str) -> Policy:
    """A policy that is ready to play ``environment_id``.

    Args:
        source: A name (``"random"``, ``"solver"``, ``"trained"``, ...), a folder, an ONNX file (which plays in a
            sandbox), ``"module:Class"`` of code that is imported, or an object: a :class:`Policy`, or anything that
            has its ``act``.
        environment_id: What it plays.

    Raises:
        UnknownNameError: Neither a folder nor the name of a method that needs no training.
        InvalidPolicyError: The folder or the code cannot be read, or the policy is for another environment.
    """
    if is_own(source):
        return as_policy(source, environment_id)
    assert isinstance(source, (str, PathLike))
    if is_scripted(source):
        return get_method(str(source)).load("policy")(environment_id)
    if is_onnx(source):
        return SandboxedPolicy.from_file(source, environment_id)
    folder = read_policy_folder(source, environment_id)
    return policy_type_of(folder.method, folder.environment).from_folder(folder)


def policy_hash(source: PolicySource, environment_id: str) -> str:
    """SHA-256 (hexadecimal) that stands for the policy: over its content, or over the scripted policy's name.

    Raises:
        InvalidPolicyError: It cannot be read.
        UnknownNameError: There is no such policy.
    """
    if is_own(source):
        return own_policy_hash(source, environment_id)
    assert isinstance(source, (str, PathLike))
    if is_scripted(source):
        return _scripted_hash(str(source), environment_id)
    if is_onnx(source):
        return policy_file_hash(read_policy_file(source))
    return read_policy_folder(source, environment_id).hash()


def is_own(source: PolicySource) -> bool:
    """Whether it is the user's own: an object, or code to be imported."""
    return not isinstance(source, (str, PathLike)) or names_code(source)


def is_onnx(source: PolicySource) -> bool:
    """Whether it is the path of an ONNX file."""
    return isinstance(source, (str, PathLike)) and Path(source).suffix == ".onnx"


def is_scripted(source: PolicySource) -> bool:
    """Whether it is the name of a policy that needs no training, which goes before a folder of that name."""
    return isinstance(source, (str, PathLike)) and str(source) in METHODS and not METHODS[str(source)].trainable


def scripted_name(policy_hash: str, environment_id: str) -> str | None:
    """Name of the scripted policy that a hash stands for; ``None``: it stands for none."""
    names = (name for name, method in METHODS.items() if not method.trainable)
    return next((name for name in names if _scripted_hash(name, environment_id) == policy_hash), None)


def _scripted_hash(name: str, environment_id: str) -> str:
    return hashlib.sha256(f"{name}|{environment_id}".encode()).hexdigest()


def read_policy_folder(source: str | PathLike, environment_id: str) -> PolicyFolder:
    """A trained policy's folder, for an environment.

    Raises:
        UnknownNameError: There is no such folder.
        InvalidPolicyError: It cannot be read, or its policy is for another environment.
    """
    path = policy_path(source, environment_id)
    if not path.is_dir():
        scripted = [method.name for method in METHODS.values() if not method.trainable]
        raise UnknownNameError("policy", str(source), [*scripted, "or the path of a policy folder"])
    return PolicyFolder.read_for(path, environment_id)


class OwnPolicyError(InvalidPolicyError):
    """A user's own policy raised an error, or chose what is no action; the text says where in its file."""


class OwnPolicy(Policy):
    """Anything with ``act(observations, episode_starts)``, as a policy; what else it has of a policy is used, too."""

    def __init__(self, wrapped: Any):
        self.wrapped = wrapped

    @property
    def environment_options(self) -> dict[str, Any]:
        """The wrapped object's ``environment_options``, if it has any."""
        return getattr(self.wrapped, "environment_options", {})

    def act(self, observations: Observations, episode_starts: np.ndarray) -> np.ndarray:
        """The wrapped object's actions (N, ...) for ``observations`` (N, ...) and ``episode_starts`` (bool (N,))."""
        return self.wrapped.act(observations, episode_starts)

    def seed(self, seed: int) -> None:
        """Seed the wrapped object, if it can be."""
        if hasattr(self.wrapped, "seed"):
            self.wrapped.seed(seed)


def as_policy(value: object, environment_id: str) -> Policy:
    """A policy, an object like one, or what ``module:Class`` makes, called with the environment's id if it takes one.

    Raises:
        InvalidPolicyError: There is no such module or class, or what it makes has no ``act``.
        OwnPolicyError: Making it raised an error.
    """
    if names_code(value):
        maker = _imported(str(value))
        takes_one = len(inspect.signature(maker).parameters) > 0
        with naming_own_code(maker):
            value = maker(environment_id) if takes_one else maker()
    if isinstance(value, Policy):
        return value
    if not callable(getattr(value, "act", None)):
        raise InvalidPolicyError(
            f"{type(value).__name__} is no policy: expected a method act(observations, episode_starts) -> actions"
        )
    return OwnPolicy(value)


def own_policy_hash(value: object, environment_id: str) -> str:
    """SHA-256 (hexadecimal) that stands for a user's own policy.

    Over what its ``fingerprint()`` says, if it has one: a text that changes whenever its parameters do. Otherwise over
    the source of its class: policies of one class that differ in their parameters then differ in training seeds alone.

    Raises:
        InvalidPolicyError: It is no policy.
    """
    policy = as_policy(value, environment_id)
    wrapped = policy.wrapped if isinstance(policy, OwnPolicy) else policy
    kind = type(wrapped)
    with naming_own_code(wrapped):
        said = wrapped.fingerprint() if hasattr(wrapped, "fingerprint") else _source(kind)
    return hashlib.sha256(f"{kind.__qualname__}|{environment_id}|{said}".encode()).hexdigest()


def _imported(source: str) -> Any:
    found = import_code(source, InvalidPolicyError)
    if not callable(found):
        raise InvalidPolicyError(
            f"{source} is a {type(found).__name__}, expected a class or a function that makes a policy"
        )
    return found


def _source(kind: type) -> str:
    try:
        return inspect.getsource(kind)
    except (OSError, TypeError):
        return kind.__module__  # written at a prompt: there is no file to read


@contextmanager
def naming_own_code(own: Any) -> Iterator[None]:
    """A crash, and any error that went through the file of the user's own code, becomes an :class:`OwnPolicyError`.

    Args:
        own: A user's own policy, or what makes it.
    """
    try:
        with exits_are_errors:
            yield
    except PolicyCrashedError as crash:
        assert crash.__cause__ is not None  # what the policy raised
        raise _own_policy_error(own, crash.__cause__) from crash.__cause__
    except Exception as error:
        if not _last_line(own, error):
            raise
        raise _own_policy_error(own, error) from error


def _own_policy_error(own: Any, error: BaseException) -> OwnPolicyError:
    kind, place = _kind(own), _last_line(own, error)
    did = f"raised {type(error).__name__}: {error}{place}"
    if isinstance(error, EndedProgramError):
        did = f"may not end the program: {error.reason}{place}" if place else str(error)
    return OwnPolicyError(
        f"{kind.__module__}:{kind.__qualname__} {did}; "
        f"`python -m pydoc {Policy.__module__}` says what act takes and returns"
    )


def _last_line(own: Any, error: BaseException) -> str:
    """The last line of the code's own file that an error went through, in words; empty where there is none."""
    try:
        file = inspect.getsourcefile(_kind(own))
    except TypeError:
        return ""  # written at a prompt: there is no file to name
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return f" ({file}, line {frames[-1].lineno}, in {frames[-1].name}: {frames[-1].line})" if frames else ""


def _kind(own: Any) -> Any:
    """The class, or the function, that a person wrote."""
    code = own.wrapped if isinstance(own, OwnPolicy) else own
    return code if inspect.isroutine(code) or isinstance(code, type) else type(code)
