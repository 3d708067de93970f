"""What happened in whole episodes, which may begin in one rollout and end in a later one."""

import numpy as np

from procgen_bench.baselines.learning.rollout import Rollout
from procgen_bench.baselines.named_arrays import Arrays, below
from procgen_bench.baselines.teachers.proposal import EpisodeSteps


class UnfinishedEpisodes:
    """The steps so far of the episodes that have not ended yet, one per row.

    Args:
        num_rows: Number of rows, N.
    """

    def __init__(self, num_rows: int):
        #: By row the parts of its episode, by name (l, ...) each.
        self._parts: list[list[Arrays]] = [[] for _ in range(num_rows)]

    def ended_in(self, rollout: Rollout) -> tuple[EpisodeSteps, ...]:
        """The episodes that end in a rollout, in the order of ending; those that do not are kept."""
        columns = {f"observations.{name}": array.cpu().numpy() for name, array in rollout.observations.items()}
        columns |= {"actions": rollout.actions.cpu().numpy(), "rewards": rollout.rewards}
        last = {name: array.cpu().numpy() for name, array in rollout.end_observations.items()}
        begun, ended = np.zeros(len(self._parts), np.int64), []
        for number, (t, row) in enumerate(np.argwhere(rollout.ends).tolist()):
            self._add(columns, row, begun[row], t + 1)
            ended.append(self._finished(row, {name: array[number] for name, array in last.items()}))
            begun[row] = t + 1
        for row, first in enumerate(begun.tolist()):
            self._add(columns, row, first, len(rollout.rewards))
        return tuple(ended)

    def forget(self) -> None:
        """All rows begin anew."""
        self._parts = [[] for _ in self._parts]

    def arrays(self) -> Arrays:
        """Arrays from which :meth:`restore` goes on: all rows' steps behind each other, and how many each has."""
        parts = [part for row in self._parts for part in row]
        lengths = [sum(len(part["rewards"]) for part in row) for row in self._parts]
        joined = {f"steps.{name}": np.concatenate([part[name] for part in parts]) for name in (parts or [{}])[0]}
        return joined | {"lengths": np.array(lengths, np.int64)}

    def restore(self, arrays: Arrays) -> None:
        """Go on from what :meth:`arrays` returned."""
        ends = arrays["lengths"].cumsum().tolist()
        columns = below(arrays, "steps")
        self._parts = [
            [{name: array[first:end] for name, array in columns.items()}] if first < end else []
            for first, end in zip([0, *ends], ends)
        ]

    def _add(self, columns: Arrays, row: int, first: int, end: int) -> None:
        if first < end:  # copied: the next rollout overwrites them
            self._parts[row].append({name: array[first:end, row].copy() for name, array in columns.items()})

    def _finished(self, row: int, last: Arrays) -> EpisodeSteps:
        parts, self._parts[row] = self._parts[row], []
        whole = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        observations = {
            name: np.concatenate([array, last[name][np.newaxis]])
            for name, array in below(whole, "observations").items()
        }
        return EpisodeSteps(observations, whole["actions"], whole["rewards"])
