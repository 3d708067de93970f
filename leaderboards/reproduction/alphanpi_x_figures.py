"""Figures of AlphaNPI-X (Pierrot et al., 2020) that are training runs: of the goal policy, and of the planner."""

from procgen_bench.leaderboards.reproduction.paper_figures import Curve, Options, Panel, PaperFigure
from procgen_bench.tasks.programs import PROGRAMS

#: Steps of stage 1, and imagined ones of stage 3, by which the package's own runs had learned.
_GOAL_STEPS, _PLANNER_STEPS = 1_000_000, 10_000_000
#: What all runs of the goal policy have: their phases in the same places.
_GOALS: Options = {"phase_1_steps": 280_000}
#: Calls from which self-models are learned, as in the paper.
_RECORDED = (10_000, 50_000, 100_000)

FIGURES: dict[int, PaperFigure] = {
    figure.number: figure
    for figure in (
        PaperFigure(
            4,
            "The goal policy by the share of calls that go on from where others ended, and self-models by their calls",
            (
                Panel(
                    "goals",
                    "fetch-blocks/test",
                    tuple(
                        Curve(f"p = {share:g}", "npi-goals", {"continued": share, **_GOALS})
                        for share in (0.5, 0.0, 1.0)
                    ),
                    _GOAL_STEPS,
                    1,
                    "p = 0.5 does best on calls in a row, and without phase 2 these fail. Here: calls of programs, "
                    "fresh and continued, from phase 2 on (280,000 steps).",
                ),
                Panel(
                    "self-model",
                    "fetch-blocks/groups",
                    tuple(
                        Curve(
                            f"{calls:,} calls",
                            "alphanpi-x",
                            {"atomic": "learned", "model": "learned", "recorded_calls": calls},
                        )
                        for calls in _RECORDED
                    ),
                    _PLANNER_STEPS,
                    1,
                    "50,000 calls are enough. Here: post-conditions of held-out calls of the package's policy that are "
                    "foreseen as they came out.",
                    measures=("agreement_move", "agreement_stack"),
                    within="model",
                    against="epochs of the self-model",
                    optional=True,
                ),
                Panel(
                    "ablation",
                    "fetch-blocks/test",
                    tuple(
                        Curve(
                            f"{view} view, reward of {reward}", "npi-goals", {**_GOALS, **view_option, **reward_option}
                        )
                        for view, view_option in (("relative", {}), ("raw", {"view": "raw"}))
                        for reward, reward_option in (("own", {}), ("all", {"reward": "all"}))
                    ),
                    _GOAL_STEPS,
                    1,
                    "it has a raw view and the reward of all blocks alone. Here: what else the first phase can be.",
                    measures=("success",),
                    optional=True,
                ),
            ),
            measures=(
                "success",
                *(f"teacher_success_{call}{suffix}" for suffix in ("", "-continued") for call in ("move", "stack")),
            ),
        ),
        PaperFigure(
            5,
            "Programs that call others, as the planner foresees them while it learns",
            (
                Panel(
                    "programs",
                    "fetch-blocks/groups",
                    (
                        Curve("random programs", "alphanpi-x", {"evaluate_every": 500_000}),
                        Curve(
                            "by learning progress",
                            "alphanpi-x",
                            {"evaluate_every": 500_000, "curriculum": "progress"},
                            optional=True,
                        ),
                    ),
                    _PLANNER_STEPS,
                    1,
                    "programs of level 1 are learned first, then Clean_Table and Clean_And_Stack.",
                    against="imagined steps",
                ),
            ),
            measures=tuple(f"success_{program.name}" for program in PROGRAMS.values() if not program.is_atomic),
        ),
    )
}
