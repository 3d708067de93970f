"""The file of a plan: generations of runs, each of which begins from what the last one has found.

method = "vmpo"
benchmark = "xland/small"
seeds = 4                         # members of each generation: runs of seeds 0 to 3
steps = 5_000_000                 # of each run; by default the benchmark's budget

[options]                         # of all runs
action_repeat = 4

[evolution]                       # where it is there, members evolve as a population; all keys have defaults
start = 0.1                       # shares of a run's steps: see leaderboards/sweeps/population.py

[[generations]]
objective = "reward-play"         # "reward", the default, or self reward-play
fitness = ["success"]             # whose greatest the best member has; behind it, what decides between equals

[[generations]]
fitness = ["success", "percentile_10"]
teacher_policy = "last"           # the best of the generation before, the default; "none", "trained" or a folder
co_players = ["noop", "learner", "trained", "earlier"]  # "earlier": the best of every earlier generation

[generations.options]             # of this generation's runs
distil_share = 0.1
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from procgen_bench.baselines.method_table import get_method, policy_type_of
from procgen_bench.baselines.methods.ppo import actor_critic
from procgen_bench.baselines.methods.ppo_settings import ActorCriticConfiguration
from procgen_bench.baselines.policies.arrays import network_arrays
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.training.normalised_scores import score_percentiles
from procgen_bench.baselines.training.run_folder import unopened
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.checks import check_count
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.leaderboards.sweeps.cell import Cell
from procgen_bench.leaderboards.sweeps.population import Evolution
from procgen_bench.leaderboards.sweeps.sweep_file import (
    SweepFileError,
    check,
    naming,
    option_types,
    option_value,
    read_toml,
    seeds_of,
)

LAST, NOBODY, EARLIER = "last", "none", "earlier"
_KNOWN = ("method", "benchmark", "seeds", "steps", "options", "evolution", "generations")
_OF_GENERATIONS = ("objective", "fitness", "teacher_policy", "co_players", "options")
#: Options that a generation's own keys decide.
_ELSEWHERE = {"reward_play": "objective", "teacher_policy": "teacher_policy", "co_players": "co_players"}
_OBJECTIVES = {"reward": False, "reward-play": True}
_MEASURES = ("success", "return")


@dataclass(frozen=True)
class Generation:
    """One generation of a plan.

    Attributes:
        reward_play: Whether it learns by self reward-play.
        fitness: Columns of the curves by which the best member is chosen, the first of which decides.
        teacher_policy: :data:`LAST`, :data:`NOBODY`, ``trained`` where a policy is shipped, or a policy's folder.
        co_players: Names, ``trained`` among them, policies' folders, and :data:`EARLIER`; none: as the environment has
            it.
        options: The method's further options, by field name.
    """

    reward_play: bool
    fitness: tuple[str, ...]
    teacher_policy: str
    co_players: tuple[str, ...]
    options: dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """What a plan trains.

    Attributes:
        method, benchmark: Name and id.
        seeds: Seeds of each generation's runs.
        steps: Environment steps of a run.
        generations: In their order.
        evolution: How a generation's members evolve; ``None``: they do not.
    """

    method: str
    benchmark: str
    seeds: tuple[int, ...]
    steps: int
    generations: tuple[Generation, ...]
    evolution: Evolution | None = None

    def cells(self, number: int, best: Sequence[Path], out: Path) -> list[Cell]:
        """The runs of a generation.

        Args:
            number: Its place.
            best: Policies' folders of the best of all generations before it.
            out: Folder of all generations.
        """
        own = self.generations[number]
        folders = [str(path) for path in best]
        options = dict(own.options)
        if own.reward_play:
            options["reward_play"] = True
        if own.teacher_policy != NOBODY:
            options["teacher_policy"] = folders[-1] if own.teacher_policy == LAST else own.teacher_policy
        named = [other for name in own.co_players for other in (folders if name == EARLIER else [name])]
        if named:
            options["co_players"] = ",".join(named)
        ordered = {name: options[name] for name in option_types(self.method) if name in options}
        below = out / f"generation-{number + 1}"
        return [Cell(self.method, self.benchmark, ordered, seed, self.steps, below) for seed in self.seeds]


def read_plan(path: Path) -> Plan:
    """The plan that a TOML file describes.

    Raises:
        SweepFileError: It cannot be read, or a run of one of its generations would be refused.
    """
    content = read_toml(path)
    with naming(str(path)):
        plan = _checked(content)
        _check_runs(plan)
    return plan


def _check_runs(plan: Plan) -> None:
    """Refuse what a run of one of the generations would refuse before its first step.

    For the best of earlier generations stand policies that have learned nothing.
    """
    with TemporaryDirectory() as scratch:
        untrained: list[Path] = []
        for number in range(1, len(plan.generations) + 1):
            cell = plan.cells(number - 1, untrained, Path(scratch))[0]
            try:
                with unopened():
                    benchmark = get_benchmark(cell.benchmark)
                    get_method(cell.method).train(benchmark, cell.configuration, cell.seed, cell.steps, cell.folder)
            except ProcgenBenchError as error:
                reason = str(error)
                for earlier, folder in enumerate(untrained, start=1):
                    reason = reason.replace(str(folder), f"the best of generation {earlier}")
                raise SweepFileError(f"generation {number}: {reason}") from error
            untrained.append(Path(scratch) / str(number) / "best")
            _write_untrained(cell, untrained[-1])


def _write_untrained(cell: Cell, folder: Path) -> None:
    """What a run's policy is before its first step, where other runs may learn from it, or play with it."""
    own, environment_id = cell.configuration, get_benchmark(cell.benchmark).environment_id
    if isinstance(own, ActorCriticConfiguration):
        policy_type = policy_type_of(cell.method, environment_id)
        policy, _ = actor_critic(get_benchmark(cell.benchmark), own, cell.seed, policy_type)
        settings = {"stochastic": own.stochastic} | own.sizes
        PolicyFolder(cell.method, environment_id, settings, network_arrays(policy.network)).write(folder)


def _checked(content: dict[str, Any]) -> Plan:
    for key in content:
        check(key in _KNOWN, "key", key, f"one of {list(_KNOWN)}")
    for key in ("method", "benchmark", "generations"):
        check(key in content, "the file", f"without {key}", f"one, e.g. {key} = ...")
    method, benchmark = content["method"], content["benchmark"]
    with naming("method"):
        check(isinstance(method, str) and get_method(method).trainable, "method", method, "the name of one that learns")
    with naming("benchmark"):
        check(isinstance(benchmark, str), "benchmark", benchmark, "an id")
        get_method(method).check_environment(get_benchmark(benchmark).environment_id)
    steps = content.get("steps", get_benchmark(benchmark).interaction_budget)
    check_count("steps", steps)
    tables = content["generations"]
    fine = isinstance(tables, list) and len(tables) > 0 and all(isinstance(table, dict) for table in tables)
    check(fine, "generations", tables, "tables, [[generations]]")
    shared, measures = _options(method, content.get("options", {})), _measures(benchmark)
    generations = []
    for number, table in enumerate(tables):
        with naming(f"generation {number + 1}"):
            generations.append(_generation(method, benchmark, number, table, shared, measures))
    seeds = seeds_of(content.get("seeds", 1))
    evolution = _evolution(content["evolution"], len(seeds)) if "evolution" in content else None
    return Plan(method, benchmark, seeds, steps, tuple(generations), evolution)


def _evolution(table: Any, members: int) -> Evolution:
    check(isinstance(table, dict), "evolution", table, "a table")
    check(members > 1, "evolution", f"with {members} member", "at least 2, seeds = 2: one alone has nobody to copy")
    known = {field.name: field.default for field in fields(Evolution)}
    for name, value in table.items():
        check(name in known, "evolution", name, f"one of {list(known)}")
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        most = math.inf if name == "guard" else 1
        least = 1e-6 if name == "every" else 0
        check(is_number and least <= value <= most, f"evolution.{name}", value, f"a number from {least} to {most}")
    return Evolution(**{name: float(value) for name, value in table.items()})


def _without(method: str, benchmark: str, is_given: bool) -> str:
    """What is expected of a generation where the method lacks what generations add."""
    if is_given:
        return f"none: {method} has none in {benchmark}"
    return f'teacher_policy = "none": {method} is not distilled from the generation before in {benchmark}'


def _generation(
    method: str,
    benchmark: str,
    number: int,
    table: dict[str, Any],
    shared: dict[str, Any],
    measures: Sequence[str],
) -> Generation:
    for key in table:
        check(key in _OF_GENERATIONS, "key", key, f"one of {list(_OF_GENERATIONS)}")
    objective = table.get("objective", "reward")
    check(objective in list(_OBJECTIVES), "objective", objective, f"one of {list(_OBJECTIVES)}")
    fitness = table.get("fitness", ["success"])
    check(isinstance(fitness, list) and len(fitness) > 0, "fitness", fitness, f"a list of {list(measures)}")
    for name in fitness:
        check(name in measures, "fitness", name, f"what the benchmark's tasks pay: {list(measures)}")
    teacher = table.get("teacher_policy", LAST if number else NOBODY)
    check(isinstance(teacher, str), "teacher_policy", teacher, f"{LAST!r}, {NOBODY!r}, 'trained' or a policy's folder")
    check(teacher != LAST or number > 0, "teacher_policy", teacher, "another: no generation is before the first")
    others = table.get("co_players", [])
    fine = isinstance(others, list) and all(isinstance(name, str) and "," not in name for name in others)
    check(fine, "co_players", others, f"a list of names, policies' folders and {EARLIER!r}")
    known = get_method(method).options_in(get_benchmark(benchmark).environment_id)
    used = {"reward_play": _OBJECTIVES[objective], "teacher_policy": teacher != NOBODY, "co_players": bool(others)}
    for name, is_used in used.items():
        key = _ELSEWHERE[name]
        check(not is_used or name in known, key, table.get(key, teacher), _without(method, benchmark, key in table))
    options = shared | _options(method, table.get("options", {}))
    return Generation(_OBJECTIVES[objective], tuple(fitness), teacher, tuple(others), options)


def _options(method: str, table: Any) -> dict[str, Any]:
    check(isinstance(table, dict), "options", table, "a table")
    for name in table:
        check(name not in _ELSEWHERE, "options", name, f"a key of a generation's, {_ELSEWHERE.get(name)}")
    return {name: option_value(method, name, value) for name, value in table.items()}


def _measures(benchmark: str) -> list[str]:
    """By what members can be compared: percentiles only where tasks pay anything."""
    best = get_benchmark(benchmark).curve_suite().records.get("best_return")
    return [*_MEASURES, *([] if best is None else score_percentiles(best, best))]
