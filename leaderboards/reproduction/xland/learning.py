"""The figures of XLand's paper that are runs, in the small: 16, learning by what agents train on."""

from procgen_bench.leaderboards.reproduction.paper_figures import Curve, Options, Panel, PaperFigure

_STEPS = 10_000_000
_EVALUATED: Options = {"evaluate_every": 1_000_000, "evaluation_tasks": 70, "checkpoint_every": 500_000}
#: Skills from easy to hard: the others are found soon by an agent that goes to things and takes hold of them.
_ORDER = ("near", "hold", "see", "stand", "carry", "gather", "clear")


def _stages(*further: str) -> str:
    """The order, each stage with further options of the task space."""
    return "stages=" + "/".join("+".join((f"skill:{skill}", *further)) for skill in _ORDER) + ",threshold=0.3"


def _curve(label: str, teacher: str, options: str = "") -> Curve:
    return Curve(label, "ppo", {**_EVALUATED, "teacher": teacher, "teacher_options": options})


FIGURES: dict[int, PaperFigure] = {
    16: PaperFigure(
        16,
        "Seven skills, by what agents train on",
        (
            Panel(
                "skills",
                "xland/skills",
                (
                    _curve("skills in order", "stages", _stages()),
                    _curve("in order, starts as drawn", "stages", _stages("close_starts:0")),
                    _curve("all at once", "uniform"),
                    _curve("dynamic tasks", "dynamic-tasks", "most_control=0.5,too_easy=0.8"),
                    _curve("SFL", "learnability", "candidates=256,episodes=2,period=200,buffer_size=128"),
                ),
                _STEPS,
                3,
                "without dynamic task generation agents learn little: most tasks are too hard for them at first. Here: "
                "an order of skills and starts close to what goals name, what is left without them, and filters.",
            ),
        ),
        measures=("return", "success"),
    )
}
