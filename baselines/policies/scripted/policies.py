"""Random, constant, no-op, null and solver policies."""

from functools import lru_cache
from typing import Any

import gymnasium
import numpy as np

from procgen_bench.core.errors import InvalidPolicyError, ProcgenBenchError
from procgen_bench.core.policy import Observations, OraclePolicy, Policy
from procgen_bench.core.registrations import environment_type
from procgen_bench.core.task import Task


class NullPolicyError(ProcgenBenchError):
    """The null policy was asked to act."""


class BlindPolicy(Policy):
    """A policy that does not look at what it observes: it is played where observing costs least."""

    def __init__(self, environment_id: str):
        with gymnasium.make(environment_id) as env:
            self._space = env.action_space
            self._noop = getattr(env.unwrapped, "noop_action", None)
            self._options = dict(getattr(env.unwrapped, "blind_options", {}))

    @property
    def environment_options(self) -> dict[str, Any]:
        """The environment's ``blind_options``."""
        return self._options


class RandomPolicy(BlindPolicy):
    """Actions drawn uniformly from the action space."""

    def __init__(self, environment_id: str):
        super().__init__(environment_id)
        self.seed(0)

    def seed(self, seed: int) -> None:
        """Seed the draws."""
        self._space.seed(seed)

    def act(self, observations: Observations, episode_starts: np.ndarray) -> np.ndarray:
        """One draw per row: (N, ...), of the action space's shape and dtype."""
        return np.array([self._space.sample() for _ in episode_starts], self._space.dtype)


class ConstantPolicy(BlindPolicy):
    """The environment's no-op, always; where it declares none, the first action or the middle of a continuous space."""

    def __init__(self, environment_id: str):
        super().__init__(environment_id)
        space = self._space
        if self._noop is not None:
            self._action = np.asarray(self._noop, space.dtype)
        elif isinstance(space, gymnasium.spaces.Box):
            self._action = ((space.low + space.high) / 2).astype(space.dtype)
        else:
            assert isinstance(space, gymnasium.spaces.Discrete | gymnasium.spaces.MultiDiscrete)  # no others are left
            self._action = np.asarray(space.start, space.dtype)

    def act(self, observations: Observations, episode_starts: np.ndarray) -> np.ndarray:
        """The same action for every row: (N, ...), of the action space's shape and dtype."""
        return np.broadcast_to(self._action, (len(episode_starts), *self._action.shape)).copy()


class NoopPolicy(ConstantPolicy):
    """The environment's no-op, always.

    Raises:
        InvalidPolicyError: The environment declares none.
    """

    def __init__(self, environment_id: str):
        super().__init__(environment_id)
        if self._noop is None:
            raise InvalidPolicyError(
                f"{environment_id} has no action that does nothing; 'constant' takes the same one always"
            )


class NullPolicy(BlindPolicy):
    """Never acts, so that no episode is ever finished: what an empty submission scores."""

    def act(self, observations: Observations, episode_starts: np.ndarray) -> np.ndarray:
        """Refuse to act: raise :class:`NullPolicyError`."""
        raise NullPolicyError("the null policy never acts")


class SolverPolicy(OraclePolicy):
    """Plays the exact or scripted solution of each task; the constant policy's action where there is none."""

    def __init__(self, environment_id: str):
        # A benchmark may play one task many times over.
        self._solve = lru_cache(maxsize=16)(environment_type(environment_id).task_space.solve)
        self._fallback = ConstantPolicy(environment_id)
        self._plans: dict[int, list] = {}

    @property
    def environment_options(self) -> dict[str, Any]:
        """The environment's ``blind_options``: the task is all that it needs to know."""
        return self._fallback.environment_options

    def begin(self, row: int, task: Task, seed: int) -> None:
        """Solve the task that begins in ``row``."""
        solution = self._solve(task)
        self._plans[row] = [] if solution is None else list(solution)

    def act(self, observations: Observations, episode_starts: np.ndarray) -> np.ndarray:
        """The next action of every row's plan: (N, ...), of the action space's shape and dtype."""
        actions = self._fallback.act(observations, episode_starts)
        for row in range(len(actions)):
            if self._plans[row]:
                actions[row] = self._plans[row].pop(0)
        return actions
