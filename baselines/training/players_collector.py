"""PlayersCollector: several players act in the same rows, each in those that its proposals gave it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.baselines.policies.tensors import Tensors, rows_of
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.learner import Rollout
from procgen_bench.baselines.training.player import Player
from procgen_bench.baselines.training.rollouts import Criticism, StepCollector


class PlayersCollector(StepCollector):
    """Every player acts in its rows, with its own network and memory, and learns from these rows alone.

    Frozen players act with their policies, which see all rows and act in their own. Seats that co-players hold act
    by themselves.

    Args:
        rows: Where they act.
        players: Who acts; the first one learns.
        num_steps: Steps of the longest rollout.
    """

    def __init__(self, rows: CurriculumVectorEnv, players: Sequence[Player], num_steps: int):
        assert players[0].learner is not None  # see Trainer
        super().__init__(rows, players[0].learner, num_steps)
        self.players = players
        #: By the numbers of those who learn, float32 (N, M): what each remembers of every row.
        self.memories = {
            number: torch.zeros(rows.num_rows, player.learner.memory_width, device=self.learner.device)
            for number, player in enumerate(players)
            if player.learner is not None
        }
        self._first_memories = self.memories
        self._played: list[np.ndarray] = []
        self._noted: dict[int, list[tuple[int, torch.Tensor, Tensors]]] = {}
        self._cut: dict[int, list[torch.Tensor]] = {}
        #: What each learner learns from of the newest rollout; ``None``: not computed yet.
        self._parts: dict[int, Rollout] | None = None

    def collect(self, num_steps: int | None = None, within: int | None = None) -> Rollout:
        """The steps of all rows, without what each learner noted of its own: see :meth:`by_player`."""
        self._settle()
        self._first_memories = {number: memory.clone() for number, memory in self.memories.items()}
        self._parts = None
        self._played, self._noted = [], {number: [] for number in self.memories}
        self._cut = {number: [] for number in self.memories}
        rollout = super().collect(num_steps, within)
        played = np.bincount(np.stack(self._played).ravel() + 1, minlength=len(self.players) + 1)[1:]
        for player, steps in zip(self.players, played.tolist(), strict=True):
            player.steps += steps * self.rows.steps_per_action
        return rollout

    def act(self, t: int, seen: Tensors) -> tuple[torch.Tensor, Tensors, torch.Tensor]:
        """Everybody's actions (N, ...), of the action space's dtype, in their rows; see :meth:`.StepCollector.act`."""
        rows = self.rows
        self._settle()
        space = rows.env.action_space
        actions = np.zeros(space.shape or (), space.dtype)
        self._played.append(np.where(rows.acting, rows.player, -1))
        for number, player in enumerate(self.players):
            own = np.flatnonzero((rows.player == number) & rows.acts)
            if not len(own):
                continue
            if player.learner is None:
                shown = rows.env.observe(copy=True)
                actions[own] = np.asarray(player.policy.act(shown, rows.starts))[own]
                continue
            at = torch.as_tensor(own, device=self.learner.device)
            memory = self.memories[number]
            chosen, noted, remembered = player.learner.act(rows_of(seen, at), memory[at])
            actions[own] = chosen.cpu().numpy()
            self._noted[number].append((t, at, noted))
            self.memories[number] = memory.index_copy(0, at, remembered)
        return torch.as_tensor(actions, device=self.learner.device), {}, self.memory

    def by_player(self, rollout: Rollout) -> dict[int, Rollout]:
        """The rows that each learner played in, of which it may learn from its own steps."""
        if self._parts is not None:  # a critic's columns and the update ask for the same parts
            return self._parts
        self._settle()
        played, parts = np.stack(self._played), {}
        for number, first_memory in self._first_memories.items():
            own = played == number
            columns = np.flatnonzero(own.any(axis=0))
            if not len(columns):
                continue
            at = torch.as_tensor(columns, device=self.learner.device)
            here = (rollout.truncations & own.any(axis=0))[rollout.truncations]
            cut = torch.cat(self._cut[number]) if self._cut[number] else first_memory[:0]
            parts[number] = replace(
                rollout.of(columns),
                aux=self._aux(number, rollout, at),
                train=(rollout.train & own)[:, columns],
                memory=first_memory[at],
                last_memory=self.memories[number][at],
                cut_memory=cut[torch.as_tensor(here, device=cut.device)],
            )
        self._parts = parts
        return parts

    def criticism(self, rollout: Rollout) -> Criticism:
        """What each learner says of its own steps; 0 elsewhere, ``None``: no critic.

        The discounts are the learners' where they agree.
        """
        values, advantages, norms = (np.zeros_like(rollout.rewards) for _ in range(3))
        criticised, discounts = False, set()
        for number, part in self.by_player(rollout).items():
            learner = self.players[number].learner
            assert learner is not None  # rollouts are of those who learn
            own = learner.advantages(part)
            if own is None:
                continue
            criticised = True
            discounts.add(learner.discounts)
            played = np.stack(self._played) == number
            columns = np.flatnonzero(played.any(axis=0))
            mask = played[:, columns]
            own_norms = self.gradient_norms_of(learner, part)
            found = part.aux["values"].cpu().numpy(), own, np.nan if own_norms is None else own_norms
            for target, source in zip((values, advantages, norms), found, strict=True):
                target[:, columns] = np.where(mask, source, target[:, columns])
        if not criticised:
            return Criticism()
        return Criticism(values, advantages, discounts.pop() if len(discounts) == 1 else (), norms)

    def restart(self) -> None:
        """Begin a new episode in all rows, and remember nothing of what they were playing."""
        super().restart()
        self.memories = {number: torch.zeros_like(memory) for number, memory in self.memories.items()}

    def arrays(self) -> Arrays:
        """Arrays from which :meth:`restore` goes on."""
        self._settle()
        return super().arrays() | {f"memory_of_{n}": memory.cpu().numpy() for n, memory in self.memories.items()}

    def restore(self, arrays: Arrays) -> None:
        """Continue from what :meth:`arrays` returned, in rows that have been restored."""
        super().restore(arrays)
        self.memories = {number: self._going_on(arrays[f"memory_of_{number}"]) for number in self.memories}

    def note_cut(self, truncations: np.ndarray) -> None:
        """Keep the memories with which the last states of rows with ``truncations`` (bool (N,)) would be seen."""
        for number, memory in self.memories.items():
            self._cut[number].append(memory[torch.as_tensor(truncations, device=memory.device)])

    def _settle(self) -> None:
        """Forget what was remembered of the rows whose episode has just begun."""
        going_on = torch.as_tensor(~self.rows.starts, device=self.learner.device)[:, None]
        self.memories = {number: memory * going_on for number, memory in self.memories.items()}

    def _aux(self, number: int, rollout: Rollout, at: torch.Tensor) -> Tensors:
        """By name (T, n, ...): what the learner noted of its steps in the rows ``at``; 0 where it did not play."""
        aux: Tensors = {}
        for t, own, noted in self._noted[number]:
            for name, column in noted.items():
                shape = (*rollout.rewards.shape, *column.shape[1:])
                aux.setdefault(name, torch.zeros(shape, dtype=column.dtype, device=column.device))[t, own] = column
        return {name: column.index_select(1, at) for name, column in aux.items()}
