"""The figures of XLand's paper that are runs, in the small: 16, by what agents train on and how, and 26, finetuning."""

from procgen_bench.leaderboards.reproduction.paper_figures import Curve, Options, Panel, PaperFigure

_STEPS, _SMALL_STEPS = 10_000_000, 2_000_000
_ON_SKILLS: Options = {"evaluate_every": 1_000_000, "evaluation_tasks": 70, "checkpoint_every": 500_000}
_ON_SMALL: Options = {"evaluate_every": 500_000, "evaluation_tasks": 100, "checkpoint_every": 500_000}
_FINETUNED: Options = {"evaluate_every": 10_000, "checkpoint_every": 30_000}
_DYNAMIC = "most_control=0.5,too_easy=0.8"
_SFL = "candidates=256,episodes=2,period=200,buffer_size=128"
_NAMED = "procgen_bench.baselines.papers.open_ended.named_goals:NamedGoals"
#: Skills from easy to hard: the others are found soon by an agent that goes to things and takes hold of them.
_ORDER = ("near", "hold", "see", "stand", "carry", "gather", "clear")


def _stages(*further: str) -> str:
    """The order, each stage with further options of the task space."""
    return "stages=" + "/".join("+".join((f"skill:{skill}", *further)) for skill in _ORDER) + ",threshold=0.3"


def _curve(label: str, teacher: str, options: str = "", **further: str) -> Curve:
    return Curve(label, "ppo", {**_ON_SKILLS, "teacher": teacher, "teacher_options": options, **further})


def _goes_on(label: str, **further: float | bool | str) -> Curve:
    """A run on the small games that begins with what the package's policy has learned of skills."""
    return Curve(label, "ppo", {**_ON_SMALL, "begin_from": "trained", **further})


def _succeeds(label: str, **further: float | bool | str) -> Curve:
    """A run on the small games whose first half is drawn to the package's policy, with a network of its own."""
    return Curve(label, "ppo", {**_ON_SMALL, "teacher_policy": "trained", "distil_share": 0.5, **further})


def _v_mpo(evaluated: Options, **further: str) -> Curve:
    """V-MPO with its own rates and bounds."""
    return Curve("V-MPO", "vmpo", {"num_envs": 64, "rollout_steps": 50, **evaluated, **further})


#: Hand-authored tasks, and who takes their second seats. The paper's text names the first of its six; the others are
#: such that the agent of the package, or random play, is rewarded in some.
FINETUNING_TASKS = {
    "make_follow_easy": "follower",
    "hide_and_seek_seeker": "steady",
    "keep_tagging": "steady",
    "coop_or_not": "steady",
    "tool_use_climb_1": "",
    "stop_rolling_tag_gadget_easy": "",
}
_FINETUNING_CLAIM = (
    "finetuned for 100 million steps, the agent reaches 77 % of an upper bound on average, before that 39 %; from "
    "scratch most tasks are not learned."
)


def _finetuning(task: str, co_player: str) -> Panel:
    """Learning one task from a policy, and from scratch."""
    options: Options = {**_FINETUNED, "co_players": co_player} if co_player else _FINETUNED
    curves = (Curve("finetuned", "ppo", {**options, "begin_from": "trained"}), Curve("from scratch", "ppo", options))
    name = task.replace("_", "-")
    return Panel(name, f"xland/{name}", curves, 100_000, 1, _FINETUNING_CLAIM)


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
                    _curve("dynamic tasks", "dynamic-tasks", _DYNAMIC),
                    _curve("SFL", "learnability", _SFL),
                    _curve("goals not grounded", "stages", _stages(), network=_NAMED),
                    _v_mpo(_ON_SKILLS, teacher="stages", teacher_options=_stages()),
                ),
                _STEPS,
                3,
                "without dynamic task generation agents learn little: most tasks are too hard for them at first. Here: "
                "an order of skills and starts close to what goals name, what is left without them, and filters.",
            ),
            Panel(
                "small",
                "xland/small",
                (
                    _goes_on("as drawn"),
                    _goes_on("no templates", teacher="stages", teacher_options="stages=templates:0,threshold=1"),
                    _goes_on("dynamic tasks", teacher="dynamic-tasks", teacher_options=_DYNAMIC),
                    _goes_on("SFL", teacher="learnability", teacher_options=_SFL),
                    _goes_on("self reward-play", reward_play=True),
                    _v_mpo(_ON_SMALL, begin_from="trained"),
                ),
                _SMALL_STEPS,
                1,
                "every part of the process adds to the last. Here: small games, by an agent that has learned skills.",
                optional=True,
            ),
            Panel(
                "next-generation",
                "xland/small",
                (
                    _succeeds("no memory"),
                    _succeeds("memory", memory=128),
                    _succeeds("memory and goal attention", memory=128, goal_attention=True),
                ),
                _SMALL_STEPS,
                1,
                "a generation that is drawn to the one before goes further, and agents with goal attention do better. "
                "Here: networks that begin with nothing, drawn to the agent that has learned skills for half of their "
                "steps.",
                optional=True,
            ),
        ),
        measures=("return", "success"),
    ),
    26: PaperFigure(
        26,
        "Finetuning on six hand-authored tasks",
        tuple(_finetuning(task, co_player) for task, co_player in FINETUNING_TASKS.items()),
        measures=("return",),
    ),
}
