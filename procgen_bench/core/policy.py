"""Policy: what plays. Batched, and kept in a folder of JSON and safetensors; nothing in it is ever executed.

Your own agent (``procgen-bench evaluate BENCHMARK --policy my_agents:Agent``) needs no base class, but this:

- ``Agent()`` or ``Agent(environment_id)`` makes it.
- ``act(observations, episode_starts) -> actions``: observations of N episodes side by side, a dict of arrays (N, ...)
  by name where the environment's are a ``Dict``, else one array (N, ...); bool (N,), true where an episode begins;
  actions (N, ...) of the environment's action space, one for each row.
- ``seed(seed)``, if it draws anything; called before it plays.
- ``fingerprint() -> str`` and ``environment_options``, if it has them: a text that changes with its parameters, and
  arguments of the environment with which it is played.

docs/own_agent.md has an example. What such an agent raises ends the evaluation.
"""

from abc import ABC, abstractmethod
from typing import Any

import gymnasium
import numpy as np

from procgen_bench.core.noise import RowNoise
from procgen_bench.core.task import Task

Observations = dict[str, np.ndarray] | np.ndarray


class Policy(ABC):
    """Maps a batch of observations to a batch of actions."""

    @property
    def environment_options(self) -> dict[str, Any]:
        """Arguments of its environment's constructor (plain JSON values) with which it is played; none by default.

        A policy that observes otherwise than by default says so here. What they change, beside the observations, does
        not count: scores come from a replay under the benchmark's options.
        """
        return {}

    @property
    def unexportable(self) -> str:
        """Why a trained one that is no :class:`~.WeightedPolicy` has no ONNX file, and what to train instead."""
        return "a step of it is no function of tensors"

    @abstractmethod
    def act(self, observations: Observations, episode_starts: np.ndarray) -> np.ndarray:
        """Choose an action for every row.

        Args:
            observations: Batched observations as the vector environment returns them, N rows.
            episode_starts: bool (N,), true where the row's observation is the first of an episode; recurrent
                policies clear the row's state there.

        Returns:
            Actions (N, ...), of the environment's batched action space.
        """

    def close(self) -> None:  # noqa: B027 - few policies hold anything
        """Give back what the policy holds: files, processes. It plays no more."""

    def seed(self, seed: int) -> None:  # noqa: B027 - deterministic policies have nothing to do here
        """Seed the policy's own randomness, if it has any; called once before an evaluation."""


class NoisyPolicy(Policy):
    """A policy that draws its actions by noise of the episode: it plays an episode alike beside any others.

    Args:
        noise_width: Uniform numbers that a row takes at every step; 0: it draws nothing.
    """

    def __init__(self, noise_width: int):
        self._noise = RowNoise(noise_width)

    def seed(self, seed: int) -> None:
        """Seed the noise of the rows whose episodes are not begun by :meth:`begin_noise`."""
        self._noise.seed(seed)

    def begin_noise(self, row: int, seed: int) -> None:
        """An episode begins in ``row``, and ``seed`` decides its noise; called before the first ``act`` of it."""
        self._noise.begin(row, seed)

    def draw_noise(self, rows: int) -> np.ndarray:
        """The next noise float32 (rows, K), uniform in [0, 1)."""
        return self._noise.draw(rows)


class OraclePolicy(Policy):
    """A policy that is given the task: solvers and scripted experts. Its scores are shown as such."""

    @abstractmethod
    def begin(self, row: int, task: Task, seed: int) -> None:
        """An episode begins in ``row``; called before the first ``act`` of the episode.

        Args:
            row: Its row in the batches.
            task: Its task.
            seed: Seed of the environment's reset: with the task and the actions it decides all that will happen.
        """

    def begin_in(self, env: gymnasium.Env, row: int, task: Task, seed: int) -> None:
        """The same where the row is a single environment, which has been reset; by default nothing else happens.

        Args:
            env: May be looked at, so that no copy of the episode has to be run; it is not to be changed.
            row, task, seed: As for :meth:`begin`.
        """
        self.begin(row, task, seed)
