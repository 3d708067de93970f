"""Figure 19: what the critic expects of each option of a goal, beside a film of the episode (6.4.2)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from procgen_bench.baselines.parts.actor_critic import ActorPolicy
from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.core.policy import Observations, Policy
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.leaderboards.reproduction.xland.gallery import KeyNumber, waiting
from procgen_bench.leaderboards.reproduction.xland.playing import play
from procgen_bench.leaderboards.reproduction.xland.reading import load_reader, option_values
from procgen_bench.tasks.xland.drawing import SMALL, DrawOptions, draw_task_of
from procgen_bench.tasks.xland.games.atoms import FLOOR_NAMES, OBJECTS
from procgen_bench.tasks.xland.games.game import Game
from procgen_bench.tasks.xland.games.goal import LITERALS, Goal, parse_goal
from procgen_bench.tasks.xland.games.templates import SKILLS
from procgen_bench.tasks.xland.task import XLandTask

#: Skills of the options, one each.
OPTIONS = ("near", "hold", "stand")
#: Steps before the first reward at which the option of the greatest value is compared with the one that is met.
LEAD = 10
#: Frames of the film, and steps that are shown after the first reward.
_FRAMES, _AFTER = 6, 40
_COLOURS = ("C0", "C1", "C2")


@dataclass(frozen=True)
class OptionChoice:
    """Episodes with a goal of three options, one of them filmed.

    Attributes:
        tasks, seeds: Of the episodes.
        values: float32 (N, steps), of the whole goal before each step, in the critic's unit.
        option_values: float32 (N, steps, options), of each option by itself.
        met: bool (N, steps, options), which options are met after each step.
        filmed: Which episode is shown.
        actions: int64 (steps, 6), of that one, from which it can be played again.
    """

    tasks: list[XLandTask]
    seeds: list[int]
    values: np.ndarray
    option_values: np.ndarray
    met: np.ndarray
    filmed: int
    actions: np.ndarray

    def key_numbers(self) -> list[KeyNumber]:
        """How values and what happens go together, over all episodes."""
        firsts = first_rewards(self.met)
        rewarded = np.flatnonzero(firsts >= LEAD)
        places, steps = rewarded, firsts[rewarded]
        foreseen = self.met[places, steps, self.option_values[places, steps - LEAD].argmax(axis=1)]
        rising = self.values[places, steps] - self.values[places, steps - LEAD]
        consistent = (self.values >= self.option_values.max(axis=2)).mean()
        changes = [len(np.flatnonzero(np.diff(best[: max(end, 0)]))) for best, end in zip(self._best(), firsts)]
        return [
            KeyNumber("episodes that are rewarded", f"{(firsts >= 0).sum()} of {len(firsts)}"),
            KeyNumber(
                f"the option that is met first is worth most {LEAD} steps before (chance 0.33)",
                f"{foreseen.mean():.2f} of {len(rewarded)}" if len(rewarded) else "none",
                "yes, in one episode",
            ),
            KeyNumber("value rises in these steps by", f"{rising.mean():.2f}" if len(rewarded) else "none"),
            KeyNumber(
                "steps at which the goal is worth at least what each option is", f"{consistent:.2f}", "about 0.9"
            ),
            KeyNumber("changes of the option worth most before the first reward, median", f"{np.median(changes):.0f}"),
        ]

    def draw(self) -> Figure:
        """Frames above, values below, and when options are met."""
        end = self._end()
        shown = np.linspace(0, end - 1, _FRAMES).astype(int)
        picture = Figure(figsize=(11, 6.2), layout="constrained")
        above, below = picture.subfigures(2, 1, height_ratios=(1, 1.6))
        frames = film(self.tasks[self.filmed], self.seeds[self.filmed], self.actions[:end], shown.tolist())
        for panel, frame, step in zip(above.subplots(1, _FRAMES), frames, shown):
            panel.imshow(frame)
            panel.set_title(f"step {step}", fontsize=8)
            panel.set_axis_off()
        panel = below.subplots()
        goal = self.tasks[self.filmed].game.goals[0]
        self._draw_values(panel, goal, end)
        for step in shown:
            panel.axvline(step, color="0.7", linewidth=0.7, linestyle=":")
        return picture

    def _draw_values(self, panel: Axes, goal: Goal, end: int) -> None:
        values, options = self.values[self.filmed, :end], self.option_values[self.filmed, :end]
        panel.plot(values, color="C4", linewidth=2, label="the whole goal")
        low = float(min(values.min(), options.min()))
        high = float(max(values.max(), options.max()))
        for place, (row, colour) in enumerate(zip(goal.matrix, _COLOURS)):
            panel.plot(options[:, place], color=colour, linewidth=1.2, label=str(Goal(row[np.newaxis])))
            steps = np.flatnonzero(self.met[self.filmed, :end, place])
            panel.plot(steps, np.full(len(steps), low - 0.04 * (place + 1) * (high - low)), "s", color=colour, ms=2.5)
        panel.set(xlabel="step (squares: the option is met)", ylabel="the critic's value", xlim=(0, end - 1))
        panel.legend(fontsize=8, loc="upper left")
        panel.grid(alpha=0.3)

    def _best(self) -> np.ndarray:
        return self.option_values.argmax(axis=2)

    def _end(self) -> int:
        first = int(first_rewards(self.met)[self.filmed])
        return self.met.shape[1] if first < 0 else min(first + _AFTER, self.met.shape[1])


def measure_option_choice(samples: int, rng: np.random.Generator, policies: Sequence[str]) -> OptionChoice:
    """Play so many episodes, each in a world of its own, and film the one that tells most."""
    policy = load_reader(policies[0])
    tasks = [_draw_task(rng) for _ in waiting(range(samples), "world")]
    return watch(policy, tasks)


def watch(policy: ActorPolicy, tasks: Sequence[XLandTask]) -> OptionChoice:
    """Play an episode of each task, whose goal has three options.

    Filmed is the one in which most options are in turn the one that is worth most, for five steps at least, before the
    first reward; of several such the one that is rewarded first; one without a reward only where there is no other.
    """
    seeds = [seed_from_parts("figure 19", number) for number in range(len(tasks))]
    goals = [task.game.goals[0] for task in tasks]
    valued: list[tuple[np.ndarray, np.ndarray]] = []

    def show(number: int, observations: Arrays, starts: np.ndarray) -> tuple[Arrays, np.ndarray]:
        valued.append(option_values(policy, observations, starts, goals))
        return observations, starts

    met, actions = [], []
    for moment in play(policy, tasks, seeds, show):
        met.append([[Goal(row[np.newaxis]).reward(true) for row in g.matrix] for g, true in zip(goals, moment.truths)])
        actions.append(moment.actions)
    values, alone = (np.stack(parts, axis=1) for parts in zip(*valued))
    was_met = np.array(met).swapaxes(0, 1)
    filmed = max(range(len(tasks)), key=lambda number: _interest(alone[number], was_met[number]))
    return OptionChoice([*tasks], seeds, values, alone, was_met, filmed, np.array(actions)[:, filmed].astype(np.int64))


def first_rewards(met: np.ndarray) -> np.ndarray:
    """The first step of each episode after which some option is met, of bool (N, steps, options): int64 (N,), or -1."""
    rewarded = met.any(axis=2)
    return np.where(rewarded.any(axis=1), rewarded.argmax(axis=1), -1)


def film(task: XLandTask, seed: int, actions: np.ndarray, steps: Sequence[int]) -> list[np.ndarray]:
    """Play actions (T, 6) again: what player 1 sees after some of the steps, above the map, uint8 (H, W, 3)."""
    moments = play(_Replay(actions), [task], [seed], steps=len(actions), render_mode="rgb_array")
    frames = []
    for number, moment in enumerate(moments):
        if number in steps:
            view, side = moment.env.render()[0], _VIEW[0]
            world = np.pad(view[:side, _VIEW[1] :], ((0, 0), (_MARGIN, _VIEW[1] - side - _MARGIN), (0, 0)), mode="edge")
            frames.append(np.concatenate([view[:side, : _VIEW[1]], world]))
    return frames


#: Rows and columns of player 1's view in a frame, right of which there is the map, and where that goes below it.
_VIEW, _MARGIN = (288, 384), 48


class _Replay(Policy):
    """Acts as was acted before."""

    def __init__(self, actions: np.ndarray):
        self._actions = iter(actions)

    def act(self, observations: Observations, episode_starts: np.ndarray) -> np.ndarray:
        """The next action, of one row."""
        return next(self._actions)[np.newaxis]


def _draw_task(rng: np.random.Generator) -> XLandTask:
    things, floor = rng.choice(OBJECTS, len(OPTIONS) + 1, replace=False), str(rng.choice(FLOOR_NAMES))
    literals = [SKILLS[skill](str(thing), str(things[-1]), floor) for skill, thing in zip(OPTIONS, things)]
    goal = parse_goal(" | ".join(LITERALS[sign][atom] for atom, sign in literals))
    return draw_task_of(rng, Game((goal, goal)), DrawOptions(**SMALL))


def _interest(values: np.ndarray, met: np.ndarray) -> tuple[bool, int, int]:
    """Whether an episode is rewarded, how many options are worth most for five steps before that, and how soon."""
    first = int(first_rewards(met[np.newaxis])[0])
    best = values[: first if first > 0 else None].argmax(axis=1)
    return first > 0, int((np.bincount(best, minlength=values.shape[1]) >= 5).sum()), -first
