"""Tables 1 and 3 of CoDE (Gur et al., 2021): success by site and level, of the final policies of its runs.

And by value, of what is no line: boxes, options and lists. There whoever sees a field's key alone may do one thing for
every value, or for one of them, which means over sites hide.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from procgen_bench.baselines.method_table import policy_type_of
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.policy import Policy
from procgen_bench.core.progress import Progress
from procgen_bench.core.registrations import make_task_space
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.leaderboards.reproduction.tables import markdown_table, write_numbers
from procgen_bench.leaderboards.sweeps.curves import steps_of_player
from procgen_bench.leaderboards.sweeps.figure_file import Made, PaperFigure
from procgen_bench.leaderboards.sweeps.figure_runs import SweepRun
from procgen_bench.tasks.sites.elements import Behaviour
from procgen_bench.tasks.sites.published_sites import GRADED_SITES, LEVELS, MINIWOB_SITES, SITES
from procgen_bench.tasks.sites.task import SiteTask

_SITES = (*GRADED_SITES, "hardest level", "MiniWoB's three sites")
HEADINGS = ("benchmark", "method", "runs", "steps per player", "actions", *_SITES)
#: How a policy's actions are taken: the likeliest ones, or drawn, as in training.
WAYS = ("greedy", "drawn")


@dataclass(frozen=True)
class SiteScores:
    """The runs of one curve.

    Attributes:
        panel: Name of the curve's panel.
        benchmark: Its id.
        label: What the curve is called.
        success: float64 (runs, 2, sites, levels), shares of the suite's tasks; places as ``WAYS``, ``GRADED_SITES`` and
            ``LEVELS``.
        miniwob: float64 (runs, 2, 3), the same of ``MINIWOB_SITES``, which have no levels.
        steps: Steps that the runs' students acted in, on average.
        by_value: By value (:func:`values_of`) float64 (runs, 2), shares of the tasks of all levels that ask for it.
    """

    panel: str
    benchmark: str
    label: str
    success: np.ndarray
    miniwob: np.ndarray
    steps: float
    by_value: Mapping[str, np.ndarray]


def write_sites(figure: PaperFigure, runs: Sequence[SweepRun], folder: Path, by_value: bool = False) -> list[Made]:
    """Play the runs' policies, and write the figure's table of their success; ``by_value``: and that by value."""
    scores = site_scores(runs)
    made = [write_site_table(figure, scores, folder, by_value)]
    return [*made, Made(*value_table(scores), {})] if by_value else made


def site_scores(runs: Sequence[SweepRun]) -> list[SiteScores]:
    """What the runs' policies solve, an episode a task each way; an entry for every curve, in the order of the runs."""
    scores: dict[tuple[str, str, str], list[tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]]] = {}
    steps: dict[tuple[str, str, str], list[float]] = {}
    for run in Progress(runs, unit="policy", desc="table", delay=2):
        place = run.panel.name, run.panel.benchmark, run.curve.label
        scores.setdefault(place, []).append(_success(run))
        curve = run.read_curve()
        steps.setdefault(place, []).append(steps_of_player(curve[-1]) if curve else math.nan)
    return [
        SiteScores(
            *place,
            np.stack([success for success, _, _ in found]),
            np.stack([miniwob for _, miniwob, _ in found]),
            float(np.mean(steps[place])),
            {value: np.stack([by_value[value] for *_, by_value in found]) for value in found[0][2]},
        )
        for place, found in scores.items()
    ]


def write_site_table(figure: PaperFigure, scores: Sequence[SiteScores], folder: Path, by_value: bool = False) -> Made:
    """Write the table as Markdown, below what the paper says and above its numbers, and the same as JSON beside it.

    The JSON has success by value, too; the Markdown if it is asked for.
    """
    lines = [
        f"# Table {figure.table}. Success by site, at levels 1 to 4",
        "",
        f"The paper: {figure.panels[0].claim}",
        "",
    ]
    published = figure.percent_by_site
    theirs = [f"| {' | '.join(published_cells(label, shares))} |" for label, shares in published.items()]
    ours = [
        {
            "panel": one.panel,
            "label": one.label,
            "steps_per_player": None if math.isnan(one.steps) else one.steps,
            "success": one.success.tolist(),
            "miniwob": one.miniwob.tolist(),
            "by_value": {value: shares.tolist() for value, shares in one.by_value.items()},
        }
        for one in scores
    ]
    paper = {label: dict(zip(GRADED_SITES, shares, strict=True)) for label, shares in published.items()}
    places = {
        "actions": list(WAYS),
        "sites": list(GRADED_SITES),
        "levels": list(LEVELS),
        "miniwob": list(MINIWOB_SITES),
    }
    numbers = {**places, "runs": ours, "paper_percent_level_4": paper}
    values = ["", "Success by value, of greedy and drawn actions:", "", *markdown_table(*value_table(scores))]
    path, below = folder / f"table-{figure.table}.md", [*theirs, *(values if by_value else ())]
    return write_numbers(path, lines, HEADINGS, [*rows(scores)], numbers, below)


def published_cells(label: str, shares: Sequence[int]) -> list[str]:
    """A row of the paper's, which tells of the hardest level alone."""
    sites = [f"{share / 100:.2f}" for share in shares]
    return ["the paper, level 4", label, "5", "", "", *sites, f"{np.mean(shares) / 100:.2f}", ""]


def rows(scores: Sequence[SiteScores]) -> Iterator[list[str]]:
    """Rows as people read them, a text for each of ``HEADINGS``: means over the runs, a row for each of ``WAYS``."""
    for one in scores:
        for way, means, others in zip(WAYS, one.success.mean(axis=0), one.miniwob.mean(axis=0), strict=True):
            sites = [_values(levels) for levels in means]
            benchmark, count = f"{one.benchmark}, {one.panel}", str(len(one.success))
            steps = "" if math.isnan(one.steps) else f"{one.steps:,.0f}"
            yield [benchmark, one.label, count, steps, way, *sites, f"{means[:, -1].mean():.2f}", _values(others)]


def values_of(task: SiteTask) -> list[str]:
    """What a task asks of its boxes, all together, and of each of its groups of options and lists."""
    profile, boxes, others = dict(task.profile), [], []
    for primitive in dict.fromkeys(task.design.primitives):
        behaviours = {element.behaviour for element in primitive.root}
        if primitive.active and Behaviour.CHECK in behaviours:
            boxes.append(f"{primitive.field} {profile[primitive.field]}")
        elif primitive.active and {Behaviour.CHOOSE, Behaviour.SELECT} & behaviours:
            others.append(f"{primitive.field} {profile[primitive.field]}")
    return sorted({*others, *([", ".join(sorted(boxes))] if boxes else [])})


def value_table(scores: Sequence[SiteScores]) -> tuple[list[str], list[list[str]]]:
    """Headings and rows of means over the runs, greedy and drawn: a row for every value, a column for every curve."""
    headings, found = ["value", *(f"{one.label}, {one.panel}" for one in scores)], []
    for value in dict.fromkeys(value for one in scores for value in one.by_value):
        means = [one.by_value[value].mean(axis=0) if value in one.by_value else () for one in scores]
        found.append([value, *(" ".join(f"{mean:.2f}" for mean in pair) for pair in means)])
    return headings, found


def _in_both_ways(path: Path, environment_id: str) -> list[Policy]:
    """A trained policy, one for each of ``WAYS``."""
    folder = PolicyFolder.read_for(path, environment_id)
    settings = [folder.configuration | {"stochastic": way == "drawn"} for way in WAYS]
    policy_type = policy_type_of(folder.method, folder.environment)
    return [policy_type.from_folder(replace(folder, configuration=own)) for own in settings]


def _values(shares: np.ndarray) -> str:
    return " ".join(f"{share:.2f}" for share in shares)


def _success(run: SweepRun) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """A policy's ``success`` (2, sites, levels), ``miniwob`` (2, 3) and ``by_value`` (2,), see :class:`SiteScores`."""
    benchmark = get_benchmark(run.panel.benchmark)
    suite = make_task_space(benchmark.environment_id).suite(benchmark.suite)
    tasks = suite.tasks
    seeds = [seed_from_parts("site table", place) for place in range(len(tasks))]
    policies = _in_both_ways(run.folder / "policy", benchmark.environment_id)
    played = [play_episodes(policy, benchmark.environment_id, tasks, seeds) for policy in policies]
    solved = np.array([[episode.success for episode in episodes] for episodes in played])
    of_sites, of_levels = suite.records["site"], suite.records["level"]
    success = [
        [solved[:, (of_sites == SITES.index(site)) & (of_levels == level)].mean(axis=1) for level in LEVELS]
        for site in GRADED_SITES
    ]
    miniwob = np.array([solved[:, of_sites == SITES.index(site)].mean(axis=1) for site in MINIWOB_SITES])
    asked = [values_of(task) if level in LEVELS else [] for task, level in zip(tasks, of_levels, strict=True)]
    by_value = {
        value: solved[:, [value in own for own in asked]].mean(axis=1)
        for value in sorted({value for own in asked for value in own})
    }
    return np.moveaxis(np.array(success), 2, 0), miniwob.T, by_value
