"""Phases of stage 1 (AlphaNPI-X, section 4 and D.1): one block's goals from drawn starts, then programs in a row."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from procgen_bench.baselines.parts.block_learner import Phase, own_block_reached
from procgen_bench.baselines.policies.arrays import below
from procgen_bench.baselines.training.contracts import (
    FinishedEpisodes,
    Proposal,
    Student,
    Teacher,
    TeacherArrays,
    TeacherValues,
)
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.engine.saved_rows import pack_states, unpack_states
from procgen_bench.engine.saved_state import SavedState
from procgen_bench.tasks.fetch_blocks import FetchBlocksTask, FetchBlocksTaskSpace, FetchProgramTask
from procgen_bench.tasks.fetch_blocks.draws import IN_GRIPPER, UNDER_GRIPPER, StartKind, draw_goal, draw_start
from procgen_bench.tasks.programs import Program, goal_reached
from procgen_bench.tasks.programs.paper import paper_library
from procgen_bench.tasks.programs.states import RELATIVE_POSITION, split

#: Kinds of tasks: the paper's starts, those beside them, and calls of programs from fresh and from stored states.
PAPER_STARTS: tuple[StartKind, ...] = ("held", "under", "anywhere")
_TOWER = "tower"
STARTS = (*get_args(StartKind), _TOWER)
CALLS = ("stack", "move")
#: A stack on the block that the gripper still holds, as in towers: it is to be let go where it stands.
_ON_HELD = "on-held"
_CONTINUED = "-continued"
#: Metres between the gripper and what it holds, at most.
_HELD_WITHIN = 0.03
#: The highest tower that a goal is on top of.
_HIGHEST_TOWER = 3
#: Episodes over which success is averaged, and how many of a kind there have to be for it to count.
_RECENT, _FEWEST = 100, 30
#: Stored states that are looked at for one from which a program can be called.
_STATES_TRIED = 32


@dataclass(frozen=True)
class PhaseSettings:
    """When the phases change, and what is proposed in them.

    Attributes:
        phase_1_steps: Environment steps of the first two phases; over their second half starts become random.
        mastered: Success with which the own block has been mastered; half of these steps is the latest.
        added_starts: Share of starts that the paper does not draw.
        least_weight: The least weight of a kind of tasks; else it is 1 less its success.
        continued: Probability that a call begins in a stored state.
        states_kept: How many are stored.
        greedy_rows: How many rows, the first ones, act without noise: they are what success is measured on.
    """

    phase_1_steps: int
    mastered: float
    added_starts: float
    least_weight: float
    continued: float
    states_kept: int
    greedy_rows: int


class BlockPhasesTeacher(Teacher):
    """Proposes FetchBlocks' tasks by phase, the more of a kind the less of it is solved.

    Measures of the rows that act without noise, over the episodes whose goal was not met at the start, by kind:
    ``success`` (all blocks in their places at the end), ``own`` (the block to act on) and ``others`` (all others).

    Args:
        levels: Of FetchBlocks.
        rng: The teacher's randomness.
        configuration: Its settings.

    Attributes:
        phase: What is being learned.
    """

    required_columns = frozenset({"steps"})

    def __init__(self, levels: LevelSource, rng: np.random.Generator, configuration: PhaseSettings):
        super().__init__(levels, rng, configuration)
        assert isinstance(levels.task_space, FetchBlocksTaskSpace)  # as of the only environment
        self._space = levels.task_space
        self._library = paper_library(self._space.num_blocks)
        self.phase = Phase.OWN_BLOCK
        self._states: list[SavedState] = []
        self._next = 0
        #: By level that is being played: its kind, and whether without noise.
        self._playing: dict[int, tuple[str, bool]] = {}
        #: By kind whether all, the own, and the other blocks were in their places, of recent episodes.
        self._outcomes: dict[str, deque[list[bool]]] = {}
        self._fresh: dict[str, list[list[bool]]] = {}

    def keep(self, states: Sequence[SavedState]) -> None:
        """Store states in which episodes have ended, with all their steps before them; the newest are kept."""
        if self.phase < Phase.PROGRAMS:
            return
        for state in (replace(ended, elapsed=0, ended=False) for ended in states):
            if len(self._states) < self.configuration.states_kept:
                self._states.append(state)
            else:
                self._states[self._next] = state
            self._next = (self._next + 1) % self.configuration.states_kept

    def propose(self, rows: np.ndarray, step: int) -> list[Proposal]:
        """A task of some kind per row."""
        self._change_phase(step)
        return [self._proposal(row < self.configuration.greedy_rows, step) for row in rows.tolist()]

    def observe(self, played: FinishedEpisodes) -> None:
        """Note what rows without noise have brought about."""
        assert played.steps is not None  # as required above
        for level, episode in zip(played.level.tolist(), played.steps):
            kind, is_greedy = self._playing.pop(level)
            goal = episode.observations["desired_goal"][-1]
            achieved = episode.observations["achieved_goal"]
            if not is_greedy or self._is_met(achieved[0], goal):
                continue
            outcome = [bool(goal_reached(achieved[-1], goal)), bool(goal_reached(achieved[-1, :3], goal[:3]))]
            outcome.append(bool(goal_reached(achieved[-1, 3:], goal[3:])))
            self._outcomes.setdefault(kind, deque(maxlen=_RECENT)).append(outcome)
            self._fresh.setdefault(kind, []).append(outcome)

    def learn(self, student: Student) -> dict[str, float]:
        """Measures by kind of the episodes since the last call, the phase, and how many states are stored."""
        measures = {"phase": float(self.phase), "states_kept": float(len(self._states))}
        for kind, outcomes in self._fresh.items():
            means = np.mean(outcomes, axis=0).tolist()
            measures |= {f"{name}_{kind}": mean for name, mean in zip(("success", "own", "others"), means)}
        self._fresh = {}
        return measures

    def state(self) -> tuple[TeacherArrays, TeacherValues]:
        """And the phase, the stored states, and what is being played."""
        arrays, values = super().state()
        values |= {"phase": int(self.phase), "next": self._next}
        values["playing"] = [[level, *kind] for level, kind in self._playing.items()]
        values["outcomes"] = {kind: list(outcomes) for kind, outcomes in self._outcomes.items()}
        if self._states:
            packed, values["states"] = pack_states(self._states, self._space)
            arrays |= {f"states.{name}": array for name, array in packed.items()}
        return arrays, values

    def restore(self, arrays: TeacherArrays, values: TeacherValues) -> None:
        """Go on from what :meth:`state` returned."""
        super().restore(arrays, values)
        self.phase, self._next, self._fresh = Phase(values["phase"]), values["next"], {}
        self._playing = {level: (kind, is_greedy) for level, kind, is_greedy in values["playing"]}
        self._outcomes = {kind: deque(outcomes, _RECENT) for kind, outcomes in values["outcomes"].items()}
        stored = values.get("states")
        self._states = [] if stored is None else unpack_states(below(arrays, "states"), stored, self._space)

    def _is_met(self, achieved: np.ndarray, goal: np.ndarray) -> bool:
        if self.phase == Phase.OWN_BLOCK:
            return bool(own_block_reached(achieved[np.newaxis], goal[np.newaxis])[0])
        return bool(goal_reached(achieved, goal))

    def _change_phase(self, step: int) -> None:
        settings = self.configuration
        if step >= settings.phase_1_steps:
            self.phase = Phase.PROGRAMS
        elif self.phase == Phase.OWN_BLOCK and (self._has_mastered() or 2 * step >= settings.phase_1_steps):
            self.phase = Phase.ALL_BLOCKS
            self._outcomes.clear()  # they were those of the own block

    def _has_mastered(self) -> bool:
        known = [self._success(kind) for kind in PAPER_STARTS]
        shares = (IN_GRIPPER, UNDER_GRIPPER, 1 - IN_GRIPPER - UNDER_GRIPPER)
        return None not in known and bool(np.dot(shares, np.array(known, float)) >= self.configuration.mastered)

    def _success(self, kind: str) -> float | None:
        """Recent success at a kind, of what is rewarded in the phase; ``None``: too few episodes tell."""
        outcomes = self._outcomes.get(kind, ())
        if len(outcomes) < _FEWEST:
            return None
        return float(np.mean([outcome[self.phase == Phase.OWN_BLOCK] for outcome in outcomes]))

    def _drawn_kind(self, probabilities: dict[str, float]) -> str:
        """One of the kinds by their probabilities, times 1 less their success."""
        weights = []
        for kind, probability in probabilities.items():
            success = self._success(kind)
            weights.append(probability * max(1 - (success or 0.0), self.configuration.least_weight))
        return str(self.rng.choice(list(probabilities), p=np.array(weights) / np.sum(weights)))

    def _proposal(self, is_greedy: bool, step: int) -> Proposal:
        kind, task, state = self._call() if self.phase == Phase.PROGRAMS else (*self._goal(step), None)
        number = self.next_number()
        self._playing[number] = kind, is_greedy
        return Proposal(number, task, state=state)

    def _goal(self, step: int) -> tuple[str, FetchBlocksTask]:
        """A goal for one block, and its kind."""
        randomness = min(max(2 * step / self.configuration.phase_1_steps - 1, 0.0), 1.0)
        held, under = IN_GRIPPER * (1 - randomness), UNDER_GRIPPER * (1 - randomness)
        added = self.configuration.added_starts
        probabilities = dict(zip(PAPER_STARTS, (1 - added) * np.array([held, under, 1 - held - under])))
        probabilities |= {"other-held": added / 4, "beside-held": added / 4, _TOWER: added / 2}
        kind = self._drawn_kind(probabilities)
        while True:
            task = self._goal_task(kind, randomness)
            if self.levels.admits(task):
                return kind, task

    def _goal_task(self, kind: str, randomness: float) -> FetchBlocksTask:
        blocks, is_tower = self._space.num_blocks, kind == _TOWER
        first = int(self.rng.integers(blocks))
        tower = int(self.rng.integers(1, min(_HIGHEST_TOWER, blocks - 1) + 1)) if is_tower else 0
        start_kind: Any = None if is_tower else kind
        start = draw_start(self.rng, blocks, first, randomness, start_kind, tower)
        return FetchBlocksTask(start, first, draw_goal(self.rng, start, first, is_tower, let_go=True))

    def _call(self) -> tuple[str, FetchBlocksTask, SavedState | None]:
        """A program's goal from a stored state or a fresh one, and its kind."""
        is_continued = bool(self._states) and self.rng.random() < self.configuration.continued
        kinds = (*CALLS, _ON_HELD) if is_continued else CALLS
        suffix = _CONTINUED if is_continued else ""
        kind = self._drawn_kind({f"{name}{suffix}": 1.0 for name in kinds}).removesuffix(suffix)
        programs = [one for one in self._library.values() if one.is_atomic and (one.zone is None) == (kind != "move")]
        program = programs[self.rng.integers(len(programs))]
        found = None
        if kind == _ON_HELD and (found := self._on_held(programs)) is None:
            kind = "stack"
        if is_continued and found is None:
            found = self._from_stored_state(program)
        if found is not None:
            return kind + suffix, *found
        return kind, self._from_fresh_state(program), None

    def _from_stored_state(self, program: Program) -> tuple[FetchBlocksTask, SavedState] | None:
        """One of the stored states in which the program can be called and has something to do, if one is found."""
        for state in self._picked_states():
            if (task := self._continued_task(program, state)) is not None:
                return task, state
        return None

    def _on_held(self, stacks: Sequence[Program]) -> tuple[FetchBlocksTask, SavedState] | None:
        """One of the stored states in which a block is held, and a call that stacks another on it, if one is found."""
        for state in self._picked_states():
            blocks, _ = split(state.values["state"])
            distances = np.linalg.norm(blocks[:, RELATIVE_POSITION], axis=1)
            held = int(distances.argmin())
            if distances[held] > _HELD_WITHIN:
                continue
            on_it = [program for program in stacks if program.blocks[1] == held]
            task = self._continued_task(on_it[self.rng.integers(len(on_it))], state)
            if task is not None:
                return task, state
        return None

    def _picked_states(self) -> list[SavedState]:
        return [self._states[place] for place in self.rng.integers(len(self._states), size=_STATES_TRIED).tolist()]

    @staticmethod
    def _continued_task(program: Program, state: SavedState) -> FetchBlocksTask | None:
        """The call as a task; ``None``: it cannot be made, or has nothing to do."""
        numbers = state.values["state"]
        goal = program.goal(numbers)
        if not program.precondition(numbers) or program.postcondition(numbers, goal):
            return None
        return replace(state.task, first=program.blocks[0], goal=goal.reshape(-1, 3))

    def _from_fresh_state(self, program: Program) -> FetchBlocksTask:
        blocks = self._space.num_blocks
        while True:
            tower = 0
            if self.rng.random() < self.configuration.added_starts:
                tower = int(self.rng.integers(1, min(_HIGHEST_TOWER, blocks - 1) + 1))
            start = draw_start(self.rng, blocks, program.blocks[0], randomness=1.0, tower=tower)
            state = FetchProgramTask(start, program.name).state
            goal = program.goal(state)
            if not program.precondition(state) or program.postcondition(state, goal):
                continue
            task = FetchBlocksTask(start, program.blocks[0], goal.reshape(-1, 3))
            if self.levels.admits(task):
                return task


class ContinuingRows(CurriculumVectorEnv):
    """Rows whose last states are stored, for later episodes to begin from.

    Attributes:
        keep: What is given the states in which episodes have ended, before the next ones are proposed.
        num_kept: Of how many rows, the first ones.
    """

    def __init__(self, *arguments: Any, keep: Callable[[Sequence[SavedState]], None], num_kept: int, **options: Any):
        super().__init__(*arguments, **options)
        self.keep, self.num_kept = keep, num_kept

    def propose(self, rows: np.ndarray) -> Sequence[Proposal]:
        """What these rows are to play, after the states that they are in are stored."""
        if self._begun:
            self.keep(self.env.save_states(rows[rows < self.num_kept].tolist()))
        return super().propose(rows)
