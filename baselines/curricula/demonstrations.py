"""Demonstrations: episodes that begin in the middle of what the family's expert does, shortly before it succeeds.

Ours; after Salimans and Chen 2018, "Learning Montezuma's Revenge from a Single Demonstration". What is hard to find by
chance is close where an expert is about to do it: a player in XLand that holds the object which its goal names. The
expert is the solver of the environment's tasks, which sees and plans what a student may not, so runs under this teacher
are helped from outside; its steps are not counted.
"""

from collections import deque
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np

from procgen_bench.baselines.curricula.ladder import check_solver
from procgen_bench.baselines.curricula.stages import level_source_of
from procgen_bench.baselines.policies.arrays import below
from procgen_bench.baselines.training.contracts import Proposal, Student
from procgen_bench.baselines.training.evaluation import make_task_vector_env
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.settings import COUNT, SHARE, option
from procgen_bench.baselines.training.teacher import Teacher, TeacherArrays, TeacherValues
from procgen_bench.core.errors import InvalidOptionError, UnsolvedTaskError
from procgen_bench.core.success import counted_success
from procgen_bench.core.task import Task
from procgen_bench.engine.saved_rows import pack_states, unpack_states
from procgen_bench.engine.saved_state import SavedState
from procgen_bench.engine.task_env import LEARNER
from procgen_bench.engine.task_vector_env import TaskVectorEnv


@dataclass(frozen=True)
class DemonstrationsConfiguration:
    """Settings of ours."""

    share: float = option(
        0.6, "share of the proposals that begins in a demonstration; the others are plain levels", SHARE
    )
    demonstrated: int = option(8, "levels that the expert is shown after every update of the student", COUNT)
    states: int = option(4, "states kept of each that it solves", COUNT)
    pool: int = option(1_000, "newest states that are kept", COUNT)
    levels: str = option(
        "", "what demonstrated levels are, as a stage of the teacher stages, skill:carry say; empty: plain levels"
    )
    targets: bool = option(
        False, "whether demonstrated levels are the benchmark's own, or like them, as those of the teacher targets"
    )


class DemonstrationsTeacher(Teacher):
    """Proposes states of demonstrations, of any distance from their success, short ones as often as long ones.

    Distances are even in their logarithm: half of them are at most the root of the solution's length. It measures how
    many states are kept, and the share of the levels shown so far that the expert solved.

    Raises:
        NoSolverError: The environment's tasks have no solver.
        InvalidOptionError: The task space has no such levels, or levels are named and targets are asked for.
        UndrawnTasksError: Targets are asked for, and nothing draws any.
    """

    def __init__(self, levels: LevelSource, rng: np.random.Generator, configuration: Any):
        super().__init__(levels, rng, configuration)
        check_solver(levels, "demonstrations")
        if configuration.targets:
            levels.check_targets("teacher 'demonstrations' with targets=true")
            if configuration.levels:
                raise InvalidOptionError(
                    f"targets is true and levels is {configuration.levels!r}, expected one of both"
                )
        self._shown = level_source_of(levels, configuration.levels, "levels")
        self._states: deque[SavedState] = deque(maxlen=configuration.pool)
        self._counts = np.zeros(2, np.int64)

    def propose(self, rows: np.ndarray, step: int) -> list[Proposal]:
        """A state for some of the rows, a plain level for the others, and for all before the first update."""
        begin_later = self.rng.random(len(rows)) < (self.configuration.share if self._states else 0.0)
        plain = iter(self.levels.draw_plain(self.rng, int((~begin_later).sum())))
        return [self._from_a_state() if later else Proposal(self.next_number(), next(plain)) for later in begin_later]

    def learn(self, student: Student) -> dict[str, float]:
        """Let the expert play new levels, and keep states of those that it solves."""
        environment_id = self.levels.benchmark.environment_id
        with closing(make_task_vector_env(environment_id, 1, self.row_options)) as env:
            assert isinstance(env, TaskVectorEnv)  # as that of the student's rows
            for task in self._drawn():
                before = self._demonstrated(env, task)
                self._counts += 1, bool(before)
                for _ in range(self.configuration.states if before else 0):
                    distance = int(np.exp(self.rng.uniform(0.0, np.log(len(before) + 1))))
                    self._states.append(before[len(before) - distance])
        shown, solved = self._counts.tolist()
        return {"states_kept": float(len(self._states)), "demonstrations_solved": solved / shown}

    def state(self) -> tuple[TeacherArrays, TeacherValues]:
        """With the states that are kept."""
        arrays, values = super().state()
        values["states"] = None
        if self._states:
            packed, values["states"] = pack_states(list(self._states), self.levels.task_space)
            arrays |= {f"states.{name}": array for name, array in packed.items()}
        return arrays | {"counts": self._counts}, values

    def restore(self, arrays: TeacherArrays, values: TeacherValues) -> None:
        """Go on from what :meth:`state` returned."""
        super().restore(arrays, values)
        self._states.clear()
        if values["states"] is not None:
            self._states.extend(unpack_states(below(arrays, "states"), values["states"], self.levels.task_space))
        self._counts = np.array(arrays["counts"])

    def _drawn(self) -> Sequence[Task]:
        """The levels that are demonstrated next."""
        count = self.configuration.demonstrated
        if self.configuration.targets:
            return [self.levels.draw_target(self.rng) for _ in range(count)]
        return self._shown.draw_plain(self.rng, count)

    def _from_a_state(self) -> Proposal:
        state = self._states[int(self.rng.integers(len(self._states)))]
        return Proposal(self.next_number(), state.task, state=state)

    def _demonstrated(self, env: TaskVectorEnv, task: Task) -> Sequence[SavedState]:
        """The states before each action of the expert up to its success; none where it does not succeed.

        In the other seats are those that learners may meet, drawn: the expert's plan holds among them, too, or the
        level is left out.
        """
        try:
            actions = self.levels.task_space.solve(task)
        except UnsolvedTaskError:
            return []
        rows, given = env.num_envs, np.zeros(env.action_space.shape or (), env.action_space.dtype)
        options: dict[str, Any] = {"task": [task] * rows}
        others = [name for name in env.single.training_co_players if name != LEARNER]
        if others:
            options["co_players"] = [(str(self.rng.choice(others)),) * env.single.num_co_players(task)] * rows
        seeds: Any = [0] * rows  # of every row, which Gymnasium's annotation leaves out
        env.reset(seed=seeds, options=options)
        states: list[SavedState] = []
        for action in () if actions is None else actions:
            states += env.save_states([0])
            given[0] = action
            _, _, terminations, truncations, infos = env.step(given)
            if counted_success(infos)[0]:
                return states
            if terminations[0] or truncations[0]:
                break
        return []
