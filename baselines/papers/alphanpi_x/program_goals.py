"""Goals of programs that call others, for a policy without programs: AlphaNPI-X's multitask rivals (section 5)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from procgen_bench.baselines.papers.alphanpi_x.block_phases import KeepingTeacher
from procgen_bench.baselines.papers.alphanpi_x.programs.composed_goals import composed_goal
from procgen_bench.baselines.training.contracts import Proposal
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.teacher import TeacherArrays, TeacherValues
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.engine.saved_state import SavedState
from procgen_bench.tasks.fetch_blocks import FetchBlocksTask, FetchBlocksTaskSpace
from procgen_bench.tasks.fetch_blocks.program_draws import draw_program_task
from procgen_bench.tasks.programs import PROGRAMS
from procgen_bench.tasks.programs.states import NUM_BLOCKS


class ProgramGoalsTeacher(KeepingTeacher):
    """Draws a program that calls others, and has its goal pursued for as many episodes as it takes atomic calls.

    The episodes of a goal go on where the ones before ended, so that together they have the program's horizon. Block 0
    comes first in all of them: no block is the one to act on.

    Args:
        levels: Of FetchBlocks with four blocks.
        rng: The teacher's randomness.
        configuration: Nothing that it looks at.

    Raises:
        InvalidOptionError: There are more or fewer blocks.
    """

    def __init__(self, levels: LevelSource, rng: np.random.Generator, configuration: Any = None):
        super().__init__(levels, rng, configuration)
        assert isinstance(levels.task_space, FetchBlocksTaskSpace)  # as of the only environment
        if levels.task_space.num_blocks != NUM_BLOCKS:
            raise InvalidOptionError(
                f"the benchmark has {levels.task_space.num_blocks} blocks, expected {NUM_BLOCKS}: programs that call "
                "others are planned for so many"
            )
        self._composed = [program for program in PROGRAMS.values() if not program.is_atomic]
        #: By row, how many more episodes its goal is pursued for.
        self._left: dict[int, int] = {}
        self._ended: Sequence[SavedState] = ()

    def keep(self, states: Sequence[SavedState]) -> None:
        """Where the rows have ended that :meth:`propose` is asked for next, in their order."""
        self._ended = states

    def propose(self, rows: np.ndarray, step: int) -> list[Proposal]:
        """The same goal again, from where the row is, or that of a new program."""
        ended: Sequence[SavedState | None] = self._ended or (None,) * len(rows)
        self._ended = ()
        return [self._proposal(row, state) for row, state in zip(rows.tolist(), ended, strict=True)]

    def state(self) -> tuple[TeacherArrays, TeacherValues]:
        """And how long goals are still pursued."""
        arrays, values = super().state()
        return arrays, values | {"left": list(self._left.items())}

    def restore(self, arrays: TeacherArrays, values: TeacherValues) -> None:
        """Go on from what :meth:`state` returned."""
        super().restore(arrays, values)
        self._left = dict(values["left"])

    def _proposal(self, row: int, ended: SavedState | None) -> Proposal:
        if ended is not None and self._left.get(row, 0):
            self._left[row] -= 1
            return Proposal(self.next_number(), ended.task, state=replace(ended, elapsed=0, ended=False))
        program = self._composed[self.rng.integers(len(self._composed))]
        while True:
            start = draw_program_task(self.rng, program, 1.0)
            goal = composed_goal(program, start.state)
            if goal is None:
                continue
            task = FetchBlocksTask(start.start, 0, goal.reshape(-1, 3))
            if self.levels.admits(task):
                self._left[row] = program.most_atomic_calls - 1
                return Proposal(self.next_number(), task)
