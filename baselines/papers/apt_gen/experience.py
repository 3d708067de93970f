"""Experience: the latest steps of whole episodes, with the value of each episode."""

import numpy as np

from procgen_bench.baselines.papers.apt_gen.task_discriminator import EpisodeSample
from procgen_bench.baselines.policies.arrays import Arrays, below
from procgen_bench.baselines.training.contracts import EpisodeSteps
from procgen_bench.baselines.training.teacher import TeacherArrays


class _Column:
    """Rows that come at the end and go at the front, in one array, which grows where it is full."""

    def __init__(self, rows: np.ndarray):
        self._array, self._first, self._end = rows.copy(), 0, len(rows)

    @property
    def rows(self) -> np.ndarray:
        """What is there, which later rows may overwrite."""
        return self._array[self._first : self._end]

    def append(self, rows: np.ndarray) -> None:
        """Put rows (n, ...) at the end."""
        if self._end + len(rows) > len(self._array):
            held = self.rows
            self._array = np.concatenate([held, rows, np.empty_like(held)])
            self._first, self._end = 0, len(held)
        self._array[self._end : self._end + len(rows)] = rows
        self._end += len(rows)

    def drop(self, count: int) -> None:
        """Let the first rows go."""
        self._first += count


class Experience:
    """Episodes in the order in which they came; the oldest go where the others have ``limit`` steps.

    Args:
        limit: Steps.
        latest: Steps at the end, from :attr:`first_latest` on.
    """

    def __init__(self, limit: int, latest: int):
        self._limit, self._latest = limit, latest
        # Of S steps: actions, rewards; of S + E observations: each name of them; of E episodes: the others.
        self._columns: dict[str, _Column] = {}

    def __len__(self) -> int:
        return len(self._columns["lengths"].rows) if self._columns else 0

    def add(self, steps: EpisodeSteps, point: np.ndarray, value: float) -> None:
        """An episode, the parameters (d,) of its task, and its value."""
        self._append(
            {f"observations.{name}": array for name, array in steps.observations.items()}
            | {"actions": steps.actions, "rewards": steps.rewards.astype(np.float32)}
            | {"points": point[np.newaxis].astype(np.float32), "values": np.array([value], np.float32)}
            | {"lengths": np.array([len(steps)])}
        )
        count = int((self._steps_behind() >= self._limit).sum())
        if count:
            num_steps = int(self._columns["lengths"].rows[:count].sum())
            dropped = dict.fromkeys(("lengths", "points", "values"), count)
            dropped |= dict.fromkeys(("actions", "rewards"), num_steps)
            for name, column in self._columns.items():
                column.drop(dropped.get(name, num_steps + count))

    @property
    def first_latest(self) -> int:
        """Place of the first episode that has some of the latest steps."""
        return int((self._steps_behind() >= self._latest).sum())

    def draw(self, rng: np.random.Generator, count: int, first: int = 0) -> np.ndarray:
        """Places (count,) of episodes from ``first`` on."""
        return rng.integers(first, len(self), size=count)

    def sample(self, rng: np.random.Generator, places: np.ndarray, num_steps: int) -> EpisodeSample:
        """The episodes at these places, with ``num_steps`` of the steps of each, drawn with replacement."""
        lengths = self._columns["lengths"].rows
        begins = (lengths.cumsum() - lengths)[places]
        first = begins + places  # of the observations, one of which follows the last step of every episode
        drawn = (rng.random((len(places), num_steps)) * lengths[places, None]).astype(np.int64)
        steps, seen = ((own[:, None] + drawn).ravel() for own in (begins, first))
        observations = below({name: column.rows for name, column in self._columns.items()}, "observations")
        return EpisodeSample(
            first={name: array[first] for name, array in observations.items()},
            before={name: array[seen] for name, array in observations.items()},
            actions=self._columns["actions"].rows[steps],
            after={name: array[seen + 1] for name, array in observations.items()},
            rewards=self._columns["rewards"].rows[steps],
            lengths=lengths[places].astype(np.float32),
        )

    def values(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Parameters float32 (n, d) of the tasks at these places, and the episodes' values, float32 (n,)."""
        return self._columns["points"].rows[places], self._columns["values"].rows[places]

    def state(self) -> TeacherArrays:
        """Arrays from which :meth:`restore` goes on; none where there is no episode."""
        return {name: column.rows.copy() for name, column in self._columns.items()}

    def restore(self, arrays: TeacherArrays) -> None:
        """Continue from what :meth:`state` returned."""
        self._columns = {name: _Column(rows) for name, rows in arrays.items()}

    def _append(self, rows: Arrays) -> None:
        if not self._columns:
            self._columns = {name: _Column(own) for name, own in rows.items()}
            return
        for name, column in self._columns.items():
            column.append(rows[name])

    def _steps_behind(self) -> np.ndarray:
        """Steps (E,) of the episodes after each."""
        lengths = self._columns["lengths"].rows
        return lengths.sum() - lengths.cumsum()


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
