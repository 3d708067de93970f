"""board.json: all rows of a board for those who compute with them, and what the index is made of."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from procgen_bench.core.version import __version__
from procgen_bench.leaderboards.board.table import Row
from procgen_bench.leaderboards.scores import exact_mean
from procgen_bench.leaderboards.site.section import Section
from procgen_bench.leaderboards.statistics.estimates import Estimate

if TYPE_CHECKING:
    from procgen_bench.leaderboards.xland.standing import Standing

FEED_FILE = "board.json"
_FORMAT_VERSION = 4


def board_feed(benchmarks: Sequence[dict[str, Any]]) -> str:
    """The document as text, of what :func:`benchmark_feed` gives of each benchmark."""
    feed = {"format_version": _FORMAT_VERSION, "written_by": f"procgen-bench {__version__}", "benchmarks": benchmarks}
    return json.dumps(feed, indent=1, allow_nan=False) + "\n"


def benchmark_feed(section: Section) -> dict[str, Any]:
    """A benchmark's rows in the table's order, those of earlier versions, and the entries that are left out."""
    benchmark = section.benchmark
    return {
        "benchmark": benchmark.id,
        "version": benchmark.version,
        "description": benchmark.description,
        "metric": benchmark.metric,
        "minimum": benchmark.minimum,
        "maximum": benchmark.maximum,
        "floors": section.known_floors,
        "scale_start": section.scale_start,
        "normaliser": benchmark.normaliser,
        "rows": [_row(row) | {"gain": _rounded(section.gain(row))} for row in section.rows],
        "archive": [{"version": version, "rows": [_row(row) for row in rows]} for version, rows in section.archive],
        "unreadable": [{"entry": entry.name, "reason": entry.reason} for entry in section.unreadable],
    }


def _row(row: Row) -> dict[str, Any]:
    entry, summary = row.entry, row.summary
    metadata, record = entry.metadata, entry.record
    return {
        "rank": row.rank,
        "entry": entry.name,
        "title": metadata.method,
        "method": row.name.method,
        "teacher": row.name.teacher,
        "variant": row.name.variant,
        "authors": metadata.authors,
        "link": metadata.link,
        "not_distinguishable_from": None if row.indistinct_from is None else row.indistinct_from.name,
        "unranked": row.badge,
        "explanation": None if row.unranked is None else row.unranked.explanation,
        "reference": row.is_reference,
        "folded_under": None if row.folded_under is None else row.folded_under.name,
        "tier": entry.tier.value,
        "epoch": record.epoch,
        "training_reproduced": list(entry.reproduced),
        "standing": None if row.standing is None else _standing(row.standing),
        "score": _estimate(summary.mean),
        "interquartile_mean": _known(row.interquartile_mean),
        "median": _known(row.median),
        "worst_tenth": _known(row.worst_tenth),
        "optimality_gap": _known(row.optimality_gap),
        "fresh": _known(row.fresh),
        "runs": [
            {
                "training_seed": run.training_seed,
                "policy_hash": run.policy_hash,
                "score": score,
                "fresh": None if entry.fresh is None else exact_mean(entry.fresh[place]),
                "counts": place in row.counted_runs,
                "training_tasks": None if run.training_tasks is None else run.training_tasks.model_dump(),
            }
            for place, (run, score) in enumerate(zip(metadata.runs, entry.scores.mean(axis=1).tolist(), strict=True))
        ],
        "training_steps": metadata.training_steps,
        "training_seconds": row.training_seconds,
        "trained_on": row.trained_on,
        "parameters": row.parameters,
        "fresh_episodes": 0 if entry.fresh is None else entry.fresh.shape[1],
        "resembles": [asdict(one) for one in row.resembles],
    }


def _standing(standing: "Standing") -> dict[str, Any]:
    """How a row stands under its benchmark's normaliser."""
    return {
        "normaliser": standing.normaliser,
        "percentiles": {str(percentile): _estimate(value) for percentile, value in standing.percentiles.items()},
        "participation": _estimate(standing.participation),
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    """With its interval, where there is one.

    Sums differ in their last digits from one processor to another; what is published does not.
    """
    ends = None if estimate.interval is None else [_rounded(end) for end in estimate.interval]
    return {"value": _rounded(estimate.value), "interval": ends}


def _known(estimate: Estimate | None) -> dict[str, Any] | None:
    return None if estimate is None else _estimate(estimate)


def _rounded(value: float) -> float:
    return float(f"{value:.10g}")
