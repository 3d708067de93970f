"""Collecting: a learner acts in rows for some steps, and the teacher hears of the episodes that ended."""

from abc import ABC, abstractmethod
from typing import Generic

import numpy as np
import torch

from procgen_bench.baselines.encoder import Tensors
from procgen_bench.baselines.learning.episode_scores import EpisodeScores
from procgen_bench.baselines.learning.learner import Learner, RolloutT
from procgen_bench.baselines.learning.rollout import Rollout
from procgen_bench.baselines.learning.taught_rows import Ended, TaughtRows
from procgen_bench.baselines.learning.unfinished_episodes import UnfinishedEpisodes
from procgen_bench.baselines.teachers.proposal import CRITICISM, EpisodeSteps, Played

#: Networks reckon in single precision.
_KEPT_AS = {torch.float64: torch.float32}


class RowCollector(ABC, Generic[RolloutT]):
    """Lets a learner act in rows.

    Args:
        rows: Where the learner acts; they begin.
        learner: Who acts.
        num_steps: Steps of the longest rollout.

    Attributes:
        memory: float32 (N, M), what the learner remembers of every row; zeros where an episode begins.
        scores: What the critic thought of the episodes that are not over.
        unfinished: What happened in them; ``None``: the teacher does not want to know.
    """

    def __init__(self, rows: TaughtRows, learner: Learner[RolloutT], num_steps: int):
        self.rows, self.learner, self.num_steps = rows, learner, num_steps
        rows.begin()
        self.memory = torch.zeros(rows.num_rows, learner.memory_width, device=learner.device)
        self.scores = EpisodeScores(rows.num_rows)
        self.unfinished = UnfinishedEpisodes(rows.num_rows) if "steps" in rows.teacher.wants else None
        self._seen = {
            name: self._buffer(torch.as_tensor(array).dtype, array.shape) for name, array in rows.observations.items()
        }

    @abstractmethod
    def collect(self, num_steps: int | None = None) -> RolloutT:
        """Act for so many steps at most; for as many as the longest rollout has without an argument."""

    @abstractmethod
    def played(self, rollout: RolloutT) -> Played:
        """The episodes that ended in the rollout that was just collected."""

    def affordable(self, steps: int) -> int:
        """Steps of the next rollout where ``steps`` environment steps are left: a whole one, or fewer."""
        return min(self.num_steps, steps // self.rows.steps_at_once)

    def begin_anew(self) -> None:
        """Begin all rows anew, and remember nothing of what they were playing."""
        self.rows.begin()
        self.memory = torch.zeros_like(self.memory)
        if self.unfinished is not None:
            self.unfinished.forget()

    def _told(
        self,
        starts: np.ndarray,
        ends: np.ndarray,
        values: np.ndarray | None,
        advantages: np.ndarray | None,
        steps: tuple[EpisodeSteps, ...] | None,
    ) -> Played:
        """What is told of the episodes that ended; for the arguments see :meth:`.EpisodeScores.of` and `Played`."""
        ended = self.rows.take_ended()
        columns = {name: _joined(ended, name) for name in ("level", "train", "return_", "success", "length")}
        start_value, mean_value, value_loss = self.scores.of(starts, ends, values, advantages)
        return Played(**columns, start_value=start_value, mean_value=mean_value, value_loss=value_loss, steps=steps)

    def _see(self, t: int) -> Tensors:
        """The rows' observations, copied into step ``t`` of the rollout."""
        seen = {}
        for name, array in self.rows.observations.items():
            seen[name] = self._seen[name][t]
            seen[name].copy_(torch.as_tensor(array))
        return seen

    def _buffer(self, kind: torch.dtype, shape: tuple[int, ...]) -> torch.Tensor:
        return torch.empty(self.num_steps, *shape, dtype=_KEPT_AS.get(kind, kind), device=self.learner.device)


class Collector(RowCollector[Rollout]):
    """Collects rollouts that go on through their episodes' ends."""

    def collect(self, num_steps: int | None = None) -> Rollout:
        """Act for so many steps, T; for as many as the longest rollout has without an argument."""
        num_steps = self.num_steps if num_steps is None else num_steps
        rows, memory = self.rows, self.memory.clone()
        steps, actions, aux, starts, train = [], [], [], [], []
        cut_memory = []
        for t in range(num_steps):
            seen = self._see(t)
            starts.append(rows.starts.copy())
            train.append(rows.train.copy())
            chosen, noted, remembered = self.learner.act(seen, self.memory)
            step = rows.step(chosen.cpu().numpy())
            if step.truncations.any():
                cut_memory.append(remembered[torch.as_tensor(step.truncations)])
            self.memory = remembered * torch.as_tensor(~rows.starts, device=remembered.device)[:, None]
            steps.append(step)
            actions.append(chosen)
            aux.append(noted)
        return Rollout(
            observations={name: buffer[:num_steps] for name, buffer in self._seen.items()},
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
        )

    def played(self, rollout: Rollout) -> Played:
        """The episodes that ended in the rollout that was just collected."""
        advantages = self.learner.advantages(rollout) if self.rows.teacher.wants & CRITICISM else None
        values = rollout.aux["values"].cpu().numpy() if advantages is not None else None
        steps = None if self.unfinished is None else self.unfinished.ended_in(rollout)
        return self._told(rollout.starts, rollout.ends, values, advantages, steps)

    def _tensors(self, observations: dict[str, np.ndarray]) -> Tensors:
        return {name: self._seen[name].new_tensor(array) for name, array in observations.items()}

    def _joined(self, parts: list[dict[str, np.ndarray]]) -> Tensors:
        if not parts:
            return {name: buffer[0, :0] for name, buffer in self._seen.items()}
        return self._tensors({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})


def _joined(ended: list[Ended], name: str) -> np.ndarray:
    kinds = {"train": np.bool_, "success": np.bool_, "return_": np.float64}
    if not ended:
        return np.empty(0, kinds.get(name, np.int64))
    return np.concatenate([getattr(part, name) for part in ended])
