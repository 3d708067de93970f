"""Figure 9 of AlphaNPI-X (Pierrot et al., 2020), as numbers: how well an arm carries out calls, first ones and later.

The paper shows its goal policy on Stack and Move, and on chains of each. Here are three chains on four blocks: three
stacks on each other, four moves, and two moves each followed by a stack (what Clean_And_Stack takes at least). Each
call counts under what it follows; a chain ends with its first call that fails, as a plan without repeats does.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np

from procgen_bench.baselines.papers.alphanpi_x.programs.atomic_policies import AtomicPolicy, play_calls
from procgen_bench.baselines.papers.alphanpi_x.programs.planner_parts import atomic_policy_of, described_atomic
from procgen_bench.core.paths import check_named_or_folder
from procgen_bench.core.progress import Progress
from procgen_bench.core.registrations import environment_type
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.leaderboards.reproduction.alphanpi_x import wilson
from procgen_bench.leaderboards.reproduction.alphanpi_x_players import ARMS
from procgen_bench.leaderboards.reproduction.alphanpi_x_rows import reproduce_rows
from procgen_bench.leaderboards.reproduction.tables import write_numbers
from procgen_bench.leaderboards.sweeps.figure_file import Asked, Made, PaperFigure
from procgen_bench.tasks.fetch_blocks import FetchProgramTask
from procgen_bench.tasks.fetch_blocks.draws import draw_start
from procgen_bench.tasks.programs import PROGRAMS, Program
from procgen_bench.tasks.programs.hand import is_let_go
from procgen_bench.tasks.programs.states import POSITION, split

_ORANGE, _BLUE = ((0, 1), (2, 3))
_COLOURS = ("ORANGE", "ORANGE", "BLUE", "BLUE")


@dataclass(frozen=True)
class Chain:
    """Calls that follow each other.

    Attributes:
        name: What it is called.
        draw: Names of the programs, by a generator.
        calls: What each of them counts as.
    """

    name: str
    draw: Callable[[np.random.Generator], list[str]]
    calls: tuple[str, ...]


def _stacks(rng: np.random.Generator) -> list[str]:
    first, *rest = rng.permutation(4).tolist()
    return [f"Stack_{upper}_{lower}" for lower, upper in zip([first, *rest], rest)]


def _moves(rng: np.random.Generator) -> list[str]:
    return [_move(block) for block in rng.permutation(4).tolist()]


def _cleans(rng: np.random.Generator) -> list[str]:
    called = []
    for blocks in (_ORANGE, _BLUE):
        lower, upper = rng.permutation(blocks).tolist()
        called += [_move(lower), f"Stack_{upper}_{lower}"]
    return called


def _move(block: int) -> str:
    return f"Move_To_Zone_{block}_{_COLOURS[block]}"


_STACK, _MOVE, _STACK_AFTER_MOVE = "Stack, fresh", "Move, fresh", "Stack after Move"
_THIRD, _FOURTH = "Stack on it, third", "Stack on it, fourth"
_MOVE_AFTER_STACK, _MOVE_AFTER_MOVE = "Move after Stack", "Move after Move"
CHAINS = (
    Chain("chain: three stacks", _stacks, (_STACK, _THIRD, _FOURTH)),
    Chain("chain: four moves", _moves, (_MOVE, *[_MOVE_AFTER_MOVE] * 3)),
    Chain("chain: clean and stack", _cleans, (_MOVE, _STACK_AFTER_MOVE, _MOVE_AFTER_STACK, _STACK_AFTER_MOVE)),
)
#: The rows, fresh calls first.
KINDS = (_STACK, _MOVE, _THIRD, _FOURTH, _STACK_AFTER_MOVE, _MOVE_AFTER_STACK, _MOVE_AFTER_MOVE)


@dataclass(frozen=True)
class CallsRow:
    """Calls of a kind, or whole chains.

    Attributes:
        kind: Of ``KINDS``, or a chain's name.
        calls: How many were made, or how many chains were begun.
        success: Share whose post-condition held when their steps were over; of a chain, whose calls all succeeded.
            ``None``, as the other shares: there were none.
        low, high: Bounds of it (95 %, Wilson).
        stands: Success, and the post-condition of the last call still held when the hand had let go and gone.
        settled: The same when the hand had opened where it was, in place of that.
        released: Success, and the hand was off the block that it had moved.
        off: Millimetres from the place of the block to the block, level, of calls that succeeded.
        bias: Length of the mean of these offsets, millimetres: what is always off in the same direction.
    """

    kind: str
    calls: int
    success: float | None
    low: float
    high: float
    stands: float | None
    settled: float | None
    released: float | None
    off: float | None
    bias: float | None


@dataclass(frozen=True)
class ChainSettings:
    """What is played.

    Attributes:
        chains: How many of each of ``CHAINS``.
        seed: Draws programs and starts, the same for every arm.
    """

    chains: int = 100
    seed: int = 0


class _Outcome(NamedTuple):
    """What became of a call; ``offset``: of a success, metres from the block's place to the block, level."""

    success: bool
    stands: bool
    settled: bool
    released: bool
    offset: tuple[float, float] | None


_FAILED = _Outcome(False, False, False, False, None)


def reproduce_calls(figure: PaperFigure, asked: Asked) -> Made:
    """Let an arm carry out chains of calls; writes ``figure-9.md`` and ``figure-9.json``, or random calls in a row."""
    environment_type("FetchProgram-v0")
    check_named_or_folder("atomic", asked.settings["atomic"], ARMS)
    arm = atomic_policy_of(asked.settings["atomic"])
    if asked.settings["random"]:
        return reproduce_rows(arm, asked, asked.settings["random"])
    settings = ChainSettings(asked.samples or 100, asked.seed or 0)
    rows, about = play_chains(arm, settings), {"atomic": described_atomic(arm), "settings": asdict(settings)}
    lines = ["# Figure 9, as numbers. AlphaNPI-X's calls, first ones and later", ""]
    lines += [f"Arm: {about['atomic']['kind']}; {settings.chains} chains of each kind, seed {settings.seed}.", ""]
    numbers = about | {"rows": [asdict(row) for row in rows]}
    return write_numbers(asked.folder / "figure-9.md", lines, HEADINGS, [cells(row) for row in rows], numbers)


def play_chains(atomic: AtomicPolicy, settings: ChainSettings) -> list[CallsRow]:
    """Let an arm carry out chains of each kind, from random starts; rows in the order of ``KINDS``, then the chains."""
    found: dict[str, list[_Outcome]] = {kind: [] for kind in (*KINDS, *(chain.name for chain in CHAINS))}
    with Progress(total=len(CHAINS) * settings.chains, unit="chain", desc="calls", delay=2) as bar:
        for chain in CHAINS:
            rng = np.random.default_rng(seed_from_parts("chains", settings.seed, chain.name))
            drawn = [[PROGRAMS[name] for name in chain.draw(rng)] for _ in range(settings.chains)]
            for kind, outcome in _played(chain, drawn, atomic, rng):
                found[kind].append(outcome)
            bar.update(settings.chains)
    return [_row(kind, outcomes) for kind, outcomes in found.items()]


def _played(
    chain: Chain, drawn: Sequence[Sequence[Program]], atomic: AtomicPolicy, rng: np.random.Generator
) -> Iterator[tuple[str, _Outcome]]:
    """What became of the calls of chains side by side, by kind, and of each chain under its own name."""
    # Needs MuJoCo, which the command's help does without.
    from procgen_bench.envs.fetch_blocks.settling import settled_state, standing_state
    from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation

    simulations = [FetchBlocksSimulation(PROGRAMS.num_blocks) for _ in drawn]
    for simulation, programs in zip(simulations, drawn):
        simulation.begin(_start(programs, rng))
    going, last = [*range(len(drawn))], dict.fromkeys(range(len(drawn)), _FAILED)
    for place, kind in enumerate(chain.calls):
        programs = [drawn[row][place] for row in going]
        playing = [simulations[row] for row in going]
        goals = play_calls(playing, atomic, programs, going) if going else ()
        for row, simulation, program, goal in zip(tuple(going), playing, programs, goals, strict=True):
            success = bool(program.postcondition(simulation.state, goal))
            stands, settled = (
                success and bool(program.postcondition(end(simulation), goal))
                for end in (standing_state, settled_state)
            )
            block = program.blocks[0]
            released = success and bool(is_let_go(simulation.state, block))
            east, north = (split(simulation.state)[0][block, POSITION] - goal.reshape(-1, 3)[block])[:2].tolist()
            last[row] = _Outcome(success, stands, settled, released, (east, north) if success else None)
            yield kind, last[row]
            following = drawn[row][place + 1 :]
            if not success or (following and not following[0].precondition(simulation.state)):
                last[row] = _FAILED if following else last[row]
                going.remove(row)
    for outcome in last.values():
        yield chain.name, outcome


def _start(programs: Sequence[Program], rng: np.random.Generator):
    """A random start in which the first program can be called, and none of them is done yet."""
    while True:
        start = draw_start(rng, PROGRAMS.num_blocks, programs[0].blocks[0], randomness=1.0)
        state = FetchProgramTask(start, programs[0].name).state
        are_done = [bool(one.postcondition(state, one.goal(state))) for one in programs]
        if programs[0].precondition(state) and not any(are_done):
            return start


def _row(kind: str, outcomes: Sequence[_Outcome]) -> CallsRow:
    shares = np.mean([outcome[:4] for outcome in outcomes], axis=0).tolist() if outcomes else [None] * 4
    low, high = wilson(sum(outcome.success for outcome in outcomes), len(outcomes)) if outcomes else (0.0, 1.0)
    offsets = 1000 * np.array([outcome.offset for outcome in outcomes if outcome.offset is not None])
    off = float(np.linalg.norm(offsets, axis=1).mean()) if len(offsets) else None
    bias = float(np.linalg.norm(offsets.mean(axis=0))) if len(offsets) else None
    success, stands, settled, released = shares
    return CallsRow(kind, len(outcomes), success, low, high, stands, settled, released, off, bias)


HEADINGS = ("call", "calls", "success (95 %)", "stands", "settled", "let go", "mm off")


def cells(row: CallsRow) -> list[str]:
    """A row as people read it, a text for each of ``HEADINGS``, 80 columns in all; the bias is behind what is off."""
    success, *others = (
        "" if share is None else f"{share:.2f}" for share in (row.success, row.stands, row.settled, row.released)
    )
    off = "" if row.off is None else f"{row.off:.0f}, {row.bias:.0f}"
    return [row.kind, str(row.calls), f"{success} ({row.low:.2f}-{row.high:.2f})", *others, off]
