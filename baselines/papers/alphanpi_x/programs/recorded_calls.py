"""Calls of atomic programs as they went in the simulation, from which a self-behavioural model is learned."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from procgen_bench.baselines.papers.alphanpi_x.programs.atomic_policies import AtomicPolicy, play_calls
from procgen_bench.core.progress import Progress
from procgen_bench.tasks.fetch_blocks.draws import draw_start
from procgen_bench.tasks.programs import Program, ProgramLibrary

if TYPE_CHECKING:
    from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation

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


def record_calls(
    library: ProgramLibrary, atomic: AtomicPolicy, count: int, rng: np.random.Generator, rows: int = 32
) -> RecordedCalls:
    """Let atomic programs, drawn uniformly, be carried out in simulations side by side.

    Each begins at a random start, or with probability 0.5 in a state in which an earlier call ended; of either kind one
    in which its pre-condition holds.

    Args:
        library: The programs.
        atomic: Carries them out.
        count: How many calls, at least 1.
        rng: Draws programs and starts.
        rows: Simulations at a time.
    """
    programs = [program for program in library.values() if program.is_atomic]
    # Needs MuJoCo, which the command's help does without.
    from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation

    simulations = [FetchBlocksSimulation(library.num_blocks) for _ in range(min(rows, count))]
    ended: list[dict] = []
    before: list[np.ndarray] = []
    after: list[np.ndarray] = []
    numbers: list[int] = []
    continued: list[bool] = []
    with Progress(total=count, unit="call", desc="recording", delay=2) as bar:
        while len(numbers) < count:
            playing = simulations[: count - len(numbers)]
            drawn = [programs[rng.integers(len(programs))] for _ in playing]
            for simulation, program in zip(playing, drawn):
                saved = _drawn_state(rng, ended, program) if rng.random() < CONTINUED else None
                if saved is None:
                    _begin_anywhere(simulation, rng, program)
                else:
                    simulation.load(saved)
                continued.append(saved is not None)
            before += [simulation.state.copy() for simulation in playing]
            play_calls(playing, atomic, drawn, range(len(playing)))
            after += [simulation.state.copy() for simulation in playing]
            numbers += [program.number for program in drawn]
            ended = [*ended, *(simulation.save() for simulation in playing)][-KEPT_STATES:]
            bar.update(len(playing))
    return RecordedCalls(np.array(before), np.array(after), np.array(numbers), np.array(continued))


def _begin_anywhere(simulation: "FetchBlocksSimulation", rng: np.random.Generator, program: Program) -> None:
    while True:
        simulation.begin(draw_start(rng, simulation.num_blocks, program.blocks[0], 1.0))
        if program.precondition(simulation.state):
            return


def _drawn_state(rng: np.random.Generator, ended: list[dict], program: Program) -> dict | None:
    """A state in which an earlier call ended and this program can start; ``None``: none of a few drawn ones is."""
    drawn: Iterator[dict] = (ended[rng.integers(len(ended))] for _ in range(20) if ended)
    return next((saved for saved in drawn if program.precondition(saved["state"])), None)
