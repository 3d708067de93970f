"""The figures of CoDE (Gur et al., 2021) that are runs: 5, 6, 7, 10 and 13."""

from procgen_bench.leaderboards.reproduction.paper_figures import Curve, Options, Panel, PaperFigure

_STEPS = 3_000_000
#: The learner's network as published, under the published rule of boxes and options.
_PUBLISHED: Options = {"encoder": "forward", "values": False, "published_words": True, "mask": "present"}
_EVALUATED: Options = {"evaluate_every": 250_000, "evaluation_tasks": 460}
#: What the figures call the teachers; the last is not in the paper: uniform designs of few primitives.
_TEACHERS = {
    "CoDE": ("code", ""),
    "PopRegret": ("pop-regret", ""),
    "difficulty": ("difficulty", ""),
    "PAIRED": ("paired", ""),
    "flexible PAIRED": ("flexible-paired", ""),
    "ALP": ("alp", ""),
    "DR": ("random-designs", ""),
    "CL": ("scheduled-designs", f"rises_over={_STEPS * 4 // 5}"),
    "small designs": ("random-designs", "slots=5,pages=3"),
}


def _curve(label: str, options: Options, teacher: str = "", settings: str = "", method: str = "pair-ppo") -> Curve:
    teacher, own = (teacher, settings) if teacher else _TEACHERS[label]
    return Curve(label, method, {**_EVALUATED, **options, "teacher": teacher, "teacher_options": own})


def _panel(name: str, benchmark: str, options: Options, claim: str, labels: tuple[str, ...]) -> Panel:
    return Panel(name, benchmark, tuple(_curve(label, options) for label in labels), _STEPS, 2, claim)


_CLAIM = (
    "On the hardest level CoDE succeeds in 92 to 98 % of login, address, payment, flight and shopping, PAIRED in 6 to "
    "20, ALP in 2 to 23, the curriculum in 0 to 3."
)
_GENERATED = ("teacher_active", "teacher_passive", "teacher_repeated", "teacher_regret", "teacher_regret_floor")

FIGURES: dict[int, PaperFigure] = {
    figure.number: figure
    for figure in (
        PaperFigure(
            5,
            "Rooms: CoDE by alpha, and PAIRED",
            (
                Panel(
                    "rooms",
                    "cminigrid/test",
                    (
                        *(
                            _curve(f"CoDE, alpha {alpha:g}", {}, "code", f"slots=5,alpha={alpha:g}", "ppo")
                            for alpha in (0.4, 0.8)
                        ),
                        _curve("PAIRED", {}, "paired", "slots=5", "ppo"),
                        _curve("DR", {}, "random-designs", "slots=5", "ppo"),
                    ),
                    _STEPS,
                    3,
                    "CoDE solves 45 % of the rooms, PAIRED 16 %; here subtasks are rewarded, not the goal alone.",
                ),
            ),
            measures=("success", "teacher_active", "teacher_best_return"),
        ),
        PaperFigure(
            6,
            "Sites: CoDE and PAIRED, and the primitives that they place",
            (_panel("published", "gminiwob/test", _PUBLISHED, _CLAIM, ("CoDE", "PAIRED")),),
            measures=("success", "teacher_active", "teacher_passive"),
        ),
        PaperFigure(
            7,
            "Sites: CoDE and its rivals",
            (
                _panel("published", "gminiwob/test", _PUBLISHED, _CLAIM, tuple(_TEACHERS)),
                _panel("values", "gminiwob/test", {}, _CLAIM, tuple(_TEACHERS)),
                _panel("literal", "gminiwob/literal", {}, _CLAIM, tuple(_TEACHERS)),
            ),
        ),
        PaperFigure(
            10,
            "What generators place over the training",
            (_panel("values", "gminiwob/test", {}, "Active and passive primitives both rise.", tuple(_TEACHERS)[:6]),),
            measures=_GENERATED,
        ),
        PaperFigure(
            13,
            "Sites: CoDE by alpha",
            (
                Panel(
                    "values",
                    "gminiwob/test",
                    tuple(
                        _curve(f"alpha {alpha:g}", {}, "code", "" if alpha == 0.8 else f"alpha={alpha:g}")
                        for alpha in (0.0, 0.2, 0.5, 0.8, 0.9, 1.0)
                    ),
                    _STEPS,
                    2,
                    "CoDE is best with a great alpha.",
                ),
            ),
        ),
    )
}
