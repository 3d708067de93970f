"""ACCEL: robust prioritised level replay in which replayed levels have children.

Method: Parker-Holder et al. 2022, "Evolving Curricula with Regret-Based Environment Design". Settings: its authors' for
mazes (facebookresearch/dcd, train_scripts/grid_configs/minigrid/60_blocks_uniform/mg_60b_uni_accel_empty.json). What
differs:

- There 4 of the 32 replayed levels have 8 children each (``base_levels: easy``); here levels end one by one,
  and each has one child, which is that code's default (``batch``) and the rule of minimax and jaxued.
- There new levels are empty rooms, here draws from the task space; designs start empty, too, with ``from_empty=true``.
- A mutant that may not be proposed is mutated again, up to ten times.
"""

from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from procgen_bench.baselines.curricula.kept_levels import level_arrays, levels_of
from procgen_bench.baselines.curricula.plr import PLRConfiguration, RobustPLRTeacher
from procgen_bench.baselines.training.contracts import FinishedEpisodes, Proposal, TeacherArrays, TeacherValues
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.settings import COUNT, SHARE, option
from procgen_bench.core.task import Task

_MOST_PARENTS = 16_384
#: Mutants of a parent that may be refused, one after the other, before it stays without a child.
_TRIES = 10


@dataclass(frozen=True)
class ACCELConfiguration(PLRConfiguration):
    """The published settings for mazes, but for the parents (see the module)."""

    replay_probability: float = option(
        0.8, "share of the episodes, children apart, that replay a kept level; at most the share that is filled", SHARE
    )
    edits: int = option(5, "mutations between a level and its child", COUNT)
    children: float = option(1.0, "probability that a replayed level has a child", SHARE)


class ACCELTeacher(RobustPLRTeacher):
    """Proposes, besides robust PLR's levels, a child of every replayed level, kept if its score is high enough."""

    def __init__(self, levels: LevelSource, rng: np.random.Generator, configuration: Any):
        super().__init__(levels, rng, configuration)
        self._parents: deque[Task] = deque(maxlen=_MOST_PARENTS)

    def propose(self, rows: np.ndarray, step: int) -> list[Proposal]:
        """The children of what was replayed first."""
        children: list[Task] = []
        while self._parents and len(children) < len(rows):
            child = self._child(self._parents.popleft())
            if child is not None:
                children.append(child)
        return self._try(children) + super().propose(rows[len(children) :], step)

    def observe(self, played: FinishedEpisodes) -> None:
        """Levels whose replay has ended become parents."""
        slots = map(self.buffer.slot, played.level[played.train].tolist())
        replayed = [self.buffer.level(slot)[1] for slot in slots if slot is not None]
        fertile = self.rng.random(len(replayed)) < self.configuration.children
        self._parents += [task for task, bears in zip(replayed, fertile, strict=True) if bears]
        super().observe(played)

    def state(self) -> tuple[TeacherArrays, TeacherValues]:
        """With the parents whose children are still to be played."""
        arrays, values = super().state()
        return arrays | level_arrays(self.levels.task_space, self._parents, "parent"), values

    def restore(self, arrays: TeacherArrays, values: TeacherValues) -> None:
        """Continue from what :meth:`state` returned."""
        super().restore(arrays, values)
        self._parents = deque(levels_of(self.levels.task_space, arrays, "parent"), maxlen=_MOST_PARENTS)

    def _child(self, parent: Task) -> Task | None:
        mutants = (self.levels.mutate(parent, self.rng, self.configuration.edits) for _ in range(_TRIES))
        return next((mutant for mutant in mutants if mutant is not None), None)
