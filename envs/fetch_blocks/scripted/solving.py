"""FetchProgram's task space with a solver: the scripted expert, which proves tasks solvable in the simulation."""

import numpy as np

from procgen_bench.errors import ProcgenBenchError
from procgen_bench.tasks.fetch_blocks import FetchProgramTask, FetchProgramTaskSpace
from procgen_bench.tasks.programs.states import NUM_BLOCKS


class UnsolvedProgramError(ProcgenBenchError):
    """The scripted expert did not do a program's work in time, which proves nothing: another player might."""


class PlayableProgramTaskSpace(FetchProgramTaskSpace):
    """FetchProgram's tasks, where there is a simulation to play them in."""

    def solve(self, task: FetchProgramTask) -> np.ndarray:
        """Actions (float32 (T, 4)) of the scripted expert by which the program does its work.

        There is no chance in an episode: they do it again from every reset to the task.

        Raises:
            UnsolvedProgramError: The expert did not.
        """
        # The simulation needs packages that the tasks do not.
        from procgen_bench.envs.fetch_blocks.scripted.playing import play_expert
        from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation

        self.validate(task)
        actions = play_expert(FetchBlocksSimulation(NUM_BLOCKS), task)
        if actions is None:
            raise UnsolvedProgramError(f"the scripted expert did not finish {task.program} in time from this start")
        return actions

    def is_solvable(self, task: FetchProgramTask) -> bool:
        """Whether the scripted expert does the program's work in time."""
        try:
            self.solve(task)
        except UnsolvedProgramError:
            return False
        return True
