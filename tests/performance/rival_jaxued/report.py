"""The comparison's table and curves, of what the runs have written."""

from collections.abc import Mapping
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

#: Setting, teacher and side of a run -> what it wrote.
Runs = Mapping[tuple[str, str, str], dict]
NAMES = {"ours": "procgen_bench", "theirs": "JaxUED"}
LABELS = {"uniform": "uniform / DR", "robust-plr": "robust PLR", "accel": "ACCEL"}
CLOCKS = ("processor", "wall")


def curve(run: dict) -> list[dict]:
    """The run's stamps, as if nothing had had to be compiled."""
    return [stamp | {clock: stamp[clock] - compiling(run, clock) for clock in CLOCKS} for stamp in run["stamps"]]


def compiling(run: dict, clock: str) -> float:
    """Seconds that the first round of training took beyond the second."""
    first, second = (stamp[clock] for stamp in run["stamps"][:2])
    return max(0.0, 2 * first - second)


def solved_by(run: dict, seconds: float) -> float:
    """Share of the held-out mazes that is solved after so many processor seconds, between two evaluations in line."""
    stamps = curve(run)
    return float(np.interp(seconds, *([0.0, *(stamp[name] for stamp in stamps)] for name in ("processor", "solved"))))


def table(runs: Runs, seconds: float) -> str:
    """A row per run, in Markdown: speed, and the solved share after a quarter, half and all of the time."""
    budgets = [seconds / 4, seconds / 2, seconds]
    titles = ["Setting", "Teacher", "Side", "Weights", "Steps", "Steps/s (processor)", "Steps/s (wall)", "Compiling, s"]
    titles += [f"Solved at {budget:.0f} s" for budget in budgets]
    rows = [titles, ["---"] * len(titles)]
    for (setting, teacher, side), run in runs.items():
        first, *_, last = curve(run)
        speeds = [(last["step"] - first["step"]) / (last[clock] - first[clock]) for clock in CLOCKS]
        row = [setting, LABELS[teacher], NAMES[side], f"{run['weights']:,}", f"{last['step']:,}"]
        row += [f"{speed:,.0f}" for speed in speeds] + [f"{compiling(run, 'processor'):.0f}"]
        rows.append(row + [f"{solved_by(run, budget):.2f}" for budget in budgets])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def draw(runs: Runs, path: Path) -> None:
    """Solved share over processor seconds: a panel per setting, a colour per teacher, ours in full lines."""
    settings = list(dict.fromkeys(setting for setting, _, _ in runs))
    figure, panels = plt.subplots(1, len(settings), figsize=(5 * len(settings), 3.4), sharey=True, squeeze=False)
    for panel, setting in zip(panels[0], settings):
        for (own, teacher, side), run in runs.items():
            if own == setting:
                stamps = curve(run)
                panel.plot(
                    [0, *(stamp["processor"] for stamp in stamps)],
                    [0, *(stamp["solved"] for stamp in stamps)],
                    color=f"C{list(LABELS).index(teacher)}",
                    linestyle="-" if side == "ours" else "--",
                    label=f"{LABELS[teacher]}, {NAMES[side]}",
                )
        panel.set(title=setting, xlabel="processor seconds", ylim=(0, 1))
    panels[0][0].set_ylabel("solved share of held-out mazes")
    panels[0][-1].legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path)
