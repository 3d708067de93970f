"""Expert: plays a program from what FetchProgram-v0 lets observe, by plans of atomic programs that it carries out."""

import numpy as np

from procgen_bench.envs.fetch_blocks.scripted.carrying import Carrying, Waypoint
from procgen_bench.envs.fetch_blocks.scripted.plans import next_call
from procgen_bench.tasks.programs import ATOMIC_STEPS, PROGRAMS
from procgen_bench.tasks.programs.states import GOAL_SIZE

_LEAVE = np.zeros(4)


class Expert:
    """Plays one episode of a program.

    Args:
        name: The program.

    Attributes:
        calls: The atomic programs that it has called so far.
    """

    def __init__(self, name: str):
        self.name = name
        self.calls: list[str] = []
        self._goal: np.ndarray | None = None
        self._carrying: Carrying | None = None
        self._steps = 0

    def act(self, state: np.ndarray) -> np.ndarray:
        """The next action: float64 (4,) in [-1, 1].

        Args:
            state: float64 (70,), in the canonical order.
        """
        if self._carrying is None or self._steps == ATOMIC_STEPS:
            self._call(state)
        action = self._carry(state)
        if action is None:
            self._call(state)
            action = self._carry(state)
        self._steps += 1
        return _LEAVE if action is None else action

    def _carry(self, state: np.ndarray) -> np.ndarray | None:
        """The action of the call that is under way; ``None`` when it is over, or there is none."""
        if self._carrying is None:
            return None
        action = self._carrying.act(state)
        return None if self._carrying.waypoint == Waypoint.DONE else action

    def _call(self, state: np.ndarray) -> None:
        """Begin the next call, if there is one; an atomic program's goal stays what it was when the program began."""
        self._steps, self._carrying = 0, None
        program = PROGRAMS[self.name]
        name = self.name if program.is_atomic else next_call(self.name, state)
        if name is None:
            return
        if self._goal is None or not program.is_atomic:
            self._goal = PROGRAMS[name].goal(state)
        self.calls.append(name)
        block = moved_block(name)
        self._carrying = Carrying(block, self._goal.reshape(GOAL_SIZE // 3, 3)[block])


def moved_block(name: str) -> int:
    """The block that an atomic program moves, by the program's name."""
    return int(next(word for word in name.split("_") if word.isdigit()))
