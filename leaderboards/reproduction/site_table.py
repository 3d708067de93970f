"""Tables 1 and 3 of CoDE (Gur et al., 2021): success by site and level, of the final policies of its runs."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.core.atomic import write_text
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.progress import Progress
from procgen_bench.core.registrations import make_task_space
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.leaderboards.reproduction.sweep import SweepRun
from procgen_bench.tasks.sites.published_sites import GRADED_SITES, LEVELS, SITES

HEADINGS = ("benchmark", "method", "runs", *GRADED_SITES, "hardest level")


@dataclass(frozen=True)
class SiteScores:
    """The runs of one curve.

    Attributes:
        panel: Name of the curve's panel.
        benchmark: Its id.
        label: What the curve is called.
        success: float64 (runs, sites, levels), shares of the suite's tasks; places as ``GRADED_SITES`` and ``LEVELS``.
    """

    panel: str
    benchmark: str
    label: str
    success: np.ndarray


def site_scores(runs: Sequence[SweepRun]) -> list[SiteScores]:
    """What the runs' policies solve, one episode a task; a row for every curve, in the order of the runs."""
    scores: dict[tuple[str, str, str], list[np.ndarray]] = {}
    for run in Progress(runs, unit="policy", desc="table", delay=2):
        place = run.panel.name, run.panel.benchmark, run.curve.label
        scores.setdefault(place, []).append(_success(run))
    return [SiteScores(*place, np.stack(found)) for place, found in scores.items()]


def write_site_table(
    scores: Sequence[SiteScores], claim: str, path: Path, number: int, published: Mapping[str, Sequence[int]]
) -> None:
    """Write the table as Markdown, below what the paper says, and the same as JSON beside it.

    Args:
        scores: Our rows.
        claim: What the paper says.
        path: ``.md``.
        number: The table's.
        published: The paper's percentages on the hardest level, of the ``GRADED_SITES``, by method.
    """
    row = "| {} |".format
    lines = [f"# Table {number}. Success by site, at levels 1 to 4", "", f"The paper: {claim}", ""]
    lines += [row(" | ".join(HEADINGS)), row(" | ".join(["---"] * len(HEADINGS)))]
    lines += [row(" | ".join(cells(one))) for one in scores]
    lines += [row(" | ".join(published_cells(label, shares))) for label, shares in published.items()]
    write_text(path, "\n".join(lines) + "\n")
    ours = [{"panel": s.panel, "label": s.label, "success": s.success.tolist()} for s in scores]
    paper = {label: dict(zip(GRADED_SITES, shares, strict=True)) for label, shares in published.items()}
    found = {"sites": list(GRADED_SITES), "levels": list(LEVELS), "runs": ours, "paper_percent_level_4": paper}
    write_text(path.with_suffix(".json"), json.dumps(found, indent=1) + "\n")


def published_cells(label: str, shares: Sequence[int]) -> list[str]:
    """A row of the paper's, which tells of the hardest level alone."""
    sites = [f"{share / 100:.2f}" for share in shares]
    return ["the paper, level 4", label, "5", *sites, f"{np.mean(shares) / 100:.2f}"]


def cells(scores: SiteScores) -> list[str]:
    """A row as people read it, a text for each of ``HEADINGS``: means over the runs."""
    means = scores.success.mean(axis=0)
    sites = [" ".join(f"{value:.2f}" for value in levels) for levels in means]
    benchmark = f"{scores.benchmark}, {scores.panel}"
    return [benchmark, scores.label, str(len(scores.success)), *sites, f"{means[:, -1].mean():.2f}"]


def _success(run: SweepRun) -> np.ndarray:
    benchmark = get_benchmark(run.panel.benchmark)
    suite = make_task_space(benchmark.environment_id).suite(benchmark.suite)
    places = np.flatnonzero(np.isin(suite.records["level"], LEVELS))
    policy = load_policy(run.folder / "policy", benchmark.environment_id)
    tasks = [suite.tasks[place] for place in places.tolist()]
    seeds = [seed_from_parts("site table", place) for place in places.tolist()]
    played = play_episodes(policy, benchmark.environment_id, tasks, seeds)
    solved = np.array([episode.success for episode in played])
    of_sites, of_levels = suite.records["site"][places], suite.records["level"][places]
    return np.array(
        [
            [solved[(of_sites == SITES.index(site)) & (of_levels == level)].mean() for level in LEVELS]
            for site in GRADED_SITES
        ]
    )
