"""Expert: plays a program by plans of atomic programs, which it carries out one after the other."""

import numpy as np

from procgen_bench.envs.fetch_blocks.scripted.carrying import Carrying, Waypoint
from procgen_bench.envs.fetch_blocks.scripted.plans import next_call
from procgen_bench.tasks.programs import ATOMIC_STEPS, PROGRAMS

_LEAVE = np.zeros(4, np.float32)


class Expert:
    """Plays one episode of a program, from states alone.

    Args:
        name: The program.
        goal: Of an atomic program: the goal (12,) that it set when it began.

    Attributes:
        calls: The atomic programs that it has called so far.
    """

    def __init__(self, name: str, goal: np.ndarray | None = None):
        self.name = name
        self.calls: list[str] = []
        self._goal = goal
        self._carrying: Carrying | None = None
        self._steps = 0

    def act(self, state: np.ndarray) -> np.ndarray:
        """The next action: float32 (4,) in [-1, 1].

        Args:
            state: float64 (70,), in the canonical order.
        """
        action = self._carry(state)
        if action is None:
            self._call(state)
            action = self._carry(state)
        return _LEAVE if action is None else action.astype(np.float32)

    def _carry(self, state: np.ndarray) -> np.ndarray | None:
        """The action of the call that is under way; ``None`` when it is over, or there is none."""
        if self._carrying is None or self._steps == ATOMIC_STEPS:
            return None
        self._steps += 1
        action = self._carrying.act(state)
        return None if self._carrying.waypoint == Waypoint.DONE else action

    def _call(self, state: np.ndarray) -> None:
        """Begin the next call, if there is one. An atomic program calls itself, until its goal is reached."""
        self._steps, self._carrying = 0, None
        name = self.name if PROGRAMS[self.name].is_atomic else next_call(self.name, state)
        if name is None:
            return
        goal = PROGRAMS[name].goal(state) if self._goal is None else self._goal
        block = PROGRAMS[name].blocks[0]
        self.calls.append(name)
        self._carrying = Carrying(block, goal.reshape(-1, 3)[block])
