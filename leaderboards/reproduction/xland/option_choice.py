"""Figure 19: what the critic expects of each option of a goal, beside a film of the episode (6.4.2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from procgen_bench.baselines.parts.actor_critic import ActorPolicy
from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.core.policy import Observations, Policy
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.leaderboards.reproduction.measured import KeyNumber, waiting
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
class FilmedEpisode:
    """An episode with a goal of several options.

    Attributes:
        task, seed: With the actions all that it takes to play it again.
        actions: int64 (steps, 6).
        values: float32 (steps,), of the whole goal before each step, in the critic's unit.
        option_values: float32 (steps, options), of each option by itself.
        met: bool (steps, options), which options are met after each step.
    """

    task: XLandTask
    seed: int
    actions: np.ndarray
    values: np.ndarray
    option_values: np.ndarray
    met: np.ndarray

    @property
    def first_reward(self) -> int:
        """The first step after which an option is met; -1: there is none."""
        rewarded = self.met.any(axis=1)
        return int(rewarded.argmax()) if rewarded.any() else -1

    @property
    def foreseen(self) -> bool:
        """Whether the option that is met first was worth most ``LEAD`` steps before."""
        return bool(self.met[self.first_reward, self.option_values[self.first_reward - LEAD].argmax()])

    @property
    def interest(self) -> tuple[bool, int, int]:
        """Whether it is rewarded, how many options are worth most for five steps before that, and how soon."""
        best = self._best_before()
        return self.first_reward > 0, int((np.bincount(best, minlength=1) >= 5).sum()), -self.first_reward

    @property
    def changes(self) -> int:
        """How often another option comes to be worth most before the first reward."""
        return int(np.count_nonzero(np.diff(self._best_before())))

    def _best_before(self) -> np.ndarray:
        return self.option_values[: self.first_reward if self.first_reward > 0 else None].argmax(axis=1)


@dataclass(frozen=True)
class OptionChoice:
    """What is seen in episodes with a goal of three options, and one of these.

    Attributes:
        first_rewards: int64 (N,), the step of each episode's first reward, or -1.
        foreseen: bool (R,), of episodes whose first reward comes after ``LEAD`` steps or more: whether the option that
            is met was worth most so many steps before.
        rises: float32 (R,), by how much the goal's value rose in these steps.
        consistent: float64 (N,), shares of steps in which a goal is worth at least what its best option is.
        changes: int64 (N,), how often another option comes to be worth most before the first reward.
        filmed: The episode that is shown.
    """

    first_rewards: np.ndarray
    foreseen: np.ndarray
    rises: np.ndarray
    consistent: np.ndarray
    changes: np.ndarray
    filmed: FilmedEpisode

    @classmethod
    def of(cls, episodes: Sequence[FilmedEpisode]) -> "OptionChoice":
        """Of these episodes; filmed is the one of the greatest ``interest``."""
        late = [episode for episode in episodes if episode.first_reward >= LEAD]
        rises = [np.diff(episode.values[[episode.first_reward - LEAD, episode.first_reward]])[0] for episode in late]
        return cls(
            np.array([episode.first_reward for episode in episodes]),
            np.array([episode.foreseen for episode in late], np.bool_),
            np.array(rises, np.float32),
            np.array([(episode.values >= episode.option_values.max(axis=1)).mean() for episode in episodes]),
            np.array([episode.changes for episode in episodes]),
            max(episodes, key=lambda episode: episode.interest),
        )

    def key_numbers(self) -> list[KeyNumber]:
        """How values and what happens go together, over all episodes."""
        count = len(self.foreseen)
        return [
            KeyNumber("episodes that are rewarded", f"{(self.first_rewards >= 0).sum()} of {len(self.first_rewards)}"),
            KeyNumber(
                f"the option that is met first is worth most {LEAD} steps before (chance 0.33)",
                f"{self.foreseen.mean():.2f} of {count}" if count else "none",
                "yes, in one episode",
            ),
            KeyNumber("value rises in these steps by", f"{self.rises.mean():.2f}" if count else "none"),
            KeyNumber(
                "steps at which the goal is worth at least what each option is",
                f"{self.consistent.mean():.2f}",
                "about 0.9",
            ),
            KeyNumber(
                "changes of the option worth most before the first reward, median", f"{np.median(self.changes):.0f}"
            ),
        ]

    def draw(self) -> Figure:
        """Frames above, values below, and when options are met."""
        episode = self.filmed
        end = len(episode.met) if episode.first_reward < 0 else min(episode.first_reward + _AFTER, len(episode.met))
        shown = np.linspace(0, end - 1, _FRAMES).astype(int)
        picture = Figure(figsize=(11, 6.2), layout="constrained")
        parts: Any = picture.subfigures(2, 1, height_ratios=(1, 1.6))
        above, below = parts
        frames = film(episode.task, episode.seed, episode.actions[:end], shown.tolist())
        for panel, frame, step in zip(above.subplots(1, _FRAMES), frames, shown):
            panel.imshow(frame)
            panel.set_title(f"step {step}", fontsize=8)
            panel.set_axis_off()
        panel = below.subplots()
        _draw_values(panel, episode, end)
        for step in shown:
            panel.axvline(step, color="0.7", linewidth=0.7, linestyle=":")
        return picture


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
    values, alone = (np.stack(parts) for parts in zip(*valued))
    by_step = np.array(actions, np.int64), values, alone, np.array(met)
    return OptionChoice.of(
        [FilmedEpisode(task, seeds[row], *(part[:, row] for part in by_step)) for row, task in enumerate(tasks)]
    )


def film(task: XLandTask, seed: int, actions: np.ndarray, steps: Sequence[int]) -> list[np.ndarray]:
    """Play actions (T, 6) again: what player 1 sees after some of the steps, above the map, uint8 (H, W, 3)."""
    moments = play(_Replay(actions), [task], [seed], steps=len(actions), render_mode="rgb_array")
    frames = []
    for number, moment in enumerate(moments):
        if number in steps:
            rendered: Any = moment.env.render()
            view, side = rendered[0], _VIEW[0]
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


def _draw_values(panel: Axes, episode: FilmedEpisode, end: int) -> None:
    values, options = episode.values[:end], episode.option_values[:end]
    panel.plot(values, color="C4", linewidth=2, label="the whole goal")
    low, high = float(min(values.min(), options.min())), float(max(values.max(), options.max()))
    for place, (row, colour) in enumerate(zip(episode.task.game.goals[0].matrix, _COLOURS)):
        panel.plot(options[:, place], color=colour, linewidth=1.2, label=str(Goal(row[np.newaxis])))
        steps = np.flatnonzero(episode.met[:end, place])
        panel.plot(steps, np.full(len(steps), low - 0.04 * (place + 1) * (high - low)), "s", color=colour, ms=2.5)
    panel.set(xlabel="step (squares: the option is met)", ylabel="the critic's value", xlim=(0, end - 1))
    panel.legend(fontsize=8, loc="upper left")
    panel.grid(alpha=0.3)
