"""A board's tables as commands show them."""

from collections.abc import Mapping, Sequence
from typing import Any

import typer

from procgen_bench.cli.tables import Column, print_table

#: The columns that a narrow terminal keeps.
_KEPT = ("rank", "method", "teacher", "variant", "fresh")
#: What a flat row begins with, after its benchmark.
_NAMES = ("rank", "not_distinguishable_from", "unranked", "method", "teacher", "variant", "authors", "entry")


def print_board(feeds: Sequence[Mapping[str, Any]]) -> None:
    """Print the rows of benchmarks, each as :func:`~procgen_bench.leaderboards.site.feed.benchmark_feed` gives it, or
    that there are none."""
    from procgen_bench.leaderboards.statistics.resampling import FEWEST_RUNS

    for feed in feeds:
        if feed["rows"]:
            caption = (
                f"{feed['description']} Best possible: {feed['maximum']:g}. "
                "Ranks go by fresh episodes; rows that are not distinguishable from the first of a rank share it. "
                f"In brackets: 95 % intervals, of at least {FEWEST_RUNS} runs that differ."
                + _floors(feed)
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
    """What was learned, in a sentence: learners' scores on the suite, with intervals and runs, and the best floor's."""
    learners = [row for row in feed["rows"] if not row["reference"] and row["folded_under"] is None]
    if not learners:
        return f"{feed['benchmark']}: nothing has been learned yet"
    floors = [row for row in feed["rows"] if row["unranked"] == "floor"]
    best_first = sorted(learners, key=lambda row: -row["score"]["value"])
    scores = [f"{_name(row)} {_estimate(row['score'])} by {_runs(row)}" for row in best_first]
    scores += [f"{_name(row)} {_estimate(row['score'])}" for row in floors[:1]]
    return f"mean {feed['metric']} on the scored tasks of {feed['benchmark']}: {'; '.join(scores)}"


def _flat(feed: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {"benchmark": feed["benchmark"], "version": feed["version"], "metric": feed["metric"]}
    values |= {name: row[name] for name in _NAMES}
    for name in ("fresh", "score", "worst_tenth"):
        estimate = row[name] or {"value": None, "interval": None}
        low, high = estimate["interval"] or (None, None)
        values |= {name: estimate["value"], f"{name}_low": low, f"{name}_high": high}
    values["gain"] = row["gain"]
    values["runs"] = sum(run["counts"] for run in row["runs"])
    return values | {name: row[name] for name in ("training_steps", "training_seconds", "parameters", "epoch")}


def _name(row: Mapping[str, Any]) -> str:
    teacher = f" under {row['teacher']}" if row["teacher"] else ""
    return row["method"] + teacher + (f" ({row['variant']})" if row["variant"] else "")


def _runs(row: Mapping[str, Any]) -> str:
    count = sum(run["counts"] for run in row["runs"])
    return f"{count} run" if count == 1 else f"{count} runs"


def _columns(feed: Mapping[str, Any]) -> list[Column]:
    from procgen_bench.leaderboards.board.columns import board_columns

    rows = feed["rows"]
    titles = {row["entry"]: row["title"] for row in rows}
    standings = [row["standing"] for row in rows if row["standing"] is not None]
    percentiles = standings[0]["percentiles"] if len(standings) == len(rows) > 0 else ()
    without = ["worst_tenth"] if all(row["worst_tenth"] is None for row in rows) else []
    return [
        Column(
            column.title,
            [_cell(column.name, row, titles) for row in rows],
            number=column.kind == "number",
            sentence=column.name in ("method", "variant"),
            spare=column.name not in _KEPT,
        )
        for column in board_columns(feed["metric"], percentiles, without)
        if column.kind != "picture"
    ]


def _cell(name: str, row: Mapping[str, Any], titles: Mapping[str, str]) -> str:
    """What a column (:mod:`procgen_bench.leaderboards.board.columns`) shows of a row."""
    from procgen_bench.leaderboards.board.reproduced import reproduced_badge

    match name:
        case "rank":
            return _rank(row)
        case "method":
            return _method(row, titles)
        case "fresh" | "score" | "interquartile_mean" | "worst_tenth":
            return _estimate(row[name])
        case "gain":
            return f"{row['gain']:z.1f}"
        case "runs":
            return str(sum(run["counts"] for run in row["runs"]))
        case "training_seconds":
            return _duration(row["training_seconds"])
        case "participation":
            return _estimate(row["standing"]["participation"])
        case "tier":
            return reproduced_badge(row["training_reproduced"], len(row["runs"])) or row["tier"]
        case "training_steps" | "parameters" | "epoch":
            return "" if row[name] is None else f"{row[name]:,}"
        case "teacher" | "variant" | "authors":
            return row[name] or ""
        case _:
            return _estimate(row["standing"]["percentiles"][name.removeprefix("P")])


def _rank(row: Mapping[str, Any]) -> str:
    """Its rank, or why it has none."""
    if row["rank"] is not None:
        return str(row["rank"])
    return "-" if row["folded_under"] is not None else row["unranked"]


def _method(row: Mapping[str, Any], titles: Mapping[str, str]) -> str:
    """Its method, and the row whose actions it plays, or which it cannot be told apart from."""
    if row["folded_under"] is not None:
        return f"{row['method']}, as {titles[row['folded_under']]}"
    leader = row["not_distinguishable_from"]
    return row["method"] if leader is None else f"{row['method']}, not distinguishable from {titles[leader]}"


def _floors(feed: Mapping[str, Any]) -> str:
    """The floors in a sentence."""
    from procgen_bench.leaderboards.tracks.tables import FLOORS

    if not feed["floors"]:
        return " No floors are measured: gain counts from the worst possible score."
    return f" Floors: {', '.join(f'{FLOORS[name].lower()} {value:.3g}' for name, value in feed['floors'].items())}."


def _duration(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds / 60:.0f} min"


def _estimate(estimate: Mapping[str, Any] | None) -> str:
    """A value and its interval, if there is one; nothing of no estimate."""
    if estimate is None:
        return ""
    ends = "" if estimate["interval"] is None else " ({:.3f} to {:.3f})".format(*estimate["interval"])
    return f"{estimate['value']:.3f}{ends}"
