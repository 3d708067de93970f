"""The figures of "Adaptive Procedural Task Generation" (Fang et al., 2021) that are runs: 3, 4, 5, 6 and 13.

Everyone's student is ``dqn`` with that paper's settings. Curricula alternate generated tasks and the target, or
(APT-Gen) play both for the same number of steps; the others play the target alone. Unlike the paper's, no curriculum
plays grids without a solution, which are 17 of 18 uniform ones, or tables without a target; on grids the same with
"all levels" is run where it is asked for by its label. Everyone's discount is 0.99 on grids and 0.9 on tables (the
paper gives none). The environments and the evaluated students are deterministic, so one episode of an evaluation says
what the paper's 50 do.
"""

from dataclasses import replace

from procgen_bench.leaderboards.reproduction.paper_figures import Curve, Options, Panel, PaperFigure

_SEEDS = 5
#: Environment steps of a run: the paper's strips show what is generated for GridWorld-A until 45,000 (figure 6).
_STEPS, _STEPS_OF = 100_000, {"grid-a": 60_000, "table-a": 60_000}
_BENCHMARKS = {
    **{f"grid-{target}": f"grid-world/target-{target}" for target in "abc"},
    **{f"table-{target}": f"table-push/target-{target}" for target in "abc"},
    "out-of-space": "table-push/out-of-space",
}
#: At 0.99 a push of nothing is worth 1 % less than the right one, and the student waits beside the goal.
_STUDENTS: dict[str, Options] = {"table-push": {"discount": 0.9}}
_ONE_EPISODE: Options = {"evaluation_episodes": 1}
_TARGET_ALONE: Options = {"teacher": "targets", **_ONE_EPISODE}


def _by_apt_gen(label: str, teacher_options: str = "") -> Curve:
    own: Options = {"teacher_options": teacher_options} if teacher_options else {}
    return Curve(label, "dqn", {"teacher": "apt-gen", **own, **_ONE_EPISODE})


def _in_turns(label: str, teacher: str) -> Curve:
    return Curve(label, "dqn", {"teacher": teacher, "target_share": 0.5, **_ONE_EPISODE})


_APT_GEN = _by_apt_gen("APT-Gen")
#: The paper's rules and settings, as far as they are stated; of an episode the discriminator sees four steps, which
#: stand for all. What remains of ours: docs/teachers.md.
_AS_PUBLISHED = Curve(
    "APT-Gen, as published",
    "dqn",
    {
        "teacher": "apt-gen",
        "teacher_options": "published=true,warm_up=10000,iterations=1,steps=4,value_rate=0.0003,admission=0,"
        "discriminator_decay=0,decay=0,restraint=0",
        "solvable": False,
        **_ONE_EPISODE,
    },
    optional=True,
)
#: Not in the paper: a discriminator that sees walls.
_BY_MIXTURES = replace(_by_apt_gen("APT-Gen, mixtures", "mixtures=true"), optional=True)
#: Not in the paper: three of ten tasks beside the target are uniform.
_EXPLORING = replace(_by_apt_gen("APT-Gen, exploring", "explored=0.3"), optional=True)
_RANDOM, _GOAL_GAN = _in_turns("Random", "uniform"), _in_turns("GoalGAN", "goal-gan")
_ALP_GMM = _in_turns("ALP-GMM", "alp-gmm")
_DQN, _ICM, _RND, _RIDE = (
    Curve(label, method, _TARGET_ALONE)
    for label, method in (("DQN", "dqn"), ("ICM", "dqn-icm"), ("RND", "dqn-rnd"), ("RIDE", "dqn-ride"))
)
_CURRICULA = (_APT_GEN, _RANDOM, _GOAL_GAN, _ALP_GMM)
_EVERYONE = (*_CURRICULA, _DQN, _ICM, _RND, _RIDE)
#: As in the paper, whose curricula do not know what can be solved.
_ON_ALL_LEVELS = tuple(
    Curve(f"{curve.label}, all levels", curve.method, {**curve.options, "solvable": False}, optional=True)
    for curve in _CURRICULA
)

_ABOUT_TARGETS = {
    "grid-a": "APT-Gen does best; where one room stands in a nearly empty grid, some others come near it (4.2).",
    "grid-b": "APT-Gen does best and learns which key opens which room first; most others fail on long tasks (4.2).",
    "grid-c": "APT-Gen does best and learns which key opens which room first; most others fail on long tasks (4.2).",
    "table-a": "APT-Gen does best: it moves obstacles in the right order, without collisions (4.2).",
    "table-b": "APT-Gen does best: it moves obstacles in the right order, without collisions (4.2).",
    "table-c": "APT-Gen does best: its can yields, lets the obstacle out, and returns; most others fail (4.2).",
}
_ABOUT_PROGRESS = {
    "grid-a": (
        "At first the goal is near and the way free; from 15,000 to 30,000 steps it moves to the far corner and walls "
        "close around it; at 45,000 its room has a door, and the key lies apart (4.4)."
    ),
    "table-c": (
        "At first an empty table and a near goal; then a can in between and a larger goal; at 60,000 steps more "
        "obstacles and a goal of the right size (4.4)."
    ),
    "out-of-space": "Blocks and pits gradually outline what the space cannot make (4.4).",
}
_SHOWN = "Tasks become harder and more like the target (appendix C)."
_ABOUT_DELTA = "From 0.3 to 0.7 about the same; worse outside (appendix D)."


def _panel(name: str, curves: tuple[Curve, ...], claim: str, seeds: int = _SEEDS) -> Panel:
    benchmark = _BENCHMARKS[name]
    own = _STUDENTS.get(benchmark.partition("/")[0], {})
    curves = tuple(replace(curve, options={**curve.options, **own}) for curve in curves)
    return Panel(name, benchmark, curves, _STEPS_OF.get(name, _STEPS), seeds, claim)


_DELTAS = tuple(
    _by_apt_gen(f"delta {delta:g}", "" if delta == 0.5 else f"delta={delta:g}")  # that run is figure 3's
    for delta in (-0.1, 0.1, 0.3, 0.5, 0.7, 0.9, 1.1)
)

FIGURES: dict[int, PaperFigure] = {
    figure.number: figure
    for figure in (
        PaperFigure(
            3,
            "The targets: APT-Gen and its rivals",
            tuple(
                _panel(
                    name,
                    (
                        *(*_EVERYONE, _EXPLORING, _BY_MIXTURES, _AS_PUBLISHED),
                        *(_ON_ALL_LEVELS if name.startswith("grid") else ()),
                    ),
                    claim,
                )
                for name, claim in _ABOUT_TARGETS.items()
            ),
            measures=("return",),
        ),
        PaperFigure(
            4,
            "A target outside of the task space",
            (
                _panel(
                    "out-of-space",
                    tuple(
                        replace(curve, optional=curve not in (_APT_GEN, _RANDOM, _ALP_GMM, _DQN)) for curve in _EVERYONE
                    ),
                    "APT-Gen learns it soon; the others take far more steps or never do (4.2).",
                ),
            ),
            measures=("return",),
        ),
        PaperFigure(
            5,
            "What the generator is rewarded for",
            (
                _panel(
                    "table-c",
                    (
                        _APT_GEN,
                        _by_apt_gen("return only", "progress=0"),
                        _by_apt_gen("progress only", "returns=0"),
                    ),
                    "Either alone is worse: progress hurries to the target, the return stays with easy tasks (4.3).",
                ),
            ),
            measures=("return",),
        ),
        PaperFigure(
            6,
            "What is generated over training",
            tuple(
                _panel(name, (_APT_GEN, _BY_MIXTURES, _AS_PUBLISHED), _ABOUT_PROGRESS.get(name, _SHOWN), seeds=1)
                for name in _BENCHMARKS
            ),
            measures=("return",),
            shows="levels",
            beside=("teacher_key_share", "teacher_kept_walls"),
        ),
        PaperFigure(
            13,
            "The least return of generated tasks",
            tuple(_panel(name, _DELTAS, _ABOUT_DELTA) for name in ("table-c", "grid-a")),
            measures=("return",),
        ),
    )
}
