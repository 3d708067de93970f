"""A board's tables as commands show them."""

from collections.abc import Mapping, Sequence
from typing import Any

import typer

from procgen_bench.cli.tables import Column, print_table

#: The columns that a narrow terminal keeps.
_KEPT = ("rank", "method", "teacher", "variant")


def print_board(feeds: Sequence[Mapping[str, Any]]) -> None:
    """Print the rows of benchmarks, each as :func:`~procgen_bench.leaderboards.site.feed.benchmark_feed` gives it, or
    that there are none."""
    from procgen_bench.leaderboards.statistics.resampling import FEWEST_RUNS

    for feed in feeds:
        if feed["rows"]:
            caption = (
                f"{feed['description']} Best possible: {feed['maximum']:g}. "
                f"Ranks go by fresh episodes. In brackets: 95 % intervals, of at least {FEWEST_RUNS} runs that differ."
                + (f" Normaliser version {feed['normaliser']}." if feed["normaliser"] else "")
            )
            print_table(_columns(feed), f"{feed['benchmark']} v{feed['version']}", caption)
        else:
            typer.echo(f"{feed['benchmark']}: no entries")
        typer.echo()


def board_rows(feeds: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows of benchmarks in one table, for programs: estimates as a value and the ends of its interval."""
    return [_flat(feed, row) for feed in feeds for row in feed["rows"]]


def in_words(feed: Mapping[str, Any]) -> str:
    """What was learned, in a sentence: the suite's scores of learners beside the best floor's."""
    learners = [row for row in feed["rows"] if not row["reference"] and row["folded_under"] is None]
    if not learners:
        return f"{feed['benchmark']}: nothing has been learned yet"
    floors = [row for row in feed["rows"] if row["unranked"] == "floor"]
    best_first = sorted(learners, key=lambda row: -row["score"]["value"])
    scores = [f"{_name(row)} {_estimate(row['score'])}" for row in (*best_first, *floors[:1])]
    return f"mean {feed['metric']} on the scored tasks of {feed['benchmark']}: {', '.join(scores)}"


def _flat(feed: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {"benchmark": feed["benchmark"], "version": feed["version"], "metric": feed["metric"]}
    values |= {name: row[name] for name in ("rank", "unranked", "method", "teacher", "variant", "authors", "entry")}
    for name in ("fresh", "score", "worst_tenth"):
        estimate = row[name] or {"value": None, "interval": None}
        low, high = estimate["interval"] or (None, None)
        values |= {name: estimate["value"], f"{name}_low": low, f"{name}_high": high}
    values["runs"] = sum(run["counts"] for run in row["runs"])
    return values | {name: row[name] for name in ("training_steps", "training_seconds", "parameters", "submitted_on")}


def _name(row: Mapping[str, Any]) -> str:
    teacher = f" under {row['teacher']}" if row["teacher"] else ""
    return row["method"] + teacher + (f" ({row['variant']})" if row["variant"] else "")


def _columns(feed: Mapping[str, Any]) -> list[Column]:
    rows, metric = feed["rows"], feed["metric"]
    titles = {row["entry"]: row["title"] for row in rows}
    cells = {
        "rank": [_rank(row) for row in rows],
        "method": [_method(row, titles) for row in rows],
        "teacher": [row["teacher"] or "" for row in rows],
        "variant": [row["variant"] or "" for row in rows],
        f"fresh {metric}": [_estimate(row["fresh"]) for row in rows],
        f"suite's {metric}": [_estimate(row["score"]) for row in rows],
        **_standings(rows),
        "runs": [str(sum(run["counts"] for run in row["runs"])) for row in rows],
        "worst tenth": [f"{row['worst_tenth']['value']:.3f}" for row in rows],
        "training steps": [f"{row['training_steps']:,}" for row in rows],
        "training time": [_duration(row["training_seconds"]) for row in rows],
        "parameters": ["" if row["parameters"] is None else f"{row['parameters']:,}" for row in rows],
        "by segments": [str(row["by_segments"] or "") for row in rows],
    }
    kept = (*_KEPT, f"fresh {metric}")
    return [
        Column(
            title,
            column,
            number=title not in _KEPT[1:],
            sentence=title in ("method", "variant"),
            spare=title not in kept,
        )
        for title, column in cells.items()
    ]


def _rank(row: Mapping[str, Any]) -> str:
    """Its rank, or why it has none."""
    if row["rank"] is not None:
        return str(row["rank"])
    return "-" if row["folded_under"] is not None else row["unranked"]


def _method(row: Mapping[str, Any], titles: Mapping[str, str]) -> str:
    """Its method, and the row whose actions it plays."""
    return row["method"] if row["folded_under"] is None else f"{row['method']}, as {titles[row['folded_under']]}"


def _standings(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """How rows stand under their benchmark's normaliser; nothing where it has none."""
    standings = [row["standing"] for row in rows if row["standing"] is not None]
    if len(standings) < len(rows):
        return {}
    percentiles = standings[0]["percentiles"]
    return {
        **{f"P{place}": [_estimate(one["percentiles"][place]) for one in standings] for place in percentiles},
        "participation": [_estimate(one["participation"]) for one in standings],
    }


def _duration(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds / 60:.0f} min"


def _estimate(estimate: Mapping[str, Any] | None) -> str:
    """A value and its interval, if there is one; nothing of no estimate."""
    if estimate is None:
        return ""
    ends = "" if estimate["interval"] is None else " ({:.3f} to {:.3f})".format(*estimate["interval"])
    return f"{estimate['value']:.3f}{ends}"
