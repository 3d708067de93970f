"""RolloutReplay: stable-baselines3's replay, which takes whole rollouts."""

from typing import Any, Protocol

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.buffers import DictReplayBuffer
from stable_baselines3.common.type_aliases import DictReplayBufferSamples

from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.baselines.training.rollouts import Rollout
from procgen_bench.core.compiled import njit

#: Replays are given no more memory: pictures are many numbers.
MOST_BYTES = 2**30
#: In the place of a later step.
_AS_PLAYED = -1
_COLUMNS = ("actions", "rewards", "dones", "train", "left")


class Goals(Protocol):
    """What hindsight asks of a goal environment: see :class:`.GoalRows`."""

    distance_threshold: float

    def distance(self, achieved_goal: np.ndarray, desired_goal: np.ndarray) -> np.ndarray:
        """Distances (n,)."""

    def compute_reward(self, achieved_goal: np.ndarray, desired_goal: np.ndarray, info: Any) -> Any:
        """Rewards (n,)."""


class RolloutReplay(DictReplayBuffer):
    """The newest transitions of every row; those of rows that may not be learned from are never drawn.

    With hindsight (Andrychowicz et al., 2017, strategy "future") a transition may be drawn as if its episode had been
    played for what it achieved in one of its later steps. A step that reaches this ends the episode there; from one
    that begins there no episode goes on, so it is not drawn. Both as in the published source of Sibling Rivalry.

    Args:
        buffer_size: Transitions, of all rows together; fewer where they would take more than ``MOST_BYTES``.
        *arguments: stable-baselines3's.
        rng: What it draws from.
        hindsight: Transitions with another goal to every one as played, apart from those that begin in it; 0: none.
        goals: Says what a goal earns; needed for hindsight.
        as_bytes: Whether observations, which then hold nothing but integers from 0 to 255, are kept in one byte each.
        **keywords: stable-baselines3's.

    Attributes:
        left: int32 (S, N), the steps that followed within the episode; -1: it is not over.
    """

    pos: int
    full: bool

    def __init__(
        self,
        buffer_size: int,
        *arguments,
        rng: np.random.Generator,
        hindsight: int = 0,
        goals: Goals | None = None,
        as_bytes: bool = False,
        **keywords,
    ):
        shown, *others = arguments
        self._types = {name: leaf.dtype for name, leaf in shown.items()}
        space: Any = _in_bytes(shown) if as_bytes else shown
        bytes_each = 2 * sum(leaf.dtype.itemsize * int(np.prod(leaf.shape)) for leaf in space.values())
        super().__init__(min(buffer_size, MOST_BYTES // bytes_each), space, *others, **keywords)
        self._rng, self._goals = rng, goals
        self._relabelled = hindsight / (1 + hindsight) if goals is not None else 0.0
        self.train = np.zeros((self.buffer_size, self.n_envs), np.bool_)
        self.left = np.full((self.buffer_size, self.n_envs), -1, np.int32)
        #: int64 (N,), steps so far of each row's episode.
        self._elapsed = np.zeros(self.n_envs, np.int64)
        #: Which transitions may be drawn, as places in the flat (S * N); ``None``: all that it holds.
        self._drawable: np.ndarray | None = None

    def __len__(self) -> int:
        """How many transitions may be drawn."""
        return self._filled.stop * self.n_envs if self._drawable is None else len(self._drawable)

    def extend(self, rollout: Rollout, actions: np.ndarray) -> None:
        """Keep a rollout of at most S steps, with its actions (T, N, k) as the algorithm knows them.

        Raises:
            ValueError: An observation cannot be kept in bytes.
        """
        places = (self.pos + np.arange(len(rollout.rewards))) % self.buffer_size
        for name, kept in self.observations.items():
            _keep(name, rollout.observations[name].cpu().numpy(), kept, places)
            _keep(name, rollout.following(name), self.next_observations[name], places)
        self.actions[places] = actions
        self.rewards[places] = rollout.rewards
        self.dones[places] = rollout.terminations
        self.train[places] = rollout.train
        _count_what_is_left(places, rollout.starts, rollout.ends, self._elapsed, self.left)
        self.full |= self.pos + len(places) >= self.buffer_size
        self.pos = int(places[-1] + 1) % self.buffer_size
        self._find_drawable()

    def sample(self, batch_size: int, env=None) -> DictReplayBufferSamples:  # type: ignore[override]  # as its base class
        """``batch_size`` independent draws."""
        steps, rows, later = self._draw(batch_size)
        observations = self._shown(self.observations, steps, rows)
        following = self._shown(self.next_observations, steps, rows)
        rewards, ends = self.rewards[steps, rows], self.dones[steps, rows]
        chosen = later != _AS_PLAYED
        if chosen.any():
            assert self._goals is not None  # or nothing is relabelled
            goals = self.next_observations["achieved_goal"][later[chosen], rows[chosen]]
            observations["desired_goal"][chosen] = following["desired_goal"][chosen] = goals
            achieved = following["achieved_goal"][chosen]
            rewards[chosen] = self._goals.compute_reward(achieved, goals, None)
            ends[chosen] = self._reached(achieved, goals)
        return DictReplayBufferSamples(
            observations=self._tensors(observations),
            actions=self.to_torch(self.actions[steps, rows], copy=False),
            next_observations=self._tensors(following),
            dones=self.to_torch(ends[:, np.newaxis], copy=False),
            rewards=self.to_torch(rewards[:, np.newaxis], copy=False),
        )

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """What it holds; of what followed a transition, that alone which is not the next one's observation."""
        filled = self._filled
        arrays = {name: getattr(self, name)[filled] for name in _COLUMNS} | {"elapsed": self._elapsed}
        for name, kept in self.observations.items():
            following, successors = self.next_observations[name][filled], np.roll(kept[filled], -1, axis=0)
            others = (following != successors).any(axis=tuple(range(2, following.ndim)))
            arrays |= {f"observations.{name}": kept[filled], f"others.{name}": others}
            arrays[f"next_observations.{name}"] = following[others]
        return arrays, {"pos": self.pos, "full": bool(self.full)}

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Hold what :meth:`state` returned."""
        self.pos, self.full = values["pos"], values["full"]
        filled = self._filled
        for name in _COLUMNS:
            getattr(self, name)[filled] = arrays[name]
        for name in self.observations:
            seen = self.observations[name][filled] = arrays[f"observations.{name}"]
            following = np.roll(seen, -1, axis=0)
            following[arrays[f"others.{name}"]] = arrays[f"next_observations.{name}"]
            self.next_observations[name][filled] = following
        self._elapsed[:] = arrays["elapsed"]
        self._find_drawable()

    @property
    def _filled(self) -> slice:
        return slice(0, self.buffer_size if self.full else self.pos)

    def _find_drawable(self) -> None:
        """Hindsight needs to know how an episode goes on, so it draws from those that are over."""
        filled = self._filled
        may_be = self.train[filled] & (self.left[filled] >= 0) if self._relabelled else self.train[filled]
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
        steps, rows = np.divmod(drawn if self._drawable is None else self._drawable[drawn], self.n_envs)
        later = np.full(count, _AS_PLAYED)
        if not self._relabelled:
            return np.stack([steps, rows, later])
        chosen = np.flatnonzero(self._rng.random(count) < self._relabelled)
        goes_on = self._rng.integers(self.left[steps[chosen], rows[chosen]] + 1)
        later[chosen] = (steps[chosen] + goes_on) % self.buffer_size
        goals = self.next_observations["achieved_goal"][later[chosen], rows[chosen]]
        begins_in_it = np.zeros(count, np.bool_)
        begins_in_it[chosen] = self._reached(self.observations["achieved_goal"][steps[chosen], rows[chosen]], goals)
        return np.stack([steps, rows, later])[:, ~begins_in_it]

    def _shown(self, kept: Arrays, steps: np.ndarray, rows: np.ndarray) -> Arrays:
        """What was observed, in the types in which it was."""
        flat = steps * self.n_envs + rows
        shown = {name: array.reshape(-1, *array.shape[2:]).take(flat, axis=0) for name, array in kept.items()}
        return {name: array.astype(self._types[name], copy=False) for name, array in shown.items()}

    def _reached(self, achieved: np.ndarray, goals: np.ndarray) -> np.ndarray:
        assert self._goals is not None
        return self._goals.distance(achieved, goals) <= self._goals.distance_threshold

    def _tensors(self, observations: Arrays) -> Tensors:
        return {name: torch.as_tensor(array, device=self.device) for name, array in observations.items()}


def _in_bytes(space: spaces.Dict) -> spaces.Dict:
    return spaces.Dict({name: spaces.Box(0, 255, leaf.shape, np.uint8) for name, leaf in space.items()})


def _keep(name: str, given: np.ndarray, kept: np.ndarray, places: np.ndarray) -> None:
    with np.errstate(invalid="ignore"):  # what does not fit into a byte is told of below
        kept[places] = given
    if kept.dtype != given.dtype and (lost := kept[places] != given).any():
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
