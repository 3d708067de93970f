"""Kinds of action spaces that methods support; checked without torch, before anything is made."""

import numpy as np
from gymnasium import spaces

from procgen_bench.core.errors import ProcgenBenchError

#: Q-learning looks at the value of every combination.
MOST_CHOICES = 256


class UnsupportedActionsError(ProcgenBenchError, ValueError):
    """The method does not support this action space."""

    def __init__(self, space: spaces.Space | str, expected: str):
        super().__init__(f"actions are of {' '.join(str(space).split())}, expected {expected}")


def check_learnable(space: spaces.Space) -> None:
    """Raise :class:`UnsupportedActionsError` unless there is a distribution over a space."""
    if not (_is_choice(space) or _are_choices(space) or _is_bounded_vector(space)):
        raise UnsupportedActionsError(
            space,
            "Discrete or a vector of MultiDiscrete, both from 0, or a vector of bounded Box: "
            "there is no distribution over others, so let the environment take one of these",
        )


def check_choice(space: spaces.Space) -> None:
    """Raise :class:`UnsupportedActionsError` unless a space is Discrete from 0."""
    if not _is_choice(space):
        raise UnsupportedActionsError(space, "Discrete from 0; other spaces are for ppo or sac")


def check_few(space: spaces.Space) -> None:
    """Raise :class:`UnsupportedActionsError` unless a space is discrete and holds at most 256 actions."""
    if not (_is_choice(space) or _are_choices(space)):
        raise UnsupportedActionsError(space, "discrete ones to value each of them; other spaces are for ppo or sac")
    count = int(np.prod(space.nvec)) if isinstance(space, spaces.MultiDiscrete) else int(space.n)  # type: ignore[attr-defined]
    if count > MOST_CHOICES:
        raise UnsupportedActionsError(
            f"{space}, {count} in all", f"at most {MOST_CHOICES} to value each of them; more are for ppo"
        )


def check_bounded(space: spaces.Space) -> None:
    """Raise :class:`UnsupportedActionsError` unless a space is a bounded vector of reals."""
    if not _is_bounded_vector(space):
        raise UnsupportedActionsError(space, "a bounded Box; use ppo or dqn for other action spaces")


def _is_choice(space: spaces.Space) -> bool:
    return isinstance(space, spaces.Discrete) and int(space.start) == 0


def _are_choices(space: spaces.Space) -> bool:
    return isinstance(space, spaces.MultiDiscrete) and len(space.nvec.shape) == 1 and not space.start.any()


def _is_bounded_vector(space: spaces.Space) -> bool:
    return isinstance(space, spaces.Box) and space.is_bounded() and len(space.shape) == 1
