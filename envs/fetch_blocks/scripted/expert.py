"""Expert: plays a program by plans of atomic programs, which it carries out one after the other."""

import numpy as np

from procgen_bench.envs.fetch_blocks.scripted.carrying import Carrying, Waypoint
from procgen_bench.envs.fetch_blocks.scripted.plans import next_call
from procgen_bench.tasks.programs import ATOMIC_STEPS, PROGRAMS
from procgen_bench.tasks.programs.states import block_positions
from procgen_bench.tasks.programs.zones import DISTANCE_THRESHOLD

_LEAVE = np.zeros(4, np.float32)


class Expert:
    """Plays one episode of a program, from states alone. Each of its calls lasts ``ATOMIC_STEPS`` steps.

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
        if self._steps % ATOMIC_STEPS == 0:
            self._carrying = self._call(state)
        self._steps += 1
        return _LEAVE if self._carrying is None else self._carry(state, self._carrying)

    def _call(self, state: np.ndarray) -> Carrying | None:
        """Begin the next call, if there is one. An atomic program calls itself."""
        name = self.name if PROGRAMS[self.name].is_atomic else next_call(self.name, state)
        if name is None:
            return None
        self.calls.append(name)
        goal = PROGRAMS[name].goal(state) if self._goal is None else self._goal
        block = PROGRAMS[name].blocks[0]
        return Carrying(block, goal.reshape(-1, 3)[block])

    def _carry(self, state: np.ndarray, carrying: Carrying) -> np.ndarray:
        """The action of the call that is under way; a block that has fallen off its place is taken there again."""
        action = carrying.act(state)
        if carrying.waypoint != Waypoint.DONE:
            return action.astype(np.float32)
        if np.linalg.norm(block_positions(state)[carrying.block] - carrying.place) > DISTANCE_THRESHOLD:
            self._carrying = Carrying(carrying.block, carrying.place)
        return _LEAVE
