"""Dynamic task generation: train on levels that are neither too easy, nor too hard, nor solved at random.

Method: Open-Ended Learning Team 2021, "Open-Ended Learning Leads to Generally Capable Agents", section 5.2. A level is
kept as long as the agent's returns R and those of a control policy that acts at random satisfy:

- Pr[R > too_easy] < most_too_easy: the level is not too easy,
- Pr[R > mean control return + margin] > least_above: it is not too hard,
- mean control return < most_control: random play does not suffice.

Thresholds are the initial values of the source's populations (table 3, in the order of appendix A.7), as shares of the
maximum return. What differs:

- There every probability is estimated from ten episodes of each policy, played for the filter only. Here the control
  policy plays a few, once; the agent's are the first ones that it trains on, and later the newest.
- How many levels are kept, and how often each is trained on, is not published; these numbers are ours.
- Until the first update levels are drawn, and not kept.
- Where all players of a world learn, a level is judged by its first seat, whose goal the control policy has played.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from procgen_bench.baselines.curricula.kept_levels import level_arrays, levels_of
from procgen_bench.baselines.training.contracts import FinishedEpisodes, Proposal, Student
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.player_names import CONTROL, STUDENT
from procgen_bench.baselines.training.settings import COUNT, NUMBER, SHARE, option
from procgen_bench.baselines.training.teacher import Teacher, TeacherArrays, TeacherValues
from procgen_bench.core.task import Task


@dataclass(frozen=True)
class DynamicTasksConfiguration:
    """Thresholds of returns are shares of the greatest: 7.5 and 375 of 900 in the source."""

    most_control: float = option(7.5 / 900, "mean return of the control policy, as a share, that is too much", SHARE)
    too_easy: float = option(375 / 900, "return, as a share, above which the student does not need the level", SHARE)
    most_too_easy: float = option(1.0, "share of episodes with such returns that is too much", SHARE)
    margin: float = option(0.0, "return, as a share, by which the student is to surpass the control policy", NUMBER)
    least_above: float = option(0.0, "share of episodes that do so, which is to be surpassed", SHARE)
    trials: int = option(4, "episodes after which a new level is judged", COUNT)
    window: int = option(10, "newest episodes by which a kept level is judged", COUNT)
    control_episodes: int = option(2, "episodes of the control policy on each level", COUNT)
    candidates: int = option(64, "levels that the control policy plays at once", COUNT)
    buffer_size: int = option(512, "levels kept at most", COUNT)
    lives: int = option(20, "episodes after which a kept level is dropped", COUNT)
    fresh_share: float = option(0.4, "share of the proposals that is levels on trial", SHARE)


#: Settings with which a population begins, and which may change.
_THRESHOLDS = ("most_control", "too_easy", "most_too_easy", "margin", "least_above")


@dataclass
class TriedLevel:
    """A level with what is known of it.

    Attributes:
        task: Its task.
        control: Mean return of the control policy.
        returns: The student's newest.
        episodes: How many it has played.
        proposed: How many have been proposed.
    """

    task: Task
    control: float
    returns: deque[float] = field(default_factory=deque)
    episodes: int = 0
    proposed: int = 0


class DynamicTasksTeacher(Teacher):
    """Tries new levels, keeps those that fulfil the conditions, and drops them as soon as they do not.

    It measures how many levels passed the control policy's condition and the trial, and how many are kept. Its
    thresholds are rates, which a population may change.
    """

    def __init__(self, levels: LevelSource, rng: np.random.Generator, configuration: Any):
        super().__init__(levels, rng, configuration)
        self.rates = {name: float(getattr(configuration, name)) for name in _THRESHOLDS}
        self._stock: list[TriedLevel] = []
        self._tried: dict[int, TriedLevel] = {}
        self._kept: dict[int, TriedLevel] = {}
        self._counts = np.zeros(4, np.int64)

    def propose(self, rows: np.ndarray, step: int) -> list[Proposal]:
        """Kept levels, levels on trial, and drawn ones where there are neither."""
        fresh = self.rng.random(len(rows)) < (self.configuration.fresh_share if self._kept else 1.0)
        return [self._on_trial() if is_fresh else self._again() for is_fresh in fresh.tolist()]

    def observe(self, played: FinishedEpisodes) -> None:
        """Judge the levels that the student has played."""
        own = played.by(STUDENT)
        own = own.of(own.train)  # the others are of seats that co-players hold
        for number, return_ in zip(own.level.tolist(), own.return_.tolist()):
            on_trial, kept = self._tried.get(number), self._kept.get(number)
            level = on_trial or kept
            if level is None:
                continue
            level.returns.append(return_)
            level.episodes += 1
            if len(level.returns) > self.configuration.window:
                level.returns.popleft()
            if on_trial is not None and level.episodes >= self.configuration.trials:
                del self._tried[number]
                self._counts[2] += 1
                if self.is_worth_it(level.returns, level.control) and len(self._kept) < self.configuration.buffer_size:
                    self._counts[3] += 1
                    self._kept[number] = level
            elif kept is not None and not (
                level.episodes < self.configuration.lives and self.is_worth_it(level.returns, level.control)
            ):
                del self._kept[number]

    def learn(self, student: Student) -> dict[str, float]:
        """Let the control policy play new levels where few are left to be tried."""
        if len(self._stock) < self.configuration.candidates:
            tasks = self.levels.draw_plain(self.rng, self.configuration.candidates)
            self._admit(list(tasks), student)
        candidates, admitted, judged, kept = np.maximum(self._counts, 1).tolist()
        return {
            "levels_kept": float(len(self._kept)),
            "control_passed": admitted / candidates if self._counts[0] else 0.0,
            "trials_passed": kept / judged if self._counts[3] else 0.0,
        }

    def is_worth_it(self, returns: "deque[float] | list[float]", control: float) -> bool:
        """Whether the student's returns, and the control policy's mean, fulfil the conditions."""
        own, greatest = self.rates, self._greatest
        played = np.array(returns)
        return bool(
            np.mean(played > own["too_easy"] * greatest) < own["most_too_easy"]
            and np.mean(played > control + own["margin"] * greatest) > own["least_above"]
            and control < own["most_control"] * greatest
        )

    def state(self) -> tuple[TeacherArrays, TeacherValues]:
        """With all levels that are known."""
        arrays, values = super().state()
        every = {"stock": self._stock, "tried": list(self._tried.values()), "kept": list(self._kept.values())}
        for name, levels in every.items():
            arrays |= level_arrays(self.levels.task_space, [level.task for level in levels], name)
            values[name] = [[one.control, list(one.returns), one.episodes, one.proposed] for one in levels]
        values["rates"] = dict(self.rates)
        values["numbers"] = {"tried": list(self._tried), "kept": list(self._kept)}
        return arrays | {"counts": self._counts}, values

    def restore(self, arrays: TeacherArrays, values: TeacherValues) -> None:
        """Go on from what :meth:`state` returned."""
        super().restore(arrays, values)
        self.rates = dict(values["rates"])
        every = {
            name: [
                TriedLevel(task, control, deque(returns), episodes, proposed)
                for task, (control, returns, episodes, proposed) in zip(
                    levels_of(self.levels.task_space, arrays, name) if values[name] else [], values[name], strict=True
                )
            ]
            for name in ("stock", "tried", "kept")
        }
        self._stock = every["stock"]
        self._tried = dict(zip(values["numbers"]["tried"], every["tried"], strict=True))
        self._kept = dict(zip(values["numbers"]["kept"], every["kept"], strict=True))
        self._counts = np.array(arrays["counts"])

    @property
    def _greatest(self) -> float:
        """The greatest return."""
        return self.levels.benchmark.maximum

    def _on_trial(self) -> Proposal:
        """A level that still lacks episodes, the next of the stock, or one that is drawn and not tried."""
        for number, level in self._tried.items():
            if level.proposed < self.configuration.trials:
                level.proposed += 1
                return Proposal(number, level.task)
        number = self.next_number()
        if not self._stock:
            return Proposal(number, self.levels.draw_plain(self.rng, 1)[0])
        level = self._stock.pop()
        level.proposed = 1
        self._tried[number] = level
        return Proposal(number, level.task)

    def _again(self) -> Proposal:
        numbers = list(self._kept)
        number = numbers[int(self.rng.integers(len(numbers)))]
        return Proposal(number, self._kept[number].task)

    def _admit(self, tasks: list[Task], student: Student) -> None:
        """Take those into the stock on which the control policy gets little; at the end of a run few are played."""
        played = student.evaluate(tasks, self.configuration.control_episodes, CONTROL)
        episodes = np.bincount(played.level, minlength=len(tasks))
        means = np.bincount(played.level, played.return_, len(tasks)) / np.maximum(episodes, 1)
        tested = episodes == self.configuration.control_episodes
        passed = tested & (means < self.rates["most_control"] * self._greatest)
        self._counts[:2] += [tested.sum(), passed.sum()]
        self._stock += [TriedLevel(tasks[place], float(means[place])) for place in np.flatnonzero(passed)]
