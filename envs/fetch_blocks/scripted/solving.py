"""The arm's task spaces with a solver: the scripted expert, which proves tasks solvable in the simulation."""

import numpy as np

from procgen_bench.envs.fetch_blocks.scripted.playing import play_carrying, play_program
from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation
from procgen_bench.errors import ProcgenBenchError
from procgen_bench.task import Task
from procgen_bench.task_space import TaskSpace
from procgen_bench.tasks.fetch_blocks import (
    FetchBlocksTask,
    FetchBlocksTaskSpace,
    FetchProgramTask,
    FetchProgramTaskSpace,
)
from procgen_bench.tasks.programs.states import NUM_BLOCKS


class UnsolvedTaskError(ProcgenBenchError):
    """The scripted expert did not solve a task in time, which proves nothing: another player might."""


class _PlayableTaskSpace(TaskSpace):
    """Tasks of the arm, where there is a simulation to play them in.

    There is no chance in an episode: actions that solve a task do it again from every reset to it.
    """

    def is_solvable(self, task: Task) -> bool:
        """Whether the scripted expert solves the task in time."""
        try:
            self.solve(task)
        except UnsolvedTaskError:
            return False
        return True


class PlayableBlocksTaskSpace(_PlayableTaskSpace, FetchBlocksTaskSpace):
    """FetchBlocks' tasks, where there is a simulation to play them in."""

    def solve(self, task: FetchBlocksTask) -> np.ndarray:
        """Actions (float32 (T, 4)) of the scripted expert after which every block is where it is desired.

        It moves the block to act on alone: where others, too, have to go elsewhere, it solves nothing.

        Raises:
            UnsolvedTaskError: The expert did not in 50 steps.
        """
        self.validate(task)
        actions = play_carrying(FetchBlocksSimulation(self.num_blocks), task)
        if actions is None:
            raise UnsolvedTaskError(f"the scripted expert did not bring block {task.first} to its place in time")
        return actions


class PlayableProgramTaskSpace(_PlayableTaskSpace, FetchProgramTaskSpace):
    """FetchProgram's tasks, where there is a simulation to play them in."""

    def solve(self, task: FetchProgramTask) -> np.ndarray:
        """Actions (float32 (T, 4)) of the scripted expert by which the program does its work.

        Raises:
            UnsolvedTaskError: The expert did not in the program's time.
        """
        self.validate(task)
        actions = play_program(FetchBlocksSimulation(NUM_BLOCKS), task)
        if actions is None:
            raise UnsolvedTaskError(f"the scripted expert did not finish {task.program} in time from this start")
        return actions
