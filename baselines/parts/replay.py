"""Replay: the newest transitions of every row, drawn as they were played or, by hindsight, for another goal."""

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import torch
from gymnasium import spaces

from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.baselines.policies.tensors import Tensors, array_leaves
from procgen_bench.baselines.training.learner import Rollout
from procgen_bench.core.compiled import njit
from procgen_bench.core.errors import ProcgenBenchError

#: The observations of a replay take no more memory: pictures are many numbers.
MOST_BYTES = 2**30
#: In the place of a later step.
_AS_PLAYED = -1
_COLUMNS = ("actions", "rewards", "terminations", "train", "left")


class SmallReplayError(ProcgenBenchError):
    """The replay cannot hold what is collected between two updates."""


class Goals(Protocol):
    """What hindsight asks of a goal environment: see :class:`.GoalRows`."""

    @property
    def distance_threshold(self) -> float:
        """The greatest distance at which a goal is reached."""

    def distance(self, achieved_goal: np.ndarray, desired_goal: np.ndarray) -> np.ndarray:
        """Distances, float64 (n,), between goals (n, ...)."""

    def compute_reward(self, achieved_goal: np.ndarray, desired_goal: np.ndarray, info: Any) -> Any:
        """Rewards, float64 (n,), of goals (n, ...)."""


@dataclass(frozen=True)
class Hindsight:
    """Hindsight experience replay (Andrychowicz et al., 2017): transitions are drawn as if played for another goal.

    Reaching a goal ends the episode: a relabelled transition that reaches its goal terminates, and one that begins in
    its goal is not drawn, as no episode continues there (both as in the published source of Sibling Rivalry).

    Attributes:
        goals: Says what a goal earns.
        relabelled: Relabelled transitions for every one as played (k).
        strategy: The new goal is what the episode achieved in one of its later steps ("future"), or in its last
            ("final").
    """

    goals: Goals
    relabelled: int
    strategy: Literal["future", "final"] = "future"

    @property
    def share(self) -> float:
        """The share of draws that is relabelled."""
        return self.relabelled / (1 + self.relabelled)

    def reached(self, achieved: np.ndarray, goals: np.ndarray) -> np.ndarray:
        """bool (n,): whether goals (n, ...) are reached."""
        return self.goals.distance(achieved, goals) <= self.goals.distance_threshold


@dataclass(frozen=True)
class Transitions:
    """n transitions.

    Attributes:
        observations: By name (n, ...), before the actions.
        actions: (n, k), as the learner's networks know them.
        rewards: float32 (n, 1).
        next_observations: By name (n, ...), after the actions.
        terminations: float32 (n, 1), 1 where the episode ended for good.
    """

    observations: Tensors
    actions: torch.Tensor
    rewards: torch.Tensor
    next_observations: Tensors
    terminations: torch.Tensor

    def __len__(self) -> int:
        return len(self.rewards)

    def part(self, first: int, size: int) -> "Transitions":
        """The ``size`` transitions from ``first`` on."""
        part = slice(first, first + size)
        return Transitions(
            {name: array[part] for name, array in self.observations.items()},
            self.actions[part],
            self.rewards[part],
            {name: array[part] for name, array in self.next_observations.items()},
            self.terminations[part],
        )


class Replay:
    """A ring of S steps of N rows; steps that may not be learned from are kept and never drawn.

    Args:
        capacity: Transitions, of all rows together; fewer where their observations would take more than ``MOST_BYTES``.
        observation_space: Of one row: a ``Dict`` of arrays.
        action: One action as the learner's networks know it, (k,).
        num_rows: N.
        rng: What it draws with.
        device: Where what is drawn lies.
        hindsight: How goals are replaced; ``None``: not at all.
        as_bytes: Whether observations, which then hold nothing but integers from 0 to 255, are kept in one byte each.
        least_steps: Steps of a rollout.

    Attributes:
        capacity: S.
        rewards: float32 (S, N).
        train: bool (S, N), whether the step may be learned from.
        left: int32 (S, N), the steps that followed within the episode; -1: it is not over.

    Raises:
        SmallReplayError: S is less than ``least_steps``.
    """

    def __init__(
        self,
        capacity: int,
        observation_space: spaces.Space,
        action: np.ndarray,
        num_rows: int,
        rng: np.random.Generator,
        device: torch.device | str = "cpu",
        hindsight: Hindsight | None = None,
        as_bytes: bool = False,
        least_steps: int = 1,
    ):
        leaves = array_leaves(observation_space)
        self._types = {name: leaf.dtype for name, leaf in leaves.items()}
        kept_as = {name: np.dtype(np.uint8) if as_bytes else kind for name, kind in self._types.items()}
        bytes_each = 2 * sum(kept_as[name].itemsize * int(np.prod(leaf.shape)) for name, leaf in leaves.items())
        self.capacity, self.num_rows = min(capacity, MOST_BYTES // bytes_each) // num_rows, num_rows
        if self.capacity < least_steps:
            raise SmallReplayError(
                f"the replay holds {self.capacity} steps of {num_rows} rows, expected at least {least_steps}, a "
                "rollout's; give more buffer_size, or fewer rows or steps of a rollout"
            )
        self._rng, self._device, self._hindsight = rng, torch.device(device), hindsight
        self._relabelled = hindsight.share if hindsight else 0.0

        def zeros(kind: Any, *shape: int) -> np.ndarray:
            return np.zeros((self.capacity, num_rows, *shape), kind)

        self.observations = {name: zeros(kept_as[name], *leaf.shape) for name, leaf in leaves.items()}
        self.next_observations = {name: zeros(kept_as[name], *leaf.shape) for name, leaf in leaves.items()}
        self.actions = zeros(action.dtype, *action.shape)
        self.rewards, self.terminations = zeros(np.float32), zeros(np.float32)
        self.train, self.left = zeros(np.bool_), zeros(np.int32) - np.int32(1)
        #: The step that is written next, and how many are held.
        self._next, self._held = 0, 0
        #: int64 (N,), steps so far of each row's episode.
        self._elapsed = np.zeros(num_rows, np.int64)
        #: Which transitions may be drawn, as places in the flat (S * N); ``None``: all that it holds.
        self._drawable: np.ndarray | None = None

    def __len__(self) -> int:
        """How many transitions may be drawn."""
        return self._held * self.num_rows if self._drawable is None else len(self._drawable)

    def extend(self, rollout: Rollout, actions: np.ndarray) -> None:
        """Keep a rollout of at most S steps, with its actions, (T, N, k) of any dtype, as the networks know them.

        Raises:
            ValueError: An observation cannot be kept in bytes.
        """
        places = (self._next + np.arange(len(rollout.rewards))) % self.capacity
        for name, kept in self.observations.items():
            _keep(name, rollout.observations[name].cpu().numpy(), kept, places)
            _keep(name, rollout.following(name), self.next_observations[name], places)
        self.actions[places] = actions
        self.rewards[places] = rollout.rewards
        self.terminations[places] = rollout.terminations
        self.train[places] = rollout.train
        _count_what_is_left(places, rollout.starts, rollout.ends, self._elapsed, self.left)
        self._held = min(self._held + len(places), self.capacity)
        self._next = int(places[-1] + 1) % self.capacity
        self._find_drawable()

    def sample(self, count: int) -> Transitions:
        """``count`` independent draws."""
        steps, rows, later = self._draw(count)
        observations = self._seen(self.observations, steps, rows)
        following = self._seen(self.next_observations, steps, rows)
        rewards, ends = self.rewards[steps, rows], self.terminations[steps, rows]
        chosen = later != _AS_PLAYED
        if self._hindsight is not None and chosen.any():
            goals = self.next_observations["achieved_goal"][later[chosen], rows[chosen]]
            observations["desired_goal"][chosen] = following["desired_goal"][chosen] = goals
            achieved = following["achieved_goal"][chosen]
            rewards[chosen] = self._hindsight.goals.compute_reward(achieved, goals, None)
            ends[chosen] = self._hindsight.reached(achieved, goals)
        return Transitions(
            observations=self._tensors(observations),
            actions=torch.as_tensor(self.actions[steps, rows], device=self._device),
            rewards=torch.as_tensor(rewards[:, np.newaxis], device=self._device),
            next_observations=self._tensors(following),
            terminations=torch.as_tensor(ends[:, np.newaxis], device=self._device),
        )

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """What it holds; of what followed a transition, that alone which is not the next one's observation."""
        arrays = {name: getattr(self, name)[: self._held] for name in _COLUMNS} | {"elapsed": self._elapsed}
        for name, kept in self.observations.items():
            seen, following = kept[: self._held], self.next_observations[name][: self._held]
            others = (following != np.roll(seen, -1, axis=0)).any(axis=tuple(range(2, following.ndim)))
            arrays |= {f"observations.{name}": seen, f"others.{name}": others}
            arrays[f"next_observations.{name}"] = following[others]
        return arrays, {"next": self._next, "held": self._held}

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Hold what :meth:`state` returned, in its shapes and dtypes."""
        self._next, self._held = values["next"], values["held"]
        for name in _COLUMNS:
            getattr(self, name)[: self._held] = arrays[name]
        for name in self.observations:
            seen = self.observations[name][: self._held] = arrays[f"observations.{name}"]
            following = np.roll(seen, -1, axis=0)
            following[arrays[f"others.{name}"]] = arrays[f"next_observations.{name}"]
            self.next_observations[name][: self._held] = following
        self._elapsed[:] = arrays["elapsed"]
        self._find_drawable()

    def _find_drawable(self) -> None:
        """Hindsight needs to know how an episode goes on, so it draws from those that are over."""
        train, left = self.train[: self._held], self.left[: self._held]
        may_be = train & (left >= 0) if self._relabelled else train
        self._drawable = None if may_be.all() else np.flatnonzero(may_be)

    def _draw(self, count: int) -> np.ndarray:
        """int64 (3, count): steps, rows, and the later steps whose achieved goals are to be played for."""
        parts, missing = [], count
        while missing:
            parts.append(self._candidates(count)[:, :missing])
            missing -= parts[-1].shape[1]
        return np.concatenate(parts, axis=1)

    def _candidates(self, count: int) -> np.ndarray:
        """At most ``count`` draws: those that begin in their new goal are left out."""
        drawn = self._rng.integers(len(self), size=count)
        steps, rows = np.divmod(drawn if self._drawable is None else self._drawable[drawn], self.num_rows)
        later = np.full(count, _AS_PLAYED)
        if self._hindsight is None or not self._relabelled:
            return np.stack([steps, rows, later])
        chosen = np.flatnonzero(self._rng.random(count) < self._relabelled)
        left = self.left[steps[chosen], rows[chosen]]
        goes_on = left if self._hindsight.strategy == "final" else self._rng.integers(left + 1)
        later[chosen] = (steps[chosen] + goes_on) % self.capacity
        kept = np.ones(count, np.bool_)
        goals = self.next_observations["achieved_goal"][later[chosen], rows[chosen]]
        before = self.observations["achieved_goal"][steps[chosen], rows[chosen]]
        kept[chosen] = ~self._hindsight.reached(before, goals)
        return np.stack([steps, rows, later])[:, kept]

    def _seen(self, kept: Arrays, steps: np.ndarray, rows: np.ndarray) -> Arrays:
        """What was observed, in the types in which it was."""
        flat = steps * self.num_rows + rows
        seen = {name: array.reshape(-1, *array.shape[2:]).take(flat, axis=0) for name, array in kept.items()}
        return {name: array.astype(self._types[name], copy=False) for name, array in seen.items()}

    def _tensors(self, observations: Arrays) -> Tensors:
        return {name: torch.as_tensor(array, device=self._device) for name, array in observations.items()}


def _keep(name: str, given: np.ndarray, kept: np.ndarray, places: np.ndarray) -> None:
    with np.errstate(invalid="ignore"):  # what does not fit into a byte is refused below
        kept[places] = given
    if kept.dtype == np.uint8 != given.dtype and (lost := kept[places] != given).any():
        raise ValueError(f"{name} holds {given[lost][0]}, expected integers from 0 to 255 to keep in bytes")


@njit
def _count_what_is_left(places, starts, ends, elapsed, left):
    for t in range(len(places)):
        for row in range(len(elapsed)):
            if starts[t, row]:
                elapsed[row] = 0
            elapsed[row] += 1
            left[places[t], row] = -1
            if ends[t, row]:
                for before in range(min(elapsed[row], len(left))):
                    left[places[t] - before, row] = before
                elapsed[row] = 0
