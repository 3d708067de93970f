"""Policies of people's own: an object with ``act``, or ``module:Class``, which is imported and called."""

import hashlib
import inspect
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from procgen_bench.baselines.rollout import PolicyCrashedError
from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.core.own_code import import_code, names_code
from procgen_bench.core.policy import Observations, Policy


class OwnPolicyError(InvalidPolicyError):
    """A policy of a person's own raised an error, or chose what is no action; the text says where in its file."""


class OwnPolicy(Policy):
    """Anything with ``act(observations, episode_starts)``, as a policy; what else it has of a policy is used, too."""

    def __init__(self, wrapped: Any):
        self.wrapped = wrapped

    @property
    def environment_options(self) -> dict[str, Any]:
        """The wrapped object's ``environment_options``, if it has any."""
        return getattr(self.wrapped, "environment_options", {})

    def act(self, observations: Observations, episode_starts: np.ndarray) -> np.ndarray:
        """What the wrapped object chooses."""
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
    """SHA-256 (hexadecimal) that stands for a policy of one's own.

    Over what its ``fingerprint()`` says, if it has one: a text that changes whenever its parameters do. Otherwise over
    the source of its class: policies of one class that differ in their parameters then differ in training seeds alone.
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
    """A crash, and any error that went through the file of a person's own code, becomes an :class:`OwnPolicyError`.

    Args:
        own: A policy of a person's own, or what makes it.
    """
    try:
        yield
    except PolicyCrashedError as crash:
        assert crash.__cause__ is not None  # what the policy raised
        raise _own_policy_error(own, crash.__cause__) from crash.__cause__
    except Exception as error:
        if not _last_line(own, error):
            raise
        raise _own_policy_error(own, error) from error


def _own_policy_error(own: Any, error: BaseException) -> OwnPolicyError:
    kind = _kind(own)
    return OwnPolicyError(
        f"{kind.__module__}:{kind.__qualname__} raised {type(error).__name__}: {error}{_last_line(own, error)}; "
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
