"""Figure 25: the goal is another one from the middle of the episode on (6.4.4)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.core.policy import Policy
from procgen_bench.leaderboards.reproduction.measured import KeyNumber, waiting
from procgen_bench.leaderboards.reproduction.xland.matches import draw_shares
from procgen_bench.leaderboards.reproduction.xland.playing import STEPS, load_player, play, remembers, with_goals
from procgen_bench.tasks.xland.drawing import SMALL, DrawOptions, draw_task_of
from procgen_bench.tasks.xland.games.atoms import FLOOR_NAMES, OBJECTS
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.games.goal import LITERALS, Goal, parse_goal
from procgen_bench.tasks.xland.games.templates import SKILLS
from procgen_bench.tasks.xland.task import XLandTask

#: Skills of the two goals: those that are about the player, or about what it carries.
SWAPPED = ("see", "near", "hold", "stand", "carry")
#: How the goals are shown, and who plays by them.
SWAP, SWAP_AND_FORGET, KEEP, RANDOM = "swapped", "swapped, memory cleared", "first goal kept", "random actions"
ARMS = (SWAP, SWAP_AND_FORGET, KEEP, RANDOM)
_COLOURS = {SWAP: "C0", SWAP_AND_FORGET: "C1", KEEP: "C2", RANDOM: "0.6"}
#: Steps over which the course of rewards is averaged in the picture.
_WINDOW = 10


class Swap(NamedTuple):
    """An episode's goals, the first and the second, their skills, and its task, whose goal is met by either."""

    skills: tuple[str, str]
    goals: tuple[Goal, Goal]
    task: XLandTask


@dataclass(frozen=True)
class GoalSwap:
    """What is rewarded before and after the goal is swapped.

    Attributes:
        skills: Of the goals.
        shares: By arm, of ``ARMS`` those that were played: float64 (skills of the first goal, of the second, worlds,
            halves, goals), shares of a half's steps in which a goal, the first or the second, is met.
        course: By arm: float64 (goals, steps), the share of all episodes in which a goal is met after each step.
    """

    skills: tuple[str, ...]
    shares: dict[str, np.ndarray]
    course: dict[str, np.ndarray]

    def key_numbers(self) -> list[KeyNumber]:
        """Means over pairs of skills, with the standard error over worlds."""
        cells = {
            "first goal, before": (SWAP, 0, 0),
            "first goal, after": (SWAP, 1, 0),
            "second goal, before": (SWAP, 0, 1),
            "second goal, after": (SWAP, 1, 1),
            "second goal, after, memory cleared": (SWAP_AND_FORGET, 1, 1),
            "second goal, after, first kept": (KEEP, 1, 1),
            "first goal, after, first kept": (KEEP, 1, 0),
            "second goal, after, random actions": (RANDOM, 1, 1),
        }
        paper = {"second goal, after, memory cleared": "almost as without clearing it"}
        return [
            KeyNumber(f"met, {name}", self._share(arm, half, goal), paper.get(name, ""))
            for name, (arm, half, goal) in cells.items()
        ]

    def draw(self) -> Figure:
        """The course of both goals above; the second goal's second half by skills below."""
        picture = Figure(figsize=(10.5, 7.2), layout="constrained")
        parts: Any = picture.subfigures(2, 1, height_ratios=(1, 1.05))
        above, below = parts
        for goal, (panel, title) in enumerate(zip(above.subplots(1, 2, sharey=True), ("first goal", "second goal"))):
            for arm, course in self.course.items():
                panel.plot(_smoothed(course[goal]), color=_COLOURS[arm], linewidth=1.3, label=arm)
            panel.axvline(len(course[goal]) / 2, color="0.4", linewidth=0.8, linestyle=":")
            panel.set(title=f"{title} is met", xlabel="step", xlim=(0, len(course[goal])), ylim=(0, None))
            panel.grid(alpha=0.3)
        panel.legend(fontsize=7, loc="upper left")
        shown = (
            ("first goal, first half", SWAP, 0, 0),
            ("second goal, after the swap", SWAP, 1, 1),
            ("second goal, first one kept", KEEP, 1, 1),
        )
        for panel, (title, arm, half, goal) in zip(below.subplots(1, len(shown)), shown):
            self._draw_pairs(panel, title, self.shares[arm][..., half, goal].mean(axis=2))
        return picture

    def _share(self, arm: str, half: int, goal: int) -> str:
        if arm not in self.shares:
            return "the policy has no memory"
        shares = self.shares[arm][..., half, goal]
        return f"{shares.mean():.3f} ± {shares.std(ddof=1) / shares.size**0.5:.3f}"

    def _draw_pairs(self, panel: Axes, title: str, shares: np.ndarray) -> None:
        draw_shares(panel, shares, fontsize=7)
        places = range(len(self.skills))
        panel.set(title=title, xlabel="second goal", xticks=places, yticks=places)
        panel.set_xticklabels(self.skills, fontsize=7)
        panel.set_yticklabels(self.skills, fontsize=7)
        panel.set_ylabel("first goal")


def measure_goal_swap(samples: int, rng: np.random.Generator, policies: Sequence[str]) -> GoalSwap:
    """Swap goals of all pairs of ``SWAPPED`` in ``samples`` worlds each."""
    policy, random = load_player(policies[0]), load_player("random")
    swaps = draw_swaps(rng, samples)
    arms = [arm for arm in ARMS if arm != SWAP_AND_FORGET or remembers(policy)]
    met = {arm: play_swaps(random if arm == RANDOM else policy, swaps, arm) for arm in arms}
    shape = len(SWAPPED), len(SWAPPED), samples
    shares = {
        arm: found.reshape(*shape, 2, 2, -1).mean(axis=5).swapaxes(3, 4)  # goals, halves -> halves, goals
        for arm, found in met.items()
    }
    return GoalSwap(SWAPPED, shares, {arm: found.mean(axis=0) for arm, found in met.items()})


def draw_swaps(rng: np.random.Generator, worlds: int, skills: Sequence[str] = SWAPPED, **draws: Any) -> list[Swap]:
    """So many worlds for each pair of skills, the first skill outermost; neither goal is met at the start.

    The goals of an episode name neither the same object nor the same floor, so what serves one need not serve the
    other. ``draws`` are fields of :class:`DrawOptions` that differ from those in the small.
    """
    options = DrawOptions(**SMALL | draws)
    pairs = [(first, second) for first in skills for second in skills for _ in range(worlds)]
    return [_draw_swap(rng, pair, options) for pair in waiting(pairs, "world")]


def play_swaps(policy: Policy, swaps: Sequence[Swap], arm: str, steps: int = STEPS) -> np.ndarray:
    """Whether each goal is met after each step, bool (N, goals, steps), as a policy is shown the goals of an arm."""
    firsts, seconds = zip(*(swap.goals for swap in swaps))
    half = steps // 2

    def show(number: int, observations: Arrays, starts: np.ndarray) -> tuple[Arrays, np.ndarray]:
        is_swapped = number >= half and arm != KEEP
        begins_again = number == half and arm == SWAP_AND_FORGET
        return with_goals(observations, seconds if is_swapped else firsts), starts | begins_again

    met = np.zeros((len(swaps), 2, steps), np.bool_)
    for number, moment in enumerate(play(policy, [swap.task for swap in swaps], range(len(swaps)), show, steps)):
        for row, swap in enumerate(swaps):
            met[row, :, number] = [goal.reward(moment.truths[row]) for goal in swap.goals]
    return met


def _draw_swap(rng: np.random.Generator, skills: tuple[str, str], options: DrawOptions) -> Swap:
    things, floors = rng.choice(OBJECTS, 4, replace=False), rng.choice(FLOOR_NAMES, 2, replace=False)
    places = (things[0], things[1], floors[0]), (things[2], things[3], floors[1])
    literals = [SKILLS[skill](*map(str, place)) for skill, place in zip(skills, places)]
    texts = [LITERALS[sign][atom] for atom, sign in literals]
    # The environment tells the truths of atoms that the task's goal names: it names those of both.
    task = draw_task_of(rng, Game((parse_goal(" | ".join(texts)),) * 2), options)
    return Swap(skills, (parse_goal(texts[0]), parse_goal(texts[1])), task)


def _smoothed(course: np.ndarray) -> np.ndarray:
    """Means over the steps up to each, ``_WINDOW`` of them at most."""
    sums = np.concatenate([[0.0], np.cumsum(course)])
    ends = np.arange(1, len(course) + 1)
    begins = np.maximum(ends - _WINDOW, 0)
    return (sums[ends] - sums[begins]) / (ends - begins)
