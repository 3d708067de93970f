"""How many calls in a row an arm carries out: chains of random calls, as CALVIN (Mees et al., 2022) counts them."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from procgen_bench.baselines.papers.alphanpi_x.programs.atomic_policies import AtomicPolicy, play_calls
from procgen_bench.baselines.papers.alphanpi_x.programs.planner_parts import described_atomic
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.progress import Progress
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.leaderboards.reproduction.tables import write_numbers
from procgen_bench.leaderboards.sweeps.figure_file import Asked, Made
from procgen_bench.tasks.fetch_blocks.draws import draw_start
from procgen_bench.tasks.programs import PROGRAMS, Program

#: The most calls of a chain: all chains are played side by side to their ends.
MOST_CALLS = 100
#: Standard deviations to either side that hold 95 % of a normal distribution.
_DEVIATIONS = 1.96


@dataclass(frozen=True)
class RowSettings:
    """What is played.

    Attributes:
        chains: How many.
        calls: Calls of a chain, 1 to ``MOST_CALLS``.
        seed: Draws starts, and of each chain the programs in its states.

    Raises:
        InvalidOptionError: ``calls`` is out of its range.
    """

    chains: int = 100
    calls: int = 10
    seed: int = 0

    def __post_init__(self):
        if not 1 <= self.calls <= MOST_CALLS:
            raise InvalidOptionError(f"random is {self.calls}, expected 1 to {MOST_CALLS} calls of a chain")


def reproduce_rows(arm: AtomicPolicy, asked: Asked, calls: int) -> Made:
    """Let an arm carry out random calls in a row; writes ``calls-in-a-row.md`` and ``.json``."""
    settings = RowSettings(asked.samples or RowSettings.chains, calls, asked.seed or 0)
    lengths, atomic = calls_in_a_row(arm, settings), described_atomic(arm)
    mean, half = float(np.mean(lengths)), _DEVIATIONS * float(np.std(lengths)) / np.sqrt(len(lengths))
    shares = [float(np.mean(np.array(lengths) >= length)) for length in range(1, calls + 1)]
    rows = [[str(length), f"{share:.2f}"] for length, share in enumerate(shares, 1)]
    rows.append(["mean", f"{mean:.2f} ({max(mean - half, 0):.2f}-{min(mean + half, calls):.2f})"])
    lines = ["# Random calls in a row", "", f"Arm: {atomic['kind']}; {settings.chains} chains.", ""]
    numbers = {"atomic": atomic, "settings": asdict(settings), "lengths": lengths, "mean": mean, "shares": shares}
    return write_numbers(asked.folder / "calls-in-a-row.md", lines, ("calls in a row", "chains"), rows, numbers)


def calls_in_a_row(atomic: AtomicPolicy, settings: RowSettings) -> list[int]:
    """By chain, how many calls kept their post-conditions before the first that did not.

    Each call is drawn uniformly from the paper's atomic programs that can be called where the one before has ended, and
    have something to do there. A chain that has none left ends, too.
    """
    # Needs MuJoCo, which the command's help does without.
    from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation

    rngs = [np.random.default_rng(seed_from_parts("calls in a row", settings.seed, n)) for n in range(settings.chains)]
    simulations = [FetchBlocksSimulation(PROGRAMS.num_blocks) for _ in rngs]
    for simulation, rng in zip(simulations, rngs):
        simulation.begin(draw_start(rng, PROGRAMS.num_blocks, randomness=1.0))
    lengths, going = [0] * settings.chains, [*range(settings.chains)]
    with Progress(total=settings.calls, unit="call", desc="calls in a row", delay=2) as bar:
        for _ in range(settings.calls):
            drawn = {row: _drawn_call(simulations[row].state, rngs[row]) for row in going}
            called = {row: program for row, program in drawn.items() if program is not None}
            going = _kept([simulations[row] for row in called], atomic, [*called.values()], [*called])
            for row in going:
                lengths[row] += 1
            bar.update(1)
    return lengths


def _kept(simulations: Sequence, atomic: AtomicPolicy, programs: Sequence[Program], rows: Sequence[int]) -> list[int]:
    """The rows whose calls ended with their post-conditions true."""
    if not rows:
        return []
    goals = play_calls(simulations, atomic, programs, rows)
    ended = zip(rows, simulations, programs, goals, strict=True)
    return [row for row, simulation, program, goal in ended if program.postcondition(simulation.state, goal)]


def _drawn_call(state: np.ndarray, rng: np.random.Generator) -> Program | None:
    """An atomic program that can be called in a state and has something to do there; ``None``: there is none."""
    programs = [
        program
        for program in PROGRAMS.values()
        if program.is_atomic and program.precondition(state) and not program.postcondition(state, program.goal(state))
    ]
    return programs[rng.integers(len(programs))] if programs else None
