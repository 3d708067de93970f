"""Who plays AlphaNPI-X's table 2 and figure 1: planners and the paper's rivals, from the folders of their runs."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.papers.alphanpi_x.alphanpi_x import library_of
from procgen_bench.baselines.papers.alphanpi_x.block_policy import BlockPolicy
from procgen_bench.baselines.papers.alphanpi_x.programs.call_rules import described
from procgen_bench.baselines.papers.alphanpi_x.programs.model_folder import read_model
from procgen_bench.baselines.papers.alphanpi_x.programs.planner_parts import METHOD, PlannerParts, atomic_policy_of
from procgen_bench.baselines.policies.folders import POLICY_FOLDER, SHIPPED, TRAINED, PolicyFolder
from procgen_bench.baselines.training.run_folder import curve_of, read_config
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError, InvalidPolicyError, InvalidTaskError
from procgen_bench.core.paths import check_named_or_folder
from procgen_bench.core.registrations import environment_type
from procgen_bench.leaderboards.sweeps.figure_file import Asked
from procgen_bench.tasks.programs import PROGRAMS, Program, ProgramLibrary, paper_library
from procgen_bench.tasks.programs.checks import LEAST_BLOCKS, MOST_BLOCKS

#: Where the planner plays: what that needs is there, or nothing is begun.
_PLAYED = "FetchProgram-v0"
#: Arms that have names; others are folders.
ARMS = ("scripted", "learned")
#: Imagined steps for which a planner is trained that is not given: all programs are learned by then.
_PLANNER_STEPS = 10_000_000


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
    return Rival(f"multitask DDPG{hindsight}, {int(curve_of(run)[-1]['step']):,} steps", policy)


def asked_parts(asked: Asked) -> PlannerParts:
    """The planner that is asked for, with its settings; without one the package's, or, of a library that is given, one
    that is trained first, in the folder's ``planner``.

    Raises:
        InvalidOptionError: Something is no folder, or a number is out of its range.
    """
    environment_type(_PLAYED)
    failing, simulations = asked.settings["failing"], np.min(asked.settings["simulations"])
    if not 0 <= failing <= 1:
        raise InvalidOptionError(f"failing is {failing}, expected a share of calls, 0 to 1")
    if simulations < 2:
        raise InvalidOptionError(f"simulations is {simulations}, expected at least 2")
    atomic, model, library = (asked.settings[name] or None for name in ("atomic", "model", "library"))
    check_named_or_folder("--policy", next(iter(asked.policies), None), (TRAINED,))
    check_named_or_folder("model", model)
    check_named_or_folder("atomic", atomic, ARMS)
    model_folder = None if model is None else Path(model)
    given = next(iter(asked.policies), None if library else TRAINED)
    if given is None:
        planner = _trained_planner(asked.folder / "planner", library)
    else:
        planner = SHIPPED[_PLAYED] if given == TRAINED else Path(given)
    return load_parts(planner, atomic, model_folder, library)


def _trained_planner(folder: Path, library: str | None) -> Path:
    """The run in this folder, finished: a planner on the symbolic model of a library."""
    method, benchmark = METHODS[METHOD], get_benchmark("fetch-blocks/groups")
    configuration = method.configured(benchmark.environment_id, {} if library is None else {"library": library})
    return method.train(benchmark, configuration, 0, _PLANNER_STEPS, folder).path


def load_parts(
    planner: Path, atomic: str | None = None, model: Path | None = None, library: str | None = None
) -> PlannerParts:
    """What plays the table.

    Args:
        planner: Folder of a run of ``alphanpi-x``, or of its policy.
        atomic: Who carries out atomic programs: ``"scripted"``, ``"learned"`` or a folder; ``None``: as it was trained.
        model: Folder of the learned model to plan on; ``None``: as it was trained.
        library: The programs, as the option of ``alphanpi-x`` names them; ``None``: the paper's, for as many blocks as
            the planner has.

    Raises:
        InvalidPolicyError: One of the policies cannot be read, or is of another method or for other programs.
        InvalidLibraryError: There is no such library.
        InvalidModelError: The model cannot be read, or is for another number of blocks.
    """
    inside = planner / POLICY_FOLDER
    kept = PolicyFolder.read(inside if inside.is_dir() else planner)
    if kept.method != METHOD:
        raise InvalidPolicyError(f"{planner} holds a policy of {kept.method!r}, expected one of {METHOD!r}")
    programs = _papers_programs(planner, kept) if library is None else library_of(library)
    return PlannerParts.from_folder(kept, programs).with_others(
        None if atomic is None else atomic_policy_of(atomic), None if model is None else read_model(model, programs)
    )


def _papers_programs(planner: Path, kept: PolicyFolder) -> ProgramLibrary:
    """The paper's programs for as many blocks as a planner has."""
    found = kept.configuration.get("programs")
    num_blocks = found.get("num_blocks") if isinstance(found, dict) else None
    if num_blocks in range(LEAST_BLOCKS, MOST_BLOCKS + 1) and found == described(paper_library(num_blocks)):
        return paper_library(num_blocks)
    raise InvalidPolicyError(f"{planner} is for other programs than the paper's, expected --set library=MODULE:NAME")


def check_composed(program: Program) -> None:
    """Raise :class:`InvalidTaskError` where a program calls no others."""
    if program.is_atomic:
        raise InvalidTaskError("program", program.name, "one that calls others")
