"""Phases of stage 1 (AlphaNPI-X, section 4 and D.1): one block's goals from drawn starts, then programs in a row."""

from abc import abstractmethod
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from procgen_bench.baselines.papers.alphanpi_x.block_learner import Phase, own_block_reached
from procgen_bench.baselines.policies.arrays import below
from procgen_bench.baselines.training.contracts import FinishedEpisodes, Proposal, Student
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.teacher import Teacher, TeacherArrays, TeacherValues
from procgen_bench.engine.saved_rows import pack_states, unpack_states
from procgen_bench.engine.saved_state import SavedState
from procgen_bench.tasks.fetch_blocks import FetchBlocksTask, FetchBlocksTaskSpace, FetchProgramTask
from procgen_bench.tasks.fetch_blocks.draws import IN_GRIPPER, UNDER_GRIPPER, StartKind, draw_goal, draw_start
from procgen_bench.tasks.programs import Program, goal_reached
from procgen_bench.tasks.programs.hand import held_block, is_let_go, stands_on_another
from procgen_bench.tasks.programs.paper import paper_library

#: Kinds of tasks: the paper's starts, those beside them, and calls of programs from fresh and from stored states.
PAPER_STARTS: tuple[StartKind, ...] = ("held", "under", "anywhere")
_TOWER = "tower"
STARTS = (*get_args(StartKind), _TOWER)
CALLS = ("stack", "move")
_CONTINUED, _ON_TOWER = "-continued", "-on-tower"
#: What the hand holds where a call goes on: nothing, a block, or one that stands on another and is to be let go there.
_HANDS = (_FREE, _HELD, _HELD_STACKED) = ("free", "held", "held-stacked")
#: Kinds of calls that go on where another ended: by what the hand holds, and whether a tower is stacked on.
CONTINUED_CALLS = tuple(f"{hand}{place}{_CONTINUED}" for hand in _HANDS for place in ("", _ON_TOWER))
#: The highest tower that a goal is on top of.
_HIGHEST_TOWER = 3
#: What is measured of an episode: whether all, the own, and the other blocks are in place, and all with the hand off.
_MEASURES = ("success", "own", "others", "released")
#: Episodes over which success is averaged, and how many of a kind there have to be for it to count.
_RECENT, _FEWEST = 100, 30
#: Success with which the own block has been mastered, and the others begin to count.
_MASTERED = 0.9
#: Stored states that are looked at for one from which a program can be called.
_STATES_TRIED = 32


@dataclass(frozen=True)
class PhaseSettings:
    """When the phases change, and what is proposed in them.

    Attributes:
        phase_1_steps: Environment steps of the first two phases; over their second half starts become random.
        added_starts: Share of starts that the paper does not draw.
        least_weight: The least weight of a kind of tasks; else it is 1 less its success.
        continued: Probability that a call begins in a stored state.
        states_kept: How many are stored.
        greedy_rows: How many rows, the first ones, act without noise: they are what success is measured on.
    """

    phase_1_steps: int
    added_starts: float
    least_weight: float
    continued: float
    states_kept: int
    greedy_rows: int


class KeepingTeacher(Teacher):
    """One that is given the states in which episodes have ended, to propose episodes that go on from there."""

    @abstractmethod
    def keep(self, states: Sequence[SavedState]) -> None:
        """States of rows that have ended, before the next episodes of these rows are proposed."""


class BlockPhasesTeacher(KeepingTeacher):
    """Proposes FetchBlocks' tasks by phase, the more of a kind the less of it is solved.

    Measures of the rows that act without noise, over the episodes whose goal was not met at the start, by kind:
    ``success`` (all blocks in their places at the end), ``own`` (the block to act on), ``others`` (all others) and
    ``released`` (success, and the hand off the block). Calls that go on where another ended count twice, as
    ``stack-continued`` or ``move-continued`` and by what the hand held, which decides how often they are proposed.

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
        self._programs = [*self._library.values()]
        atomic = [program for program in self._programs if program.is_atomic]
        #: By call the numbers of its programs.
        self._calls = {
            call: np.array([program.number for program in atomic if (program.zone is None) == (call == "stack")])
            for call in CALLS
        }
        self.phase = Phase.OWN_BLOCK
        self._states: list[SavedState] = []
        self._next = 0
        #: By level that is being played: its kinds, and whether without noise.
        self._playing: dict[int, tuple[list[str], bool]] = {}
        #: By kind what became of recent episodes, a truth for each of ``_MEASURES``.
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
            kinds, is_greedy = self._playing.pop(level)
            goal = episode.observations["desired_goal"][-1]
            achieved = episode.observations["achieved_goal"]
            if not is_greedy or self._is_met(achieved[0], goal):
                continue
            success, last = bool(goal_reached(achieved[-1], goal)), episode.observations["observation"][-1]
            outcome = [success, bool(goal_reached(achieved[-1, :3], goal[:3]))]
            outcome += [bool(goal_reached(achieved[-1, 3:], goal[3:])), success and bool(is_let_go(last, 0))]
            for kind in kinds:
                self._outcomes.setdefault(kind, deque(maxlen=_RECENT)).append(outcome)
                self._fresh.setdefault(kind, []).append(outcome)

    def learn(self, student: Student) -> dict[str, float]:
        """Measures by kind of the episodes since the last call, the phase, and how many states are stored."""
        measures = {"phase": float(self.phase), "states_kept": float(len(self._states))}
        for kind, outcomes in self._fresh.items():
            means = np.mean(outcomes, axis=0).tolist()
            measures |= {f"{name}_{kind}": mean for name, mean in zip(_MEASURES, means)}
        self._fresh = {}
        return measures

    def state(self) -> tuple[TeacherArrays, TeacherValues]:
        """Stored states as arrays, ``states.NAME``; in the values the phase, and the levels and outcomes in play."""
        arrays, values = super().state()
        values |= {"phase": int(self.phase), "next": self._next}
        values["playing"] = [[level, *about] for level, about in self._playing.items()]
        values["outcomes"] = {kind: list(outcomes) for kind, outcomes in self._outcomes.items()}
        if self._states:
            packed, values["states"] = pack_states(self._states, self._space)
            arrays |= {f"states.{name}": array for name, array in packed.items()}
        return arrays, values

    def restore(self, arrays: TeacherArrays, values: TeacherValues) -> None:
        """Go on from what :meth:`state` returned."""
        super().restore(arrays, values)
        self.phase, self._next, self._fresh = Phase(values["phase"]), values["next"], {}
        self._playing = {level: (kinds, is_greedy) for level, kinds, is_greedy in values["playing"]}
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
        return None not in known and bool(np.dot(shares, np.array(known, float)) >= _MASTERED)

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
        kinds, task, state = self._call() if self.phase == Phase.PROGRAMS else (*self._goal(step), None)
        number = self.next_number()
        self._playing[number] = kinds, is_greedy
        return Proposal(number, task, state=state)

    def _goal(self, step: int) -> tuple[list[str], FetchBlocksTask]:
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
                return [kind], task

    def _goal_task(self, kind: str, randomness: float) -> FetchBlocksTask:
        blocks, is_tower = self._space.num_blocks, kind == _TOWER
        first = int(self.rng.integers(blocks))
        tower = int(self.rng.integers(1, min(_HIGHEST_TOWER, blocks - 1) + 1)) if is_tower else 0
        start_kind: Any = None if is_tower else kind
        start = draw_start(self.rng, blocks, first, randomness, start_kind, tower)
        return FetchBlocksTask(start, first, draw_goal(self.rng, start, first, is_tower, let_go=True))

    def _call(self) -> tuple[list[str], FetchBlocksTask, SavedState | None]:
        """A program's goal from a stored state or a fresh one, and its kinds."""
        if self._states and self.rng.random() < self.configuration.continued:
            kind = self._drawn_kind(dict.fromkeys(CONTINUED_CALLS, 1.0))
            if (found := self._from_stored_state(kind)) is not None:
                return found
        call = self._drawn_kind(dict.fromkeys(CALLS, 1.0))
        return [call], self._from_fresh_state(self.rng.choice(self._calls[call])), None

    def _from_stored_state(self, kind: str) -> tuple[list[str], FetchBlocksTask, SavedState] | None:
        """A call of this kind from one of the stored states, or of another, if none is found; ``None``: none at all."""
        call = "stack" if _ON_TOWER in kind or self.rng.random() < 0.5 else "move"
        other = None
        for place in self.rng.integers(len(self._states), size=_STATES_TRIED).tolist():
            state = self._states[place]
            possible = self._possible(call, state.values["state"])
            fitting = [number for number, found in possible if found == kind]
            if fitting:
                return self._continued_call(call, kind, fitting, state)
            if possible and other is None:
                _, other_kind = possible[self.rng.integers(len(possible))]
                other = other_kind, [number for number, found in possible if found == other_kind], state
        return None if other is None else self._continued_call(call, *other)

    def _possible(self, call: str, numbers: np.ndarray) -> list[tuple[int, str]]:
        """The stacks, or moves, that can be called in a state and have something to do, by number, and their kinds."""
        programs = self._calls[call]
        goals = self._library.goals(numbers, programs)
        suits = self._library.preconditions(numbers, programs) & ~self._library.postconditions(numbers, goals, programs)
        possible = programs[suits].tolist()
        return [(number, continued_kind(numbers, self._programs[number])) for number in possible]

    def _continued_call(
        self, call: str, kind: str, numbers: list[int], state: SavedState
    ) -> tuple[list[str], FetchBlocksTask, SavedState]:
        program = self._programs[self.rng.choice(numbers)]
        goal = program.goal(state.values["state"])
        task = replace(state.task, first=program.blocks[0], goal=goal.reshape(-1, 3))
        return [kind, call + _CONTINUED], task, state

    def _from_fresh_state(self, number: int) -> FetchBlocksTask:
        blocks, program = self._space.num_blocks, self._programs[number]
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


def continued_kind(state: np.ndarray, program: Program) -> str:
    """The kind, of ``CONTINUED_CALLS``, of an atomic program's call that begins in a state (15 N + 10,)."""
    held = held_block(state)
    hand = _FREE if held is None else _HELD_STACKED if stands_on_another(state, held) else _HELD
    on_tower = program.zone is None and stands_on_another(state, program.blocks[1])
    return f"{hand}{_ON_TOWER if on_tower else ''}{_CONTINUED}"


class ContinuingRows(CurriculumVectorEnv):
    """Rows whose last states a :class:`KeepingTeacher` is given, for later episodes to begin from.

    Attributes:
        num_kept: Of how many rows, the first ones.
    """

    def __init__(self, *arguments: Any, num_kept: int, **options: Any):
        super().__init__(*arguments, **options)
        self.num_kept = num_kept

    def propose(self, rows: np.ndarray) -> Sequence[Proposal]:
        """What these rows are to play, after the states that they are in are stored."""
        teacher = self.teacher.unwrapped
        if self._begun and isinstance(teacher, KeepingTeacher):
            teacher.keep(self.env.save_states(rows[rows < self.num_kept].tolist()))
        return super().propose(rows)
