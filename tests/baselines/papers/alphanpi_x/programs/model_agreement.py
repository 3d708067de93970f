"""How far a model foresees results of calls: agreement of post-conditions along chains of calls, and calibration."""

from dataclasses import dataclass

import numpy as np

from procgen_bench.baselines.papers.alphanpi_x.programs.atomic_policies import AtomicPolicy, play_calls
from procgen_bench.baselines.papers.alphanpi_x.programs.search import ProgramModel
from procgen_bench.tasks.fetch_blocks.draws import draw_start
from procgen_bench.tasks.programs import ProgramLibrary
from procgen_bench.tasks.programs.states import block_positions

#: Calls of a chain, and bounds (metres) between the bins of the calibration: post-conditions are true up to 0.05.
LONGEST_CHAIN = 4
DISTANCES = (0.01, 0.02, 0.03, 0.05, 0.1)


@dataclass(frozen=True)
class ForeseenCalls:
    """N calls, each foreseen after so many imagined ones.

    Attributes:
        length: int64 (N,), imagined calls up to and with this one, 1 to ``LONGEST_CHAIN``.
        foreseen, real: bool (N,), the call's post-condition in the imagined and in the real state.
        distance: float64 (N,), the greatest of the imagined blocks from their places in the goal, metres.
    """

    length: np.ndarray
    foreseen: np.ndarray
    real: np.ndarray
    distance: np.ndarray

    def agreement(self) -> np.ndarray:
        """The share of calls whose post-condition was foreseen: float64 (4,) by length, NaN where there are none."""
        agreed = self.foreseen == self.real
        of_length = [agreed[self.length == length] for length in range(1, LONGEST_CHAIN + 1)]
        return np.array([one.mean() if len(one) else np.nan for one in of_length])

    def calibration(self) -> list[tuple[float, int, float]]:
        """For each bin of imagined distances its upper bound, its number of calls, and the share that succeeded."""
        bins, rows = np.digitize(self.distance, DISTANCES), []
        for number, bound in enumerate((*DISTANCES, np.inf)):
            real = self.real[bins == number]
            rows.append((bound, len(real), float(real.mean()) if len(real) else float("nan")))
        return rows


def foresee(
    model: ProgramModel, library: ProgramLibrary, atomic: AtomicPolicy, chains: int, rng: np.random.Generator
) -> ForeseenCalls:
    """Let chains of atomic programs be carried out, and imagine them from their first state alone.

    Each next program is drawn from those that can start, in the real state and in the imagined one; a chain ends early
    where none can.
    """
    atomic_programs = np.array([program.number for program in library.values() if program.is_atomic])
    # Needs MuJoCo, which the command's help does without.
    from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation

    programs, simulation = [*library.values()], FetchBlocksSimulation(library.num_blocks)
    rows: list[tuple[int, bool, bool, float]] = []
    for _ in range(chains):
        simulation.begin(draw_start(rng, library.num_blocks, None, 1.0))
        imagined = simulation.state[np.newaxis].copy()
        for length in range(1, LONGEST_CHAIN + 1):
            startable = library.preconditions(np.stack([simulation.state, imagined[0]]), atomic_programs).all(axis=0)
            if not startable.any():
                break
            program = programs[rng.choice(atomic_programs[startable])]
            imagined_goal = program.goal(imagined[0])
            imagined = model.predict(imagined, np.array([program.number]))
            goal = play_calls([simulation], atomic, [program], [0])[0]
            away = block_positions(imagined[0]) - imagined_goal.reshape(-1, 3)
            foreseen = bool(program.postcondition(imagined[0], imagined_goal))
            real = bool(program.postcondition(simulation.state, goal))
            rows.append((length, foreseen, real, float(np.linalg.norm(away, axis=1).max())))
    return ForeseenCalls(*(np.array(column) for column in zip(*rows)))
