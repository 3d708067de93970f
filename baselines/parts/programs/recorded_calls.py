"""Calls of atomic programs as they went in the simulation, from which a self-behavioural model is learned."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from procgen_bench.baselines.parts.programs.atomic_policies import AtomicPolicy
from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation
from procgen_bench.tasks.fetch_blocks.draws import draw_start
from procgen_bench.tasks.programs import ATOMIC_STEPS, Program, ProgramLibrary

#: Probability that a call begins where an earlier one ended, as in the paper, and how many such states are kept.
CONTINUED, KEPT_STATES = 0.5, 10_000


@dataclass(frozen=True)
class RecordedCalls:
    """N calls.

    Attributes:
        before, after: float64 (N, 15 N_blocks + 10), the states when each began and when its steps were over.
        programs: int64 (N,), which atomic program.
        continued: bool (N,), whether it began where an earlier call had ended.
    """

    before: np.ndarray
    after: np.ndarray
    programs: np.ndarray
    continued: np.ndarray

    def __len__(self) -> int:
        return len(self.programs)


def record_calls(library: ProgramLibrary, atomic: AtomicPolicy, count: int, rng: np.random.Generator) -> RecordedCalls:
    """Let atomic programs, drawn uniformly, be carried out.

    Each begins at a random start, or with probability 0.5 in a state in which an earlier call ended; of either kind one
    in which its pre-condition holds.

    Args:
        library: The programs.
        atomic: Carries them out.
        count: How many calls.
        rng: Draws programs and starts.
    """
    programs = [program for program in library.values() if program.is_atomic]
    simulation, ended = FetchBlocksSimulation(library.num_blocks), list[dict]()
    before, after, numbers, continued = [], [], [], []
    for _ in range(count):
        program = programs[rng.integers(len(programs))]
        saved = _drawn_state(rng, ended, program) if rng.random() < CONTINUED else None
        if saved is None:
            _begin_anywhere(simulation, rng, program)
        else:
            simulation.load(saved)
        before.append(simulation.state.copy())
        play_call(simulation, atomic, program)
        after.append(simulation.state.copy())
        numbers.append(program.number)
        continued.append(saved is not None)
        if len(ended) < KEPT_STATES:
            ended.append(simulation.save())
    return RecordedCalls(np.array(before), np.array(after), np.array(numbers), np.array(continued))


def play_call(simulation: FetchBlocksSimulation, atomic: AtomicPolicy, program: Program) -> np.ndarray:
    """Carry out one call in a simulation; returns the goal float64 (3 N,) that it set."""
    goal = program.goal(simulation.state)
    row = np.zeros(1, np.int64)
    atomic.begin(0, program, goal)
    for _ in range(ATOMIC_STEPS):
        simulation.step(atomic.act(row, simulation.state[np.newaxis])[0])
    return goal


def _begin_anywhere(simulation: FetchBlocksSimulation, rng: np.random.Generator, program: Program) -> None:
    while True:
        simulation.begin(draw_start(rng, simulation.num_blocks, program.blocks[0], 1.0))
        if program.precondition(simulation.state):
            return


def _drawn_state(rng: np.random.Generator, ended: list[dict], program: Program) -> dict | None:
    """A state in which an earlier call ended and this program can start; ``None``: none of a few drawn ones is."""
    drawn: Iterator[dict] = (ended[rng.integers(len(ended))] for _ in range(20) if ended)
    return next((saved for saved in drawn if program.precondition(saved["state"])), None)
