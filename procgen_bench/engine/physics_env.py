"""PhysicsEnv: an environment that tells the state of its physics as one vector, and continues from another's."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

import gymnasium
import numpy as np

from procgen_bench.core.errors import InvalidOptionError


class PhysicsEnv(ABC):
    """A task environment whose course floating-point physics decides.

    What physics moves stands in a *physics vector*: places, velocities, and where the solver of contacts sets out from.
    All else that decides how an episode goes on is the environment's own book and is not in it: the task, the steps,
    what has been reached and earned, who holds what, what sleeps. So an episode can follow a recorded one whose physics
    differs in the last bits, as on another machine: it keeps its own book and takes over the vector. Where
    the books agree it goes on as the recorded one did, bit for bit, but for what sleeps, which stays as it lies.

    Attributes:
        viewing_options: Arguments of the constructor that decide what is observed and nothing else, by name, with their
            defaults; of any of its environments, :meth:`observed_under` tells what one made with others would observe.
    """

    viewing_options: ClassVar[Mapping[str, Any]] = MappingProxyType({})

    @abstractmethod
    def physics_scales(self, task: Any) -> np.ndarray:
        """Of the numbers of the physics vector in episodes of ``task``, how much of each weighs as much as a metre, a
        radian, or one of these per second: float64 (numbers,), above 0."""

    @abstractmethod
    def physics_vector(self) -> np.ndarray:
        """The state of the physics now: float64 (numbers,), finite, a copy.

        Raises:
            ResetNeededError: Before the first reset.
        """

    @abstractmethod
    def restore_physics(self, vector: np.ndarray) -> None:
        """Continue from the physics of ``vector``, float64 (numbers,) as :meth:`physics_vector` gives it, with the
        bookkeeping as it is; the next step observes it.

        Raises:
            ResetNeededError: Before the first reset.
            InvalidOptionError: It is no vector of this task.
        """

    def observed_under(self, options: Mapping[str, Any]) -> Any:
        """What the agent would observe now, had the environment been made with these of its ``viewing_options``, and
        with the defaults of the others.

        Raises:
            ResetNeededError: Before the first reset.
            InvalidOptionError: It has no such option, or does not take its value.
        """
        raise InvalidOptionError(f"{type(self).__name__} observes the same under all options, not {dict(options)}")


def physics_env(env: gymnasium.Env) -> PhysicsEnv:
    """The environment under the wrappers of ``env``.

    Raises:
        InvalidOptionError: It is no :class:`PhysicsEnv`.
    """
    found = env.unwrapped
    if not isinstance(found, PhysicsEnv):
        raise InvalidOptionError(f"{type(found).__name__} does not tell its physics, expected a PhysicsEnv")
    return found


def check_physics_vector(vector: np.ndarray, size: int) -> None:
    """Raise :class:`InvalidOptionError` unless ``vector`` is float64 (``size``,) of finite numbers."""
    if not isinstance(vector, np.ndarray) or vector.dtype != np.float64 or vector.shape != (size,):
        found = f"{vector.dtype} {vector.shape}" if isinstance(vector, np.ndarray) else repr(vector)[:60]
        raise InvalidOptionError(f"the physics vector is {found}, expected float64 ({size},), as physics_vector gives")
    if not np.isfinite(vector).all():
        place = int(np.flatnonzero(~np.isfinite(vector))[0])
        raise InvalidOptionError(f"the physics vector's number {place} is {vector[place]}, expected a finite one")
