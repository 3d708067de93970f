"""Execution: programs played in the simulation by an interpreter and an atomic policy, in a loop in which Stop counts.

FetchProgram-v0's episodes end by themselves when the post-condition holds, and have no call to spare. Here a program
ends when it stops, or after so many calls, and only then is it tested.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from procgen_bench.baselines.papers.alphanpi_x.programs.atomic_policies import AtomicPolicy, play_calls
from procgen_bench.baselines.papers.alphanpi_x.programs.interpreter import ENDED, Interpreter, TraceLine
from procgen_bench.tasks.fetch_blocks import FetchProgramTask
from procgen_bench.tasks.programs import Program, ProgramLibrary
from procgen_bench.tasks.programs.hand import is_let_go

if TYPE_CHECKING:
    from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation

#: Calls that a program is given, as multiples of its most atomic calls.
CAPS = (1, 2)


@dataclass(frozen=True)
class Executed:
    """One program's execution.

    Attributes:
        program: Its name.
        success: By cap of ``CAPS``: whether the post-condition held when it stopped, or had made so many calls.
        settled: The same, and still did when the gripper had opened where it was and nothing moved any more.
        stands: The same when the hand had let go and gone, in place of that.
        stopped: Whether it stopped by itself, within the greatest cap.
        kept: Of each atomic call that it made, whether the call's own post-condition held at its end.
        released: Of each, whether it did, and the hand was off the block that it had moved.
        trace: What was called.
    """

    program: str
    success: tuple[bool, ...]
    settled: tuple[bool, ...]
    stands: tuple[bool, ...]
    stopped: bool
    kept: tuple[bool, ...]
    released: tuple[bool, ...]
    trace: list[TraceLine]


def execute(
    interpreter: Interpreter, atomic: AtomicPolicy, library: ProgramLibrary, tasks: Sequence[FetchProgramTask]
) -> list[Executed]:
    """Play tasks of programs that call others, side by side.

    Args:
        interpreter: Says what to call.
        atomic: Carries out the calls.
        library: The programs.
        tasks: What to play.
    """
    # Needs MuJoCo, which the command's help does without.
    from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation

    simulations = [FetchBlocksSimulation(library.num_blocks) for _ in tasks]
    rows = [Execution(library, library[task.program]) for task in tasks]
    for number, (simulation, task) in enumerate(zip(simulations, tasks)):
        simulation.begin(task.start)
        interpreter.begin(number, library[task.program].number)
    programs = [*library.values()]
    active = np.arange(len(tasks))
    while len(active):
        calls = interpreter.next_calls(active, np.stack([simulations[row].state for row in active]))
        for row in active[calls == ENDED].tolist():
            rows[row].end(simulations[row], stopped=True)
        active, calls = active[calls != ENDED], calls[calls != ENDED]
        if not len(active):
            break
        playing, called = [simulations[row] for row in active], [programs[call] for call in calls]
        goals = play_calls(playing, atomic, called, active.tolist())
        for row, simulation, program, goal in zip(active.tolist(), playing, called, goals):
            kept = bool(program.postcondition(simulation.state, goal))
            rows[row].note(simulation, kept, kept and bool(is_let_go(simulation.state, program.blocks[0])))
        active = np.array([row for row in active.tolist() if not rows[row].over], np.int64)
    return [one.executed(interpreter.trace(number)) for number, one in enumerate(rows)]


class Execution:
    """What becomes of one program."""

    def __init__(self, library: ProgramLibrary, program: Program):
        self._program, self._caps = program, [cap * program.most_atomic_calls for cap in CAPS]
        self._tested: list[tuple[bool, bool, bool]] = []
        self._kept: list[bool] = []
        self._released: list[bool] = []
        self.over = self._stopped = False

    def note(self, simulation: "FetchBlocksSimulation", kept: bool, released: bool) -> None:
        """An atomic call is over; the caps that are reached by it are tested."""
        self._kept.append(kept)
        self._released.append(released)
        if len(self._kept) == self._caps[len(self._tested)]:
            self._tested.append(self._test(simulation))
            self.over = len(self._tested) == len(self._caps)

    def end(self, simulation: "FetchBlocksSimulation", stopped: bool) -> None:
        """The program has ended before its caps."""
        self.over, self._stopped = True, stopped
        if len(self._tested) < len(self._caps):
            self._tested += [self._test(simulation)] * (len(self._caps) - len(self._tested))

    def executed(self, trace: list[TraceLine]) -> Executed:
        """What has become of it."""
        success, settled, stands = zip(*self._tested)
        return Executed(
            program=self._program.name,
            success=success,
            settled=settled,
            stands=stands,
            stopped=self._stopped,
            kept=tuple(self._kept),
            released=tuple(self._released),
            trace=trace,
        )

    def _test(self, simulation: "FetchBlocksSimulation") -> tuple[bool, bool, bool]:
        """Whether the post-condition holds, and whether it settles, and stands."""
        from procgen_bench.envs.fetch_blocks.settling import settled_state, standing_state

        if not self._program.postcondition(simulation.state):
            return False, False, False
        settled, stands = (
            bool(self._program.postcondition(end(simulation))) for end in (settled_state, standing_state)
        )
        return True, settled, stands
