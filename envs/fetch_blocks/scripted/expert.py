"""Expert: plays a program by plans of atomic programs, which it carries out one after the other."""

import numpy as np

from procgen_bench.core.errors import UnsolvedTaskError
from procgen_bench.envs.fetch_blocks.scripted.carrying import Carrying, Waypoint, check_place
from procgen_bench.envs.fetch_blocks.scripted.plans import next_call
from procgen_bench.tasks.programs import ATOMIC_STEPS, PROGRAMS, Program
from procgen_bench.tasks.programs.states import block_positions
from procgen_bench.tasks.programs.zones import DISTANCE_THRESHOLD

_LEAVE = np.zeros(4, np.float32)


class Expert:
    """Plays one episode of a program, from states alone. Each of its calls lasts ``ATOMIC_STEPS`` steps.

    It carries the block of any atomic program to its goal, and has plans for the paper's programs for four blocks.

    Args:
        program: The program.
        goal: Of an atomic program: the goal, float64 (3 N,), metres, that it set when it began.

    Raises:
        UnsolvedTaskError: It has no plan for the program, or the goal's place for the block is not over the table.

    Attributes:
        calls: The atomic programs that it has called so far.
    """

    def __init__(self, program: Program, goal: np.ndarray | None = None):
        if not program.is_atomic and program.definition not in PROGRAMS.definitions:
            raise UnsolvedTaskError(f"the scripted expert has no plan for {program.name}, which is none of the paper's")
        self.program = program
        self.calls: list[str] = []
        if program.is_atomic and goal is not None:
            check_place(goal.reshape(-1, 3)[program.blocks[0]])
        self._goal = goal
        self._carrying: Carrying | None = None
        self._steps = 0

    def act(self, state: np.ndarray) -> np.ndarray:
        """The next action: float32 (4,) in [-1, 1].

        Args:
            state: float64 (15 N + 10,), in the canonical order.
        """
        if self._steps % ATOMIC_STEPS == 0:
            self._carrying = self._call(state)
        self._steps += 1
        return _LEAVE if self._carrying is None else self._carry(state, self._carrying)

    def _call(self, state: np.ndarray) -> Carrying | None:
        """Begin the next call, if there is one. An atomic program calls itself."""
        program = self.program
        if not program.is_atomic:
            name = next_call(program.name, state)
            if name is None:
                return None
            program = PROGRAMS[name]
        self.calls.append(program.name)
        goal = program.goal(state) if self._goal is None else self._goal
        block = program.blocks[0]
        return Carrying(block, goal.reshape(-1, 3)[block])

    def _carry(self, state: np.ndarray, carrying: Carrying) -> np.ndarray:
        """The action of the call that is under way; a block that has fallen off its place is taken there again."""
        action = carrying.act(state)
        if carrying.waypoint != Waypoint.DONE:
            return action.astype(np.float32)
        if np.linalg.norm(block_positions(state)[carrying.block] - carrying.place) > DISTANCE_THRESHOLD:
            self._carrying = Carrying(carrying.block, carrying.place)
        return _LEAVE
