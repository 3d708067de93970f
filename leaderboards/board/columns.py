"""The columns of a benchmark's table, in their order: the terminal and the site show these."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal


@dataclass(frozen=True)
class BoardColumn:
    """A column of a benchmark's table.

    Attributes:
        name: What it shows of a row.
        title: What stands above it.
        explanation: A sentence about it; empty: the title says all.
        kind: What its cells are; a picture is left out of terminals.
        best_first: Whether who sorts by it wants the greatest first.
    """

    name: str
    title: str
    explanation: str = ""
    kind: Literal["number", "text", "picture"] = "number"
    best_first: bool = False


#: All columns; ``{metric}`` in titles and explanations stands for the benchmark's metric.
_COLUMNS = (
    BoardColumn("rank", "rank"),
    BoardColumn("method", "method", kind="text"),
    BoardColumn("teacher", "teacher", kind="text"),
    BoardColumn("variant", "variant", kind="text"),
    BoardColumn(
        "fresh",
        "fresh {metric}",
        "Mean {metric} of the policies when the verifier played them on fresh episodes of its own, and how much that "
        "is above or below the suite's: what ranks",
        best_first=True,
    ),
    BoardColumn(
        "score",
        "suite's {metric}",
        "Mean {metric} on the benchmark's tasks, as the verifier saw it, or replayed from recorded actions",
        best_first=True,
    ),
    BoardColumn(
        "gain",
        "gain",
        "The suite's {metric} on a scale from the best floor (0) to the best possible score (100): players that see "
        "nothing reach 0; where no floor is measured, 0 is the worst possible score",
        best_first=True,
    ),
    BoardColumn("standing", "standing"),
    BoardColumn("dots", "scores of runs", "From the worst possible score to the best possible one", "picture"),
    BoardColumn(
        "interquartile_mean", "IQM", "Interquartile mean: mean of the middle half of all scores", best_first=True
    ),
    BoardColumn(
        "worst_tenth",
        "worst tenth",
        "Mean {metric} on the worst tenth of a run's tasks: one half of the episodes finds them, the other scores them",
        best_first=True,
    ),
    BoardColumn("runs", "runs"),
    BoardColumn("training_steps", "training steps"),
    BoardColumn("training_seconds", "training time", "Wall time of a run's training, mean over runs"),
    BoardColumn("parameters", "parameters", "Numbers that the policy's tensors hold"),
    BoardColumn("tier", "tier", kind="text"),
    BoardColumn("authors", "authors", kind="text"),
    BoardColumn("submitted_on", "submitted", kind="text"),
)


def board_columns(metric: str, percentiles: Iterable[str], without: Iterable[str] = ()) -> list[BoardColumn]:
    """The columns of a benchmark's table.

    Args:
        metric: The benchmark's.
        percentiles: Those under which its rows stand by its normaliser; none where it has none.
        without: Names of columns that are left out.
    """
    columns = [
        replace(one, title=one.title.format(metric=metric), explanation=one.explanation.format(metric=metric))
        for one in _COLUMNS
        if one.name not in without
    ]
    place = [one.name for one in columns].index("standing")
    columns[place : place + 1] = _standing(list(percentiles))
    return columns


def _standing(percentiles: list[str]) -> list[BoardColumn]:
    columns = [
        BoardColumn(f"P{one}", f"P{one}", f"Normalised score at percentile {one} of the games", best_first=True)
        for one in percentiles
    ]
    about = "Share of tasks with any reward"
    return [*columns, BoardColumn("participation", "participation", about, best_first=True)] if columns else []
