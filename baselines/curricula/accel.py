"""ACCEL: robust prioritised level replay in which replayed levels have children.

Method: Parker-Holder et al. 2022, "Evolving Curricula with Regret-Based Environment Design". Settings: its authors' for
mazes (facebookresearch/dcd, train_scripts/grid_configs/minigrid/60_blocks_uniform/mg_60b_uni_accel_empty.json). What
differs:

- There 4 of the 32 replayed levels have 8 children each (``base_levels: easy``); here levels end one by one,
  and each has one child, which is that code's default (``batch``) and the rule of minimax and jaxued.
- There new levels are empty rooms, here draws from the task space; designs start empty, too, with ``from_empty=true``.
- A mutant that may not be proposed is mutated again, up to ten times.

With ``trials``, levels and student co-evolve as worlds and agent do in Open-Ended Learning Team 2021, "Open-Ended
Learning Leads to Generally Capable Agents", appendix A.1.1 (world-agent co-evolution): the student plays every child so
many episodes, which are charged, after an update, as it is evaluated; the child is kept if at least one of them
succeeds, and fewer than half. A kept level is dropped when its newest ``trials`` episodes of training no longer fulfil
this. What differs from there:

- There are 100 episodes, and a child is made at regular intervals; here after a share ``children`` of the replays.
- There the first level is an open room, and all others are children. Here levels are drawn (open rooms with
  ``levels=max_level:0`` in XLand), and kept by their scores without a trial, until the first children are tried, and
  whenever no level is left.
- Kept levels are replayed by their scores; a child's is at first the highest of the kept ones.
"""

from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from procgen_bench.baselines.curricula.kept_levels import level_arrays, levels_of
from procgen_bench.baselines.curricula.level_buffer import Candidate
from procgen_bench.baselines.curricula.plr import PLRConfiguration, PLRTeacher
from procgen_bench.baselines.curricula.stages import level_source_of
from procgen_bench.baselines.curricula.trials import play_trial
from procgen_bench.baselines.training.contracts import FinishedEpisodes, Proposal, Student
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.settings import AMOUNT, COUNT, SHARE, option
from procgen_bench.baselines.training.teacher import TeacherArrays, TeacherValues
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.task import Task

_MOST_PARENTS = 16_384
#: Mutants of a parent that may be refused, one after the other, before it stays without a child.
_TRIES = 10
#: Fewest trials of which one is fewer than half.
_FEWEST_TRIALS = 3


@dataclass(frozen=True)
class ACCELConfiguration(PLRConfiguration):
    """The published settings for mazes, but for the parents (see the module)."""

    replay_probability: float = option(
        0.8, "share of the episodes, children apart, that replay a kept level; at most the share that is filled", SHARE
    )
    robust: bool = option(True, "whether new levels, and children, are played without a gradient")
    edits: int = option(5, "mutations between a level and its child", COUNT)
    children: float = option(1.0, "probability that a replayed level has a child", SHARE)
    trials: int = option(
        0,
        "episodes for which a child is tried: it is kept if any succeed, but fewer than half, and kept levels are "
        "dropped by as many of training; 0: children are kept by their scores",
        AMOUNT,
    )
    levels: str = option(
        "",
        "options of the task space by which levels are drawn and mutated, as max_level:0+mutation:0.5 in XLand; empty: "
        "its own",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if 0 < self.trials < _FEWEST_TRIALS:
            raise InvalidOptionError(
                f"trials is {self.trials!r}, expected 0, or at least {_FEWEST_TRIALS}: a child is kept if fewer than "
                "half of them succeed, but one at least"
            )


class ACCELTeacher(PLRTeacher):
    """Proposes, besides robust PLR's levels, a child of every replayed level, kept if its score is high enough.

    With ``trials`` children are not proposed, but tried, and kept if they succeed sometimes.
    """

    def __init__(self, levels: LevelSource, rng: np.random.Generator, configuration: Any):
        super().__init__(level_source_of(levels, configuration.levels, "levels"), rng, configuration)
        self._parents: deque[Task] = deque(maxlen=_MOST_PARENTS)
        #: Whether each of the newest episodes of training succeeded, by the numbers of the kept levels.
        self._successes: dict[int, deque[bool]] = {}
        self._tried = self._admitted = 0

    def propose(self, rows: np.ndarray, step: int) -> list[Proposal]:
        """The children of what was replayed first, unless these are tried."""
        children: list[Task] = []
        while self._parents and len(children) < len(rows) and not self.configuration.trials:
            child = self._child(self._parents.popleft())
            if child is not None:
                children.append(child)
        return self._try(children) + super().propose(rows[len(children) :], step)

    def observe(self, played: FinishedEpisodes) -> None:
        """Levels whose replay has ended become parents, but for those that are dropped."""
        if self.configuration.trials:
            self._drop(played.of(played.train))
        slots = map(self.buffer.slot, played.level[played.train].tolist())
        replayed = [self.buffer.level(slot)[1] for slot in slots if slot is not None]
        fertile = self.rng.random(len(replayed)) < self.configuration.children
        self._parents += [task for task, bears in zip(replayed, fertile, strict=True) if bears]
        super().observe(played)

    def learn(self, student: Student) -> dict[str, float]:
        """With trials: try the children, and measure which share of them was kept so far."""
        if not self.configuration.trials:
            return super().learn(student)
        self._try_children(student)
        return super().learn(student) | {"children_kept": self._admitted / max(1, self._tried)}

    def _are_replays(self, count: int) -> np.ndarray:
        """With trials: all, once children were tried, while a level is left."""
        if not self._tried:
            return super()._are_replays(count)
        return np.full(count, len(self.buffer) > 0)

    def is_worth_it(self, success: float) -> bool:
        """Whether a level is neither too hard nor too easy, of whose episodes this share succeeded."""
        return 0 < success < 0.5

    def state(self) -> tuple[TeacherArrays, TeacherValues]:
        """With the parents whose children are still to be played, and what is known of the kept levels."""
        arrays, values = super().state()
        own = {
            "successes": [[number, list(newest)] for number, newest in self._successes.items()],
            "tried": self._tried,
            "admitted": self._admitted,
        }
        return arrays | level_arrays(self.levels.task_space, self._parents, "parent"), values | own

    def restore(self, arrays: TeacherArrays, values: TeacherValues) -> None:
        """Continue from what :meth:`state` returned."""
        super().restore(arrays, values)
        self._parents = deque(levels_of(self.levels.task_space, arrays, "parent"), maxlen=_MOST_PARENTS)
        length = self.configuration.trials
        self._successes = {number: deque(newest, maxlen=length) for number, newest in values["successes"]}
        self._tried, self._admitted = values["tried"], values["admitted"]

    def _try_children(self, student: Student) -> None:
        """Try a new child of every parent; at the end of a run steps are short for some, which are not kept."""
        born = dict.fromkeys(child for child in map(self._child, self._parents) if child is not None)
        children = [child for child in born if not self.buffer.holds(child)]
        self._parents.clear()
        if not children:
            return
        trial = play_trial(children, self.configuration.trials, student)
        played = np.flatnonzero(trial.episodes == self.configuration.trials).tolist()
        passed = [place for place in played if self.is_worth_it(trial.success[place])]
        score = float(self.buffer.scores[: len(self.buffer)].max(initial=0.0))
        for place in passed:
            max_return = float(trial.max_return[place])
            self.buffer.admit(Candidate(self.next_number(), children[place], score, max_return))
        self._tried += len(played)
        self._admitted += len(passed)

    def _drop(self, trained: FinishedEpisodes) -> None:
        """Drop the kept levels that are too hard or too easy by their newest episodes, these among them."""
        for number, success in zip(trained.level.tolist(), trained.success.tolist(), strict=True):
            slot = self.buffer.slot(number)
            if slot is None:
                continue
            newest = self._successes.setdefault(number, deque(maxlen=self.configuration.trials))
            newest.append(success)
            if len(newest) == self.configuration.trials and not self.is_worth_it(float(np.mean(newest))):
                self.buffer.remove(slot)
        # Not those either that have given way to others.
        self._successes = {
            number: newest for number, newest in self._successes.items() if self.buffer.slot(number) is not None
        }

    def _child(self, parent: Task) -> Task | None:
        mutants = (self.levels.mutate(parent, self.rng, self.configuration.edits) for _ in range(_TRIES))
        return next((mutant for mutant in mutants if mutant is not None), None)
