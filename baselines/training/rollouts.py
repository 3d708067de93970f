"""Rollout: T steps of N rows, as they were collected, for one update of a learner."""

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Generic, NamedTuple

import numpy as np
import torch

from procgen_bench.baselines.policies.arrays import Arrays, below
from procgen_bench.baselines.policies.tensors import Tensors
from procgen_bench.baselines.training.contracts import CRITICISM, EpisodeSteps, FinishedEpisodes
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv, EpisodeColumns
from procgen_bench.baselines.training.learner import Learner, Rollout, RolloutT
from procgen_bench.baselines.training.teacher import StepScore
from procgen_bench.core.compiled import njit


class EpisodeScores:
    """Sums over the episodes that have not ended yet, one per row.

    Args:
        num_rows: Number of rows, N.
        step_score: The teacher's :attr:`.Teacher.step_score`.
    """

    def __init__(self, num_rows: int, step_score: StepScore | None):
        self._step_score = step_score
        #: Of each row's episode so far: value of the start, sums of values, positive advantages, step scores and
        #: gradient norms, steps.
        self.sums = np.zeros((num_rows, 6), np.float64)

    def of(
        self,
        starts: np.ndarray,
        ends: np.ndarray,
        values: np.ndarray | None,
        advantages: np.ndarray | None,
        discounts: tuple[float, ...] = (),
        gradient_norms: np.ndarray | None = None,
    ) -> Arrays:
        """Scores of the episodes that end in a rollout, in the order of ending.

        Args:
            starts: bool (T, N).
            ends: bool (T, N).
            values: float32 (T, N), or ``None``: there is no critic.
            advantages: float32 (T, N), or ``None``: there is no critic.
            discounts: Discount and decay of the advantages; empty: nobody knows them.
            gradient_norms: float32 (T, N), or ``None``: there are none.

        Returns:
            The columns of :class:`.FinishedEpisodes` of these names, each float32 (K,); NaN without.
        """
        names = "start_value", "mean_value", "value_loss", "step_score", "gradient_norm"
        scores = np.full((int(ends.sum()), len(names)), np.nan, np.float32)
        if values is not None and advantages is not None:
            unknown = np.full_like(advantages, np.nan)
            step_scores = unknown
            if self._step_score is not None and discounts:
                step_scores = self._step_score(advantages, ends, *discounts)
            norms = unknown if gradient_norms is None else gradient_norms
            _score(starts, ends, values, advantages, step_scores, norms, self.sums, scores)
        return dict(zip(names, scores.T, strict=True))


@njit
def _score(starts, ends, values, advantages, step_scores, gradient_norms, sums, scores):
    number = 0
    for t in range(starts.shape[0]):
        for row in range(starts.shape[1]):
            if starts[t, row]:
                sums[row, 0] = values[t, row]
                sums[row, 1:] = 0.0
            sums[row, 1] += values[t, row]
            sums[row, 2] += max(advantages[t, row], 0.0)
            sums[row, 3] += step_scores[t, row]
            sums[row, 4] += gradient_norms[t, row]
            sums[row, 5] += 1.0
            if ends[t, row]:
                scores[number, 0] = sums[row, 0]
                for column in range(1, 5):
                    scores[number, column] = sums[row, column] / sums[row, 5]
                number += 1


class UnfinishedEpisodes:
    """The steps so far of the episodes that have not ended yet, one per row.

    Args:
        num_rows: Number of rows, N.
    """

    def __init__(self, num_rows: int):
        #: By row the parts of its episode, by name (l, ...) each.
        self._parts: list[list[Arrays]] = [[] for _ in range(num_rows)]

    def ended_in(self, columns: Arrays, ends: np.ndarray, last: Arrays) -> tuple[EpisodeSteps, ...]:
        """The episodes that end in T steps, in the order of ending; those that do not are kept.

        Args:
            columns: (T, N, ...), ``"observations.NAME"`` before each action, ``"actions"`` and ``"rewards"``.
            ends: bool (T, N), whether the step was the last of its episode.
            last: By name (E, ...), the last observations of those that end.
        """
        begun, ended = np.zeros(len(self._parts), np.int64), []
        for number, (t, row) in enumerate(np.argwhere(ends).tolist()):
            self._add(columns, row, begun[row], t + 1)
            ended.append(self._finished(row, {name: array[number] for name, array in last.items()}))
            begun[row] = t + 1
        for row, first in enumerate(begun.tolist()):
            self._add(columns, row, first, len(ends))
        return tuple(ended)

    def forget(self) -> None:
        """All rows begin again."""
        self._parts = [[] for _ in self._parts]

    def arrays(self) -> Arrays:
        """For :meth:`restore`: all rows' steps, (steps, ...), row by row, and ``lengths``, int64 (N,), of each."""
        parts = [part for row in self._parts for part in row]
        lengths = [sum(len(part["rewards"]) for part in row) for row in self._parts]
        joined = {f"steps.{name}": np.concatenate([part[name] for part in parts]) for name in (parts or [{}])[0]}
        return joined | {"lengths": np.array(lengths, np.int64)}

    def restore(self, arrays: Arrays) -> None:
        """Continue from what :meth:`arrays` returned, with its shapes and dtypes."""
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


class Criticism(NamedTuple):
    """A critic's values and its advantages float32 (T, N) of a rollout, the discount and decay of the advantages, and
    :meth:`.Learner.gradient_norms` float32 (T, N), where the teacher requires them."""

    values: np.ndarray | None = None
    advantages: np.ndarray | None = None
    discounts: tuple[float, ...] = ()
    gradient_norms: np.ndarray | None = None


#: Networks compute in single precision.
_KEPT_AS = {torch.float64: torch.float32}


class RowCollector(ABC, Generic[RolloutT]):
    """Lets a learner act in rows.

    Args:
        rows: Where the learner acts; they begin unless they have begun.
        learner: Who acts.
        num_steps: Steps of the longest rollout.

    Attributes:
        memory: float32 (N, M), what the learner remembers of every row; zeros where an episode begins.
        reward_before: float32 (N,), the last reward of every row; 0 where an episode begins.
        scores: What the critic thought of the episodes that are not over.
        unfinished: What happened in them; ``None``: the teacher does not require it.
    """

    def __init__(self, rows: CurriculumVectorEnv, learner: Learner[RolloutT], num_steps: int):
        self.rows, self.learner, self.num_steps = rows, learner, num_steps
        rows.ensure_begun()
        self.memory = torch.zeros(rows.num_rows, learner.memory_width, device=learner.device)
        self.reward_before = np.zeros(rows.num_rows, np.float32)
        self.scores = EpisodeScores(rows.num_rows, rows.teacher.step_score)
        self.unfinished = UnfinishedEpisodes(rows.num_rows) if "steps" in rows.teacher.required_columns else None
        self._seen = {
            name: self._buffer(torch.as_tensor(array).dtype, array.shape) for name, array in rows.observations.items()
        }

    @abstractmethod
    def collect(self, num_steps: int | None = None, within: int | None = None) -> RolloutT:
        """Act for so many steps of a row at most, by default those of the longest rollout, and, but for the first one,
        ``within`` so many environment steps, if that is given."""

    @abstractmethod
    def finished_episodes(self, rollout: RolloutT) -> FinishedEpisodes:
        """The episodes that ended in the rollout that was just collected."""

    def by_player(self, rollout: RolloutT) -> dict[int, RolloutT]:
        """The part of the rollout that each player learns from, by the players' numbers."""
        return {0: rollout}

    def rollout_length_within(self, steps: int) -> int:
        """Steps of the next rollout where ``steps`` environment steps are left: a whole one, or half of less than two.

        Below half of one a run ends: the gradients of a few steps, scaled as all are, are noise.
        """
        left = steps // max(1, self.rows.steps_of_next)
        if left < self.num_steps // 2 and self.rows.steps:
            return 0
        return -(-left // 2) if self.num_steps < left < 2 * self.num_steps else min(self.num_steps, left)

    def restart(self) -> None:
        """Begin a new episode in all rows, and remember nothing of what they were playing."""
        self.rows.begin()
        self.memory = torch.zeros_like(self.memory)
        self.reward_before = np.zeros_like(self.reward_before)
        if self.unfinished is not None:
            self.unfinished.forget()

    def arrays(self) -> Arrays:
        """Arrays from which :meth:`restore` goes on."""
        arrays = {"memory": self.memory.cpu().numpy(), "scores": self.scores.sums, "reward_before": self.reward_before}
        if self.unfinished is not None:
            arrays |= {f"unfinished.{name}": array for name, array in self.unfinished.arrays().items()}
        return arrays

    def restore(self, arrays: Arrays) -> None:
        """Continue from what :meth:`arrays` returned, in rows that have been restored."""
        self.memory = self._going_on(arrays["memory"])
        self.reward_before = np.where(self.rows.starts, np.float32(0), arrays["reward_before"])
        self.scores.sums[...] = arrays["scores"]
        if self.unfinished is not None and self.rows.can_be_kept:
            self.unfinished.restore(below(arrays, "unfinished"))

    def _going_on(self, memory: np.ndarray) -> torch.Tensor:
        """A memory (N, M) as it was kept, of those rows whose episode goes on."""
        return (torch.as_tensor(memory) * torch.as_tensor(~self.rows.starts)[:, None]).to(self.learner.device)

    def _see(self, t: int) -> Tensors:
        """The rows' observations, copied into step ``t`` of the rollout."""
        seen = {}
        for name, array in self.rows.observations.items():
            seen[name] = self._seen[name][t]
            seen[name].copy_(torch.as_tensor(array))
        return seen

    def _buffer(self, kind: torch.dtype, shape: tuple[int, ...]) -> torch.Tensor:
        return torch.empty(self.num_steps, *shape, dtype=_KEPT_AS.get(kind, kind), device=self.learner.device)


class StepCollector(RowCollector[Rollout]):
    """Collects rollouts that go on through their episodes' ends; a subclass says who acts."""

    @abstractmethod
    def act(self, t: int, seen: Tensors) -> tuple[torch.Tensor, Tensors, torch.Tensor]:
        """Actions (N, ...) of step ``t``, the learner's notes of them, and the next memory, float32 (N, M)."""

    def collect(self, num_steps: int | None = None, within: int | None = None) -> Rollout:
        """See :meth:`RowCollector.collect`."""
        num_steps = self.num_steps if num_steps is None else num_steps
        rows, memory, steps_before = self.rows, self.memory.clone(), self.rows.steps
        steps, actions, aux, starts, train, before = [], [], [], [], [], []
        cut_memory = []
        for t in range(num_steps):
            if t and within is not None and rows.steps + rows.steps_of_next > steps_before + within:
                break
            seen = self._see(t)
            starts.append(rows.starts.copy())
            train.append(rows.train.copy())
            before.append(self.reward_before)
            chosen, noted, remembered = self.act(t, seen)
            step = rows.step(chosen.cpu().numpy())
            if step.truncations.any():
                cut_memory.append(remembered[torch.as_tensor(step.truncations)])
                self.note_cut(step.truncations)
            self.memory = remembered * torch.as_tensor(~rows.starts, device=remembered.device)[:, None]
            self.reward_before = np.where(rows.starts, 0, step.rewards).astype(np.float32)
            steps.append(step)
            actions.append(chosen)
            aux.append(noted)
        return Rollout(
            observations={name: buffer[: len(steps)] for name, buffer in self._seen.items()},
            actions=torch.stack(actions),
            aux={name: torch.stack([noted[name] for noted in aux]) for name in aux[0]},
            rewards=np.stack([step.rewards for step in steps]).astype(np.float32),
            terminations=np.stack([step.terminations for step in steps]),
            truncations=np.stack([step.truncations for step in steps]),
            starts=np.stack(starts),
            train=np.stack(train),
            memory=memory,
            last_observations=self._tensors(rows.observations),
            last_starts=rows.starts.copy(),
            last_memory=self.memory,
            end_observations=self._joined([step.last for step in steps if step.last]),
            cut_memory=torch.cat(cut_memory) if cut_memory else self.memory[:0],
            rewards_before=np.stack(before),
            infos={name: np.stack([step.infos[name] for step in steps]) for name in steps[0].infos},
        )

    def finished_episodes(self, rollout: Rollout) -> FinishedEpisodes:
        """The episodes that ended in the rollout that was just collected."""
        criticism = Criticism()
        if self.rows.teacher.required_columns & CRITICISM:
            criticism = self.criticism(rollout)
        steps = None
        if self.unfinished is not None:
            last = {name: array.cpu().numpy() for name, array in rollout.end_observations.items()}
            steps = self.unfinished.ended_in(rollout.columns, rollout.ends, last)
        return finished_episodes_of(self.rows, self.scores.of(rollout.starts, rollout.ends, *criticism), steps)

    def note_cut(self, truncations: np.ndarray) -> None:
        """Called where episodes were cut off (``truncations``, bool (N,)), before their memories are forgotten."""

    @abstractmethod
    def criticism(self, rollout: Rollout) -> Criticism:
        """What is known of a rollout."""

    def gradient_norms_of(self, learner: Learner, rollout: Rollout) -> np.ndarray | None:
        """The learner's of a rollout whose advantages it knows, float32 (T, N), if the teacher requires them."""
        return learner.gradient_norms(rollout) if "gradient_norm" in self.rows.teacher.required_columns else None

    def _tensors(self, observations: dict[str, np.ndarray]) -> Tensors:
        return {name: self._seen[name].new_tensor(array) for name, array in observations.items()}

    def _joined(self, parts: list[dict[str, np.ndarray]]) -> Tensors:
        if not parts:
            return {name: buffer[0, :0] for name, buffer in self._seen.items()}
        return self._tensors({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})


class Collector(StepCollector):
    """One learner acts in all rows."""

    def act(self, t: int, seen: Tensors) -> tuple[torch.Tensor, Tensors, torch.Tensor]:
        """See :meth:`.Learner.act`."""
        return self.learner.act(seen, self.memory)

    def criticism(self, rollout: Rollout) -> Criticism:
        """The learner's."""
        advantages = self.learner.advantages(rollout)
        values = None if advantages is None else rollout.aux["values"].cpu().numpy()
        return Criticism(values, advantages, self.learner.discounts, self.gradient_norms_of(self.learner, rollout))


def finished_episodes_of(
    rows: CurriculumVectorEnv, scores: Arrays, steps: tuple[EpisodeSteps, ...] | None
) -> FinishedEpisodes:
    """The K episodes that ended in rows, as columns; ``scores``, float32 (K,), are of :meth:`.EpisodeScores.of`."""
    ended = rows.pop_finished_episodes()
    columns = {field.name: _joined(ended, field.name) for field in fields(EpisodeColumns)}
    return FinishedEpisodes(**columns, **scores, steps=steps, players=rows.players)


def _joined(ended: list[EpisodeColumns], name: str) -> np.ndarray:
    kinds = {"train": np.bool_, "success": np.bool_, "return_": np.float64, "player": np.int16, "seat": np.int16}
    if not ended:
        return np.empty(0, kinds.get(name, np.int64))
    return np.concatenate([getattr(part, name) for part in ended])
