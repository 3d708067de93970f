"""Table 2 of AlphaNPI-X (Pierrot et al., 2020): programs that call programs, without a plan, with one, and re-planning.

The paper's table has 100 episodes of every program; success is the post-condition at Stop. That is the first column,
of programs that stop within twice the calls that they need at most. Beside it are the shares that still hold when the
hand has let go and gone ("stands") or has opened where it is ("settled"), and the share that stands within the calls
that the program needs at most.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from procgen_bench.baselines.papers.alphanpi_x.programs.atomic_policies import FailingAtomicPolicy
from procgen_bench.baselines.papers.alphanpi_x.programs.execution import Executed, execute
from procgen_bench.baselines.papers.alphanpi_x.programs.goal_execution import execute_goals
from procgen_bench.baselines.papers.alphanpi_x.programs.interpreter import MODES, Interpreter
from procgen_bench.baselines.papers.alphanpi_x.programs.planner_parts import PlannerParts, described_atomic
from procgen_bench.baselines.papers.alphanpi_x.programs.traces import drawn_trace
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.progress import Progress
from procgen_bench.core.provenance import commit
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.leaderboards.reproduction.alphanpi_x_players import (
    Rival,
    asked_parts,
    check_composed,
    load_rival,
)
from procgen_bench.leaderboards.reproduction.tables import markdown_table, write_numbers
from procgen_bench.leaderboards.sweeps.figure_file import Asked, Made, PaperFigure
from procgen_bench.tasks.fetch_blocks import FetchProgramTask
from procgen_bench.tasks.fetch_blocks.program_draws import draw_program_task
from procgen_bench.tasks.programs import GROUPS, PROGRAMS, ProgramLibrary

#: The paper's success by group of programs, in the order of ``MODES``.
PAPER = {
    "Clean_Table": (0.02, 0.54, 0.63),
    "Clean_And_Stack": (0.01, 0.25, 0.38),
    "Stack_All_Blocks": (0.02, 0.19, 0.31),
    "Stack_All_To_Zone": (0.82, 0.92, 0.94),
    "Move_All_To_Zone": (0.68, 0.95, 0.95),
}
#: Its rivals' success, everywhere.
_PAPER_RIVALS = 0.0
_GROUP_OF = {program: group for group, programs in GROUPS.items() for program in programs}
#: Standard deviations to either side that hold 95 % of a normal distribution.
_DEVIATIONS = 1.96


@dataclass(frozen=True)
class TableSettings:
    """What is played.

    Attributes:
        episodes: Of every program with each of its arguments.
        simulations: Of a decision of the program that is played; one block of rows each.
        failing: Share of atomic calls that come to nothing.
        seed: Draws the starts, and which calls fail.
        modes: Of ``MODES``.
        programs: Names; none: all that call others.
    """

    episodes: int = 100
    simulations: tuple[int, ...] = (5, 100)
    failing: float = 0.0
    seed: int = 0
    modes: tuple[str, ...] = MODES
    programs: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableRow:
    """One group of programs in one mode.

    Attributes:
        program: The group: the program's name without its arguments.
        mode: Of ``MODES``, or what a rival is called.
        simulations: Of a decision; 0: a rival's, which makes none.
        episodes: How many were played.
        success: Share that stopped, within twice the most calls that the program needs, with its post-condition true:
            the paper's. A rival, which cannot stop, is tested after so many. ``low`` and ``high`` bound it (95 %,
            Wilson).
        stands: The same, and it still held when the hand had let go and gone.
        settled: The same when the hand had opened where it was, in place of that.
        fewest: Share that stands at Stop, or after the most calls that the program needs.
        stopped: Share that ended by Stop.
        calls: Atomic calls of an episode, on average.
        kept: Share of atomic calls whose own post-condition held at their end, and ``kept_first`` of first calls;
            ``None``: there were no calls.
        released: Share of atomic calls whose post-condition held, and the hand was off the block; ``None`` as above.
        paper: The paper's success, of four blocks; ``None``: it has no such program.
        trace: Of one of its episodes, one that succeeded where there is one, drawn as the paper's figure 1.
    """

    program: str
    mode: str
    simulations: int
    episodes: int
    success: float
    low: float
    high: float
    stands: float
    settled: float
    fewest: float
    stopped: float
    calls: float
    kept: float | None
    kept_first: float | None
    released: float | None
    paper: float | None
    trace: str


def reproduce_table(figure: PaperFigure, asked: Asked) -> Made:
    """Play the table and write it, as its plan and the command have it."""
    given = asked.settings
    if given["rival"] and given["library"]:
        raise InvalidOptionError("a rival goes with the paper's programs for four blocks, not with a library")
    rivals = [load_rival(Path(run)) for run in given["rival"]]
    settings = TableSettings(
        asked.samples or TableSettings.episodes,
        tuple(given["simulations"]),
        given["failing"],
        asked.seed or 0,
        programs=tuple(given["program"]),
    )
    parts = asked_parts(asked)
    return write_table(play_table(parts, settings, rivals), parts, settings, asked.folder)


def play_table(parts: PlannerParts, settings: TableSettings, rivals: Sequence[Rival] = ()) -> list[TableRow]:
    """Play every program that calls others, from the same starts in all modes, and by rivals."""
    library = parts.rules.library
    tasks, published = _tasks(library, settings), PAPER if library.num_blocks == PROGRAMS.num_blocks else {}
    blocks = [(simulations, mode) for simulations in settings.simulations for mode in settings.modes]
    rows: list[TableRow] = []
    with Progress(total=(len(blocks) + len(rivals)) * len(tasks), unit="episode", desc="table 2", delay=2) as bar:
        for number, mode in blocks:
            interpreter = Interpreter(parts.rules, parts.network, parts.model, mode, parts.search_settings(number))
            atomic = parts.atomic
            if settings.failing:
                atomic = FailingAtomicPolicy(atomic, settings.failing, settings.seed)
            rows += table_rows(execute(interpreter, atomic, library, tasks), mode, number, published)
            bar.update(len(tasks))
        for rival in rivals:
            rows += table_rows(execute_goals(rival.policy, library, tasks), rival.name, 0, published)
            bar.update(len(tasks))
    return rows


def write_table(rows: Sequence[TableRow], parts: PlannerParts, settings: TableSettings, folder: Path) -> Made:
    """Write ``table-2.md`` and ``table-2.json`` to a folder, which is made."""
    about = {"settings": asdict(settings), "parts": parts.described(), "num_blocks": parts.rules.library.num_blocks}
    about["commit"] = commit()
    lines = ["# Table 2. AlphaNPI-X on programs that call programs", "", _about(parts, settings), ""]
    made = [row for row in rows if row.kept is not None]
    below = ["", *markdown_table(CALL_HEADINGS, [call_cells(row) for row in made])] if made else []
    for one in rows:
        if (one.mode, one.simulations) == (settings.modes[-1], settings.simulations[0]):
            below += ["", f"A trace of {one.program} ({one.mode}):", "", "```", one.trace, "```"]
    numbers = about | {"rows": [asdict(row) for row in rows]}
    return write_numbers(folder / "table-2.md", lines, HEADINGS, [cells(row) for row in rows], numbers, below)


HEADINGS = ("program", "plays", "psi", "95 %", "stands", "settled", "fewest", "paper")
#: Of the second table, which is written alone.
CALL_HEADINGS = ("program", "plays", "calls", "kept", "first kept", "released", "stopped")


def cells(row: TableRow) -> list[str]:
    """A row as people read it, a text for each of ``HEADINGS``, 80 columns in all."""
    bounds, shares = f"{row.low:.2f}-{row.high:.2f}", (row.stands, row.settled, row.fewest, row.paper)
    return [row.program, _plays(row), f"{row.success:.2f}", bounds, *(_share(share) for share in shares)]


def call_cells(row: TableRow) -> list[str]:
    """What a row tells of its calls, a text for each of ``CALL_HEADINGS``."""
    shares = (row.kept, row.kept_first, row.released, row.stopped)
    return [row.program, _plays(row), f"{row.calls:.1f}", *(_share(share) for share in shares)]


def _plays(row: TableRow) -> str:
    return f"{row.mode} {row.simulations}" if row.simulations else row.mode


def _share(share: float | None) -> str:
    return "" if share is None else f"{share:.2f}"


def _tasks(library: ProgramLibrary, settings: TableSettings) -> list[FetchProgramTask]:
    rng = np.random.default_rng(seed_from_parts("table 2", settings.seed))
    composed = [program for program in library.values() if not program.is_atomic]
    if settings.programs:
        composed = [library[name] for name in settings.programs]
        for program in composed:
            check_composed(program)
    return [draw_program_task(rng, program, 1.0) for program in composed for _ in range(settings.episodes)]


def table_rows(
    played: Sequence[Executed], mode: str, simulations: int, published: Mapping[str, Sequence[float]]
) -> Iterator[TableRow]:
    """A row for each group of programs that were executed.

    Args:
        played: What became of the programs.
        mode, simulations: How they were played; see :class:`TableRow`.
        published: The paper's success, by group in the order of ``MODES``.
    """
    groups: dict[str, list[Executed]] = {}
    for one in played:
        groups.setdefault(_GROUP_OF.get(one.program, one.program), []).append(one)
    for group, found in groups.items():
        is_rival = mode not in MODES
        success = [one.success[-1] and (one.stopped or is_rival) for one in found]
        low, high = wilson(sum(success), len(success))
        stands, settled = (
            float(np.mean([ok and getattr(one, name)[-1] for ok, one in zip(success, found)]))
            for name in ("stands", "settled")
        )
        kept, released = (
            None if is_rival else float(np.mean([is_so for one in found for is_so in getattr(one, name)] or [True]))
            for name in ("kept", "released")
        )
        first = None if is_rival else float(np.mean([one.kept[0] for one in found if one.kept] or [True]))
        yield TableRow(
            program=group,
            mode=mode,
            simulations=simulations,
            episodes=len(found),
            success=float(np.mean(success)),
            low=low,
            high=high,
            stands=stands,
            settled=settled,
            fewest=float(np.mean([one.stands[0] for one in found])),
            stopped=float(np.mean([one.stopped for one in found])),
            calls=float(np.mean([len(one.kept) for one in found])),
            kept=kept,
            kept_first=first,
            released=released,
            paper=_published(group, mode, published),
            trace=drawn_trace(max(found, key=lambda one: (one.stopped, one.stands[-1])).trace),
        )


def _published(group: str, mode: str, published: Mapping[str, Sequence[float]]) -> float | None:
    """The paper's success; of modes that are none of the planner's, its rivals'."""
    if group not in published:
        return None
    return published[group][MODES.index(mode)] if mode in MODES else _PAPER_RIVALS


def wilson(successes: int, episodes: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson, 1927)."""
    share, squared = successes / episodes, _DEVIATIONS**2 / episodes
    middle = (share + squared / 2) / (1 + squared)
    half = np.sqrt(squared * (share * (1 - share) + squared / 4)) / (1 + squared)
    return float(middle - half), float(middle + half)


def _about(parts: PlannerParts, settings: TableSettings) -> str:
    model: Any = "the symbolic one"
    if parts.learned_model is not None:
        one = parts.learned_model
        fails = f", {one.atomic['failing']:.0%} of which fail" if "failing" in one.atomic else ""
        model = f"learned from {one.calls:,} calls of {one.atomic['kind']}{fails} ({one.loss})"
    return (
        f"{parts.rules.library.num_blocks} blocks; atomic policy: {described_atomic(parts.atomic)['kind']}; model: "
        f"{model}; {settings.failing:.0%} of calls fail; {settings.episodes} episodes of every "
        "program and its arguments."
    )
