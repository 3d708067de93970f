"""Experience: the latest steps of whole episodes, with the value of each episode."""

from collections import deque
from dataclasses import dataclass

import numpy as np

from procgen_bench.baselines.papers.apt_gen.task_discriminator import EpisodeSample
from procgen_bench.baselines.policies.arrays import Arrays, below
from procgen_bench.baselines.training.contracts import EpisodeSteps
from procgen_bench.baselines.training.teacher import TeacherArrays


@dataclass(frozen=True)
class _Episode:
    steps: EpisodeSteps
    point: np.ndarray
    value: float


@dataclass(frozen=True)
class _Columns:
    """All episodes behind each other: S steps, S + E observations, E episodes."""

    observations: Arrays
    actions: np.ndarray
    rewards: np.ndarray
    lengths: np.ndarray
    points: np.ndarray
    values: np.ndarray
    first_latest: int


class Experience:
    """Episodes in the order in which they came; the oldest go where the others have ``limit`` steps.

    Args:
        limit: Steps.
        latest: Steps at the end, from :attr:`first_latest` on.
    """

    def __init__(self, limit: int, latest: int):
        self._limit, self._latest = limit, latest
        self._episodes: deque[_Episode] = deque()
        self._num_steps = 0
        self._joined: _Columns | None = None

    def __len__(self) -> int:
        return len(self._episodes)

    def add(self, steps: EpisodeSteps, point: np.ndarray, value: float) -> None:
        """An episode, the parameters (d,) of its task, and its value."""
        self._episodes.append(_Episode(steps, point, value))
        self._num_steps += len(steps)
        self._joined = None
        while self._num_steps - len(self._episodes[0].steps) >= self._limit:
            self._num_steps -= len(self._episodes.popleft().steps)

    @property
    def first_latest(self) -> int:
        """Place of the first episode that has some of the latest steps."""
        return self._columns().first_latest

    def draw(self, rng: np.random.Generator, count: int, first: int = 0) -> np.ndarray:
        """Places (count,) of episodes from ``first`` on."""
        return rng.integers(first, len(self._episodes), size=count)

    def sample(self, rng: np.random.Generator, places: np.ndarray, num_steps: int) -> EpisodeSample:
        """The episodes at these places, with ``num_steps`` of the steps of each, drawn with replacement."""
        columns = self._columns()
        begins = columns.lengths.cumsum() - columns.lengths
        lengths = columns.lengths[places]
        drawn = (rng.random((len(places), num_steps)) * lengths[:, None]).astype(np.int64)
        steps = (begins[places][:, None] + drawn).ravel()
        seen = (begins[places][:, None] + places[:, None] + drawn).ravel()
        first = begins[places] + places
        return EpisodeSample(
            first={name: array[first] for name, array in columns.observations.items()},
            before={name: array[seen] for name, array in columns.observations.items()},
            actions=columns.actions[steps],
            after={name: array[seen + 1] for name, array in columns.observations.items()},
            rewards=columns.rewards[steps],
            lengths=lengths.astype(np.float32),
        )

    def values(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Parameters float32 (n, d) of the tasks at these places, and the episodes' values, float32 (n,)."""
        columns = self._columns()
        return columns.points[places], columns.values[places]

    def state(self) -> TeacherArrays:
        """Arrays from which :meth:`restore` goes on; none where there is no episode."""
        if not self._episodes:
            return {}
        columns = self._columns()
        seen = {f"observations.{name}": array for name, array in columns.observations.items()}
        others = {name: getattr(columns, name) for name in ("actions", "rewards", "points", "values")}
        return seen | others | {"lengths": columns.lengths}

    def restore(self, arrays: TeacherArrays) -> None:
        """Continue from what :meth:`state` returned."""
        self._episodes.clear()
        self._num_steps, self._joined = 0, None
        observations, step = below(arrays, "observations"), 0
        for place, length in enumerate(arrays.get("lengths", np.zeros(0, np.int64)).tolist()):
            first, end = step + place, step + place + length + 1
            seen = {name: array[first:end].copy() for name, array in observations.items()}
            own = (arrays[name][step : step + length].copy() for name in ("actions", "rewards"))
            self.add(EpisodeSteps(seen, *own), arrays["points"][place].copy(), float(arrays["values"][place]))
            step += length

    def _columns(self) -> _Columns:
        if self._joined is None:
            self._joined = self._join()
        return self._joined

    def _join(self) -> _Columns:
        steps = [episode.steps for episode in self._episodes]
        lengths = np.array([len(part) for part in steps], np.int64)
        following = lengths.sum() - lengths.cumsum()
        names = steps[0].observations
        return _Columns(
            {name: np.concatenate([part.observations[name] for part in steps]) for name in names},
            np.concatenate([part.actions for part in steps]),
            np.concatenate([part.rewards for part in steps]).astype(np.float32),
            lengths,
            np.stack([episode.point for episode in self._episodes]).astype(np.float32),
            np.array([episode.value for episode in self._episodes], np.float32),
            int((following >= self._latest).sum()),
        )


def joined(samples: list[EpisodeSample]) -> EpisodeSample:
    """Samples of as many steps of every episode each, behind each other."""

    def together(parts: list[Arrays]) -> Arrays:
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    return EpisodeSample(
        first=together([own.first for own in samples]),
        before=together([own.before for own in samples]),
        actions=np.concatenate([own.actions for own in samples]),
        after=together([own.after for own in samples]),
        rewards=np.concatenate([own.rewards for own in samples]),
        lengths=np.concatenate([own.lengths for own in samples]),
    )


def mixed(
    targets: EpisodeSample, generated: EpisodeSample, shares: np.ndarray, rng: np.random.Generator
) -> EpisodeSample:
    """Pairs of episodes, of both samples B with k steps each, mixed number by number.

    Of every episode a share (B,), on average, is the target's: of its first observation, and of each step as much. What
    is seen before and after a step is taken from the same side.
    """

    def is_target(array: np.ndarray) -> np.ndarray:
        own = np.repeat(shares, len(array) // len(shares))
        return rng.random(array.shape) < own.reshape(-1, *(1,) * (array.ndim - 1))

    def mix(masks: Arrays, theirs: Arrays, ours: Arrays) -> Arrays:
        return {name: np.where(masks[name], array, ours[name]) for name, array in theirs.items()}

    first, around = (
        {name: is_target(array) for name, array in part.items()} for part in (targets.first, targets.before)
    )
    actions, rewards, lengths = map(is_target, (targets.actions, targets.rewards, targets.lengths))
    return EpisodeSample(
        first=mix(first, targets.first, generated.first),
        before=mix(around, targets.before, generated.before),
        actions=np.where(actions, targets.actions, generated.actions),
        after=mix(around, targets.after, generated.after),
        rewards=np.where(rewards, targets.rewards, generated.rewards),
        lengths=np.where(lengths, targets.lengths, generated.lengths),
    )
