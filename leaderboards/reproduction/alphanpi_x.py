"""Table 2 of AlphaNPI-X (Pierrot et al., 2020): programs that call programs, without a plan, with one, and re-planning.

The paper's table has 100 episodes of every program. An episode ends at Stop, or after so many calls as the program
needs at most (and, in a second column, after twice as many); success is the post-condition at its end, after the
gripper has opened and nothing moves any more ("settled").
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from procgen_bench.baselines.parts.block_policy import BlockPolicy
from procgen_bench.baselines.parts.programs.atomic_policies import FailingAtomicPolicy
from procgen_bench.baselines.parts.programs.execution import Executed, execute
from procgen_bench.baselines.parts.programs.goal_execution import execute_goals
from procgen_bench.baselines.parts.programs.interpreter import MODES, Interpreter
from procgen_bench.baselines.parts.programs.model_folder import read_model
from procgen_bench.baselines.parts.programs.planner_parts import (
    METHOD,
    PlannerParts,
    atomic_policy_of,
    described_atomic,
)
from procgen_bench.baselines.parts.programs.search import SearchSettings
from procgen_bench.baselines.parts.programs.traces import drawn_trace
from procgen_bench.baselines.policies.folders import POLICY_FOLDER, PolicyFolder
from procgen_bench.baselines.training.run_folder import read_config
from procgen_bench.core.atomic import write_text
from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.core.seeding import seed_from_parts
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
    """

    episodes: int = 100
    simulations: tuple[int, ...] = (5, 100)
    failing: float = 0.0
    seed: int = 0
    modes: tuple[str, ...] = MODES


@dataclass(frozen=True)
class TableRow:
    """One group of programs in one mode.

    Attributes:
        program: The group: the program's name without its arguments.
        mode: Of ``MODES``, or what a rival is called.
        simulations: Of a decision; 0: a rival's, which makes none.
        episodes: How many were played.
        success: Share whose post-condition held at the end, within the most calls that the program needs.
        settled: The same, and still did when the gripper had opened; ``low`` and ``high`` bound it (95 %, Wilson).
        settled_twice: ``settled`` within twice as many calls.
        stopped: Share that ended by Stop.
        calls: Atomic calls of an episode, on average.
        kept: Share of atomic calls whose own post-condition held at their end, and ``kept_first`` of first calls;
            ``None``: there were no calls.
        paper: The paper's success; ``None``: it has no such program.
        trace: Of one of its episodes, one that succeeded where there is one, drawn as the paper's figure 1.
    """

    program: str
    mode: str
    simulations: int
    episodes: int
    success: float
    settled: float
    low: float
    high: float
    settled_twice: float
    stopped: float
    calls: float
    kept: float | None
    kept_first: float | None
    paper: float | None
    trace: str


@dataclass(frozen=True)
class Rival:
    """A policy for goals without programs: the paper's multitask DDPG.

    Attributes:
        name: What the table calls it: whether with hindsight, and its budget.
        policy: It is shown the goal that a program of its own sets.
    """

    name: str
    policy: BlockPolicy


def load_rival(run: Path) -> Rival:
    """The rival that ``npi-goals`` has trained under its teacher ``program-goals``.

    Raises:
        InvalidPolicyError: The folder holds no such run, or its policy cannot be read.
    """
    settings = (read_config(run) or {}).get("settings", {})
    configuration = settings.get("configuration", {})
    if settings.get("method") != "npi-goals" or configuration.get("teacher") != "program-goals":
        raise InvalidPolicyError(
            f"{run} is not the run of a rival, expected one of `procgen-bench train npi-goals fetch-blocks/test "
            "--teacher program-goals --view raw`"
        )
    policy = BlockPolicy.from_folder(PolicyFolder.read(run / POLICY_FOLDER))
    policy.check_num_blocks(PROGRAMS.num_blocks)
    hindsight = " + HER" if configuration["relabelled"] else ""
    return Rival(f"multitask DDPG{hindsight}, {settings['steps']:,} steps", policy)


def load_parts(planner: Path, atomic: str | None = None, model: Path | None = None) -> PlannerParts:
    """What plays the table.

    Args:
        planner: Folder of a run of ``alphanpi-x``, or of its policy.
        atomic: Who carries out atomic programs: ``"scripted"``, ``"learned"`` or a folder; ``None``: as it was trained.
        model: Folder of the learned model to plan on; ``None``: as it was trained.

    Raises:
        InvalidPolicyError: One of the policies cannot be read, or is of another method or for other programs.
        InvalidModelError: The model cannot be read, or is for another number of blocks.
    """
    inside = planner / POLICY_FOLDER
    kept = PolicyFolder.read(inside if inside.is_dir() else planner)
    if kept.method != METHOD:
        raise InvalidPolicyError(f"{planner} holds a policy of {kept.method!r}, expected one of {METHOD!r}")
    parts = PlannerParts.from_folder(kept, PROGRAMS)
    return parts.with_others(
        None if atomic is None else atomic_policy_of(atomic), None if model is None else read_model(model, PROGRAMS)
    )


def play_table(parts: PlannerParts, settings: TableSettings, rivals: Sequence[Rival] = ()) -> list[TableRow]:
    """Play every program that calls others, from the same starts in all modes, and by rivals."""
    tasks = _tasks(parts.rules.library, settings)
    blocks = [(simulations, mode) for simulations in settings.simulations for mode in settings.modes]
    rows: list[TableRow] = []
    with tqdm(total=(len(blocks) + len(rivals)) * len(tasks), unit="episode", desc="table 2", delay=2) as bar:
        for number, mode in blocks:
            search = SearchSettings(number, min(number, SearchSettings().sub_simulations), explores=False)
            interpreter = Interpreter(parts.rules, parts.network, parts.model, mode, search)
            atomic = parts.atomic
            if settings.failing:
                atomic = FailingAtomicPolicy(atomic, settings.failing, settings.seed)
            played = execute(interpreter, atomic, parts.rules.library, tasks)
            rows += _rows(played, mode, number)
            bar.update(len(tasks))
        for rival in rivals:
            rows += _rows(execute_goals(rival.policy, parts.rules.library, tasks), rival.name, 0)
            bar.update(len(tasks))
    return rows


def write_table(rows: Sequence[TableRow], parts: PlannerParts, settings: TableSettings, folder: Path) -> Path:
    """Write ``table-2.md`` and ``table-2.json`` to a folder, which is made; returns the first."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "table-2.md"
    about = {"settings": asdict(settings), "parts": parts.described(), "atomic": described_atomic(parts.atomic)}
    numbers = json.dumps(about | {"rows": [asdict(row) for row in rows]}, indent=1)
    write_text(path.with_suffix(".json"), numbers + "\n")
    lines = ["# Table 2. AlphaNPI-X on programs that call programs", "", _about(parts, settings), ""]
    row = "| {} |".format
    lines += [row(" | ".join(HEADINGS)), row(" | ".join(["---"] * len(HEADINGS)))]
    lines += [row(" | ".join(cells(one))) for one in rows]
    for one in rows:
        if (one.mode, one.simulations) == (settings.modes[-1], settings.simulations[0]):
            lines += ["", f"A trace of {one.program} ({one.mode}):", "", "```", one.trace, "```"]
    write_text(path, "\n".join(lines) + "\n")
    return path


HEADINGS = (
    "program",
    "mode",
    "simulations",
    "settled success",
    "95 %",
    "twice the calls",
    "calls kept",
    "first calls kept",
    "the paper's",
)


def cells(row: TableRow) -> list[str]:
    """A row as people read it, a text for each of ``HEADINGS``."""
    shares = (row.settled_twice, row.kept, row.kept_first)
    shown = ["" if share is None else f"{share:.3f}" for share in shares]
    paper = "" if row.paper is None else f"{row.paper:.2f}"
    return [
        row.program,
        row.mode,
        str(row.simulations),
        f"{row.settled:.3f}",
        f"{row.low:.2f} to {row.high:.2f}",
        *shown,
        paper,
    ]


def _tasks(library: ProgramLibrary, settings: TableSettings) -> list[FetchProgramTask]:
    rng = np.random.default_rng(seed_from_parts("table 2", settings.seed))
    composed = [program for program in library.values() if not program.is_atomic]
    return [draw_program_task(rng, program, 1.0) for program in composed for _ in range(settings.episodes)]


def _rows(played: Sequence[Executed], mode: str, simulations: int) -> Iterator[TableRow]:
    groups: dict[str, list[Executed]] = {}
    for one in played:
        groups.setdefault(_GROUP_OF.get(one.program, one.program), []).append(one)
    for group, found in groups.items():
        settled = [one.settled[0] for one in found]
        low, high = _wilson(sum(settled), len(settled))
        is_rival = mode not in MODES
        kept = None if is_rival else float(np.mean([kept for one in found for kept in one.kept] or [True]))
        first = None if is_rival else float(np.mean([one.kept[0] for one in found if one.kept] or [True]))
        yield TableRow(
            program=group,
            mode=mode,
            simulations=simulations,
            episodes=len(found),
            success=float(np.mean([one.success[0] for one in found])),
            settled=float(np.mean(settled)),
            low=low,
            high=high,
            settled_twice=float(np.mean([one.settled[-1] for one in found])),
            stopped=float(np.mean([one.stopped for one in found])),
            calls=float(np.mean([len(one.kept) for one in found])),
            kept=kept,
            kept_first=first,
            paper=None if group not in PAPER else _PAPER_RIVALS if is_rival else PAPER[group][MODES.index(mode)],
            trace=drawn_trace(max(found, key=lambda one: one.settled[0]).trace),
        )


def _wilson(successes: int, episodes: int) -> tuple[float, float]:
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
        f"Atomic policy: {described_atomic(parts.atomic)['kind']}; model: {model}; {settings.failing:.0%} of calls "
        f"fail; {settings.episodes} episodes of every program and its arguments."
    )
