"""The figures of "Keeping Your Distance" (Trott et al., 2019) that are runs: 3 to 9."""

from dataclasses import replace
from typing import Any

from procgen_bench.leaderboards.reproduction.paper_figures import Curve, Options, Panel, PaperFigure

_SIBLING_RIVALRY = Curve("PPO + SR", "sibling-rivalry")
#: Not in the paper: five times as many updates, whose steps are not cut short by Adam's epsilon.
_OFTENER = Curve("PPO + SR, oftener", "sibling-rivalry", {"rollouts": 16, "adam_epsilon": 1e-5}, optional=True)
_NAIVE = Curve("PPO (naive)", "ppo-naive")
_ICM = Curve("PPO + ICM", "ppo-icm")
_RND = Curve("PPO + RND", "ppo-rnd")
_GRID_ORACLE = Curve("PPO + GO", "ppo-grid-oracle")
_DDPG_HER = Curve("DDPG + HER", "ddpg-her")

_MAZE_STEPS, _BITS_STEPS, _ANT_STEPS, _VOXEL_STEPS = 10_000_000, 2_000_000, 32_000_000, 5_000_000
_SMALL_STEPS = 800_000
_SIDES = (2, 4, 6, 8, 10)
#: On bits gradients are nearly all of the time; runs are 1.7 times as fast so.
_BITS: Options = {"precision": "bfloat16"}
#: All 500 tasks, on a processor, would take as long as what a GPU learns between two evaluations.
_VOXELS: Options = {"evaluate_every": 500_000, "evaluation_tasks": 100}
#: In the small arena a gradient step takes 200 steps, in the large one 1,000.
_SMALL: Options = {"evaluate_every": 100_000, "rollouts": 32, "minibatches": 8, "adam_epsilon": 1e-5, "gae_lambda": 0.9}
_ABOUT_SIDES = {
    "corridor": "SR solves the corridor of every side length quickly.",
    "u": "SR solves the U mazes too, the longest only with a carefully chosen epsilon.",
}


def _by_epsilon(epsilons: tuple[float, ...], default: float | None = None) -> tuple[Curve, ...]:
    """Curves by epsilon; that of the default is figure 3's."""
    return tuple(
        Curve(f"epsilon {epsilon:g}", "sibling-rivalry", {} if epsilon == default else {"epsilon": epsilon})
        for epsilon in epsilons
    )


def _side_lengths(kind: str) -> tuple[Panel, ...]:
    # The paper (appendix B) does not tell its epsilon here, but that it excludes much: 1, beside the large maze's 5.
    curves = _by_epsilon((1.0, 5.0))
    lengths = (
        Panel(f"{kind}-{side}", f"point-maze/{kind}-{side}", curves, 1_500_000, 5, _ABOUT_SIDES[kind])
        for side in _SIDES
    )
    longest = f"{kind}-{_SIDES[-1]}"
    claim = (
        f"How the longest {kind} maze depends on epsilon: "
        + {
            "corridor": "not at all.",
            "u": "strongly; the range of good values is small.",
        }[kind]
    )
    by_epsilon = Panel(
        f"{longest}-epsilon", f"point-maze/{longest}", _by_epsilon((0.0, 1.0, 2.0, 5.0, 10.0)), 1_500_000, 5, claim
    )
    return (*lengths, by_epsilon)


def _starts(name: str, benchmark: str, steps: int, claim: str, **options: Any) -> Panel:
    curves = (
        Curve("same start", "sibling-rivalry", options),
        Curve("own starts", "sibling-rivalry", {"own_starts": True, **options}),
    )
    return Panel(name, benchmark, curves, steps, 5, claim)


FIGURES: dict[int, PaperFigure] = {
    figure.number: figure
    for figure in (
        PaperFigure(
            3,
            "Mazes: Sibling Rivalry and its rivals",
            (
                Panel(
                    "point-maze",
                    "point-maze/test",
                    (_SIBLING_RIVALRY, _NAIVE, _ICM, _RND, _DDPG_HER),
                    _MAZE_STEPS,
                    10,
                    "SR solves the maze in 5 of 5 runs; naive PPO never; ICM and HER in 1 of 5; RND never.",
                ),
                Panel(
                    "ant-maze",
                    "ant-maze/test",
                    (_SIBLING_RIVALRY, _NAIVE, _ICM, _DDPG_HER),
                    _ANT_STEPS,
                    5,
                    "SR solves the maze in 5 of 5 runs; naive PPO never; ICM in 2 of 5; HER late in 3 of 5.",
                ),
            ),
        ),
        PaperFigure(
            4,
            "Bits: Sibling Rivalry and its rivals",
            (
                Panel(
                    "bit-grid",
                    "bit-grid/test",
                    tuple(
                        replace(curve, options=_BITS)
                        for curve in (
                            _SIBLING_RIVALRY,
                            _NAIVE,
                            _ICM,
                            Curve("DQN", "dqn-dense"),
                            Curve("DQN + HER", "dqn-her"),
                        )
                    ),
                    _BITS_STEPS,
                    5,
                    "SR learns the task in 5 of 5 runs, HER fast, DQN gradually; naive PPO and ICM never.",
                ),
            ),
        ),
        PaperFigure(
            5,
            "Construction: success and structure completion",
            (
                Panel(
                    "voxel-build",
                    "voxel-build/test",
                    (
                        replace(_SIBLING_RIVALRY, options=_VOXELS),
                        # As little chance as Sibling Rivalry: its entropy bonus.
                        replace(_NAIVE, options={**_VOXELS, "entropy_weight": 0.0}),
                        _OFTENER,
                    ),
                    _VOXEL_STEPS,
                    2,
                    "SR learns to build most of what it is shown; with the naive reward the agent soon builds nothing.",
                ),
                Panel(
                    "small",
                    "voxel-build/small",
                    (
                        replace(_SIBLING_RIVALRY, options=_SMALL),
                        replace(_NAIVE, options={**_SMALL, "entropy_weight": 0.0}),
                    ),
                    _SMALL_STEPS,
                    3,
                    "Nothing about a small arena; of the large one the same.",
                ),
            ),
            measures=("success", "completion"),
        ),
        PaperFigure(
            6, "Corridors and U mazes by side length", (*_side_lengths("corridor"), *_side_lengths("u")), columns=5
        ),
        PaperFigure(
            7,
            "The inclusion threshold epsilon",
            (
                Panel(
                    "point-maze",
                    "point-maze/test",
                    _by_epsilon(tuple(float(epsilon) for epsilon in range(11)), default=5.0),
                    _MAZE_STEPS,
                    5,
                    "Low epsilon explores too much, middle values solve the maze, high ones settle in the corridor.",
                ),
            ),
            measures=("success", "distance", "sibling_distance"),
        ),
        PaperFigure(
            8,
            "Siblings with the same start and with their own",
            (
                _starts("point-maze", "point-maze/test", _MAZE_STEPS, "Own starts converge faster."),
                _starts("bit-grid", "bit-grid/test", _BITS_STEPS, "Both are about the same.", **_BITS),
            ),
        ),
        PaperFigure(
            9,
            "Sibling Rivalry and the grid oracle",
            (
                Panel(
                    "point-maze",
                    "point-maze/test",
                    (_SIBLING_RIVALRY, _GRID_ORACLE),
                    _MAZE_STEPS,
                    5,
                    "The oracle finds the goal sooner, SR solves the maze more consistently.",
                ),
                Panel(
                    "ant-maze",
                    "ant-maze/test",
                    (_SIBLING_RIVALRY, _GRID_ORACLE),
                    _ANT_STEPS,
                    5,
                    "The oracle finds the goal sooner, SR solves the maze more consistently.",
                ),
            ),
        ),
    )
}
