"""The table and the figure that compare both sides' measurements."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

#: Teacher -> its name, and the share of the steps that are learned from: of ten new or replayed levels eight are
#: replayed, and each of these has a child under ACCEL.
TEACHERS = {"uniform": ("uniform", 1.0), "robust-plr": ("robust PLR", 0.8), "accel": ("ACCEL", 0.8 / 1.8)}
NAMES = {"ours": "procgen_bench", "theirs": "JaxUED"}
#: Parts of a step's time.
PARTS = ("rollout", "update", "teacher")
#: Teacher -> side -> its measurements before the first turn and after the last.
Measured = Mapping[str, Mapping[str, list[dict[str, Any]]]]


def costs(said: list[dict[str, Any]], share: float) -> dict[str, float]:
    """Processor seconds of a step, by its part, where a share of the steps are learned from.

    Args:
        said: At the beginning and at the end: ``"steps"``, those of them that were ``"learned"`` from, and
            ``"seconds"`` by part. Updates are of steps that are learned from, or else idle.
        share: Chance gives a few updates another.
    """
    begun, ended = said
    steps, learned = (ended[name] - begun[name] for name in ("steps", "learned"))
    seconds = {name: ended["seconds"][name] - begun["seconds"][name] for name in ended["seconds"]}
    update = share * seconds["learning update"] / learned + (1 - share) * seconds["idle update"] / max(
        1, steps - learned
    )
    return {"rollout": seconds["rollout"] / steps, "update": update, "teacher": seconds["teacher"] / steps}


def table(measured: Measured) -> str:
    """A row for each teacher and side, in Markdown."""
    titles = ["Teacher", "Side", "Weights", "Steps/s", "Factor", *(f"{part.capitalize()}, µs a step" for part in PARTS)]
    rows = [titles, ["---"] * len(titles)]
    for teacher, sides in measured.items():
        name, share = TEACHERS[teacher]
        by_side = {side: costs(said, share) for side, said in sides.items()}
        totals = {side: sum(own.values()) for side, own in by_side.items()}
        for side, own in by_side.items():
            row = [name, NAMES[side], f"{sides[side][1]['weights']:,}", f"{1 / totals[side]:,.0f}"]
            row += [f"{totals['theirs'] / totals[side]:.2f}", *(f"{1e6 * own[part]:.0f}" for part in PARTS)]
            rows.append(row)
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def draw(measured: Measured, path: Path) -> None:
    """A bar for each teacher and side: the time of a step, by its parts."""
    labels = [f"{TEACHERS[teacher][0]}, {NAMES[side]}" for teacher, sides in measured.items() for side in sides]
    bars = [costs(said, TEACHERS[teacher][1]) for teacher, sides in measured.items() for said in sides.values()]
    figure, axes = plt.subplots(figsize=(8, 3.2))
    left = [0.0] * len(bars)
    for part in PARTS:
        widths = [1e6 * own[part] for own in bars]
        axes.barh(labels, widths, left=left, label=part)
        left = [begin + width for begin, width in zip(left, widths)]
    axes.invert_yaxis()
    axes.set_xlabel("processor time of a step, microseconds")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)
