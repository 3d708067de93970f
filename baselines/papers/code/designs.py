"""Designs as levels: every player of a population plays each design of a batch, and the batch is scored together.

A design with nothing to do is not played; a held-out one is drawn again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

import numpy as np

from procgen_bench.baselines.curricula.design_spaces import design_space
from procgen_bench.baselines.curricula.designs import Design, DesignSpace
from procgen_bench.baselines.papers.code.design_generator import Drawn
from procgen_bench.baselines.papers.code.design_settings import DesignConfiguration, DrawnConfiguration
from procgen_bench.baselines.papers.code.objectives import Outcome, regret_floor
from procgen_bench.baselines.policies.arrays import below
from procgen_bench.baselines.training.contracts import FinishedEpisodes, Proposal, Student
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.player_names import STUDENT
from procgen_bench.baselines.training.teacher import Teacher, TeacherArrays, TeacherValues
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.task import Task

#: Batches in a row that may be without a design to play.
_TRIES = 1_000
#: Designs that are played at once, at most, for each of a batch and each row; older ones are given up: their rows were
#: begun again.
_MOST_OPEN = 8


@dataclass
class OpenDesign:
    """A design that is played, and what came of it.

    Attributes:
        drawn: How the generator drew it; ``None``: none did.
        design: The design.
        tasks: One for each episode of a player.
        num_lost: Primitives that are placed nowhere.
        returns: By player, of its episodes in the order of their tasks; ``None``: it is not over.
    """

    drawn: Drawn | None
    design: Design
    tasks: list[Task]
    num_lost: int
    returns: dict[str, list[float | None]] = field(default_factory=dict)


class DesignTeacher(Teacher):
    """Proposes batches of designs to every player of a population, so many episodes each.

    The k-th episodes of all players in a design are of the same task: what a design leaves open is drawn k times.
    """

    configuration_type: ClassVar[type] = DesignConfiguration

    def __init__(self, levels: LevelSource, rng: np.random.Generator, configuration: DesignConfiguration):
        super().__init__(levels, rng, configuration)
        others = (f"student/{number}" for number in range(2, configuration.population + 1))
        self.players = (STUDENT, *others)
        self.space: DesignSpace = design_space(
            levels.benchmark.environment_id,
            levels.task_space,
            configuration.slots,
            configuration.most_pages,
            configuration.drops_pages,
        )
        self._open: dict[int, OpenDesign] = {}
        self._queue: list[tuple[int, str]] = []
        self._finished: list[int] = []
        self._counts = dict.fromkeys(("drawn", "refused", "trivial"), 0)
        self._step = self._num_rows = 0

    def draw(self, count: int) -> list[tuple[Drawn | None, Design]]:
        """So many designs."""
        return [(None, self.space.uniform(self.rng)) for _ in range(count)]

    def propose(self, rows: np.ndarray, step: int) -> Sequence[Proposal]:
        """The next episodes of the batch; a new batch where it is through."""
        self._step, self._num_rows, proposals = step, max(self._num_rows, len(rows)), []
        for _ in rows:
            while not self._queue:
                self._begin_batch()
            level, player = self._queue.pop(0)
            first = self._first_level(level)
            proposals.append(Proposal(level, self._open[first].tasks[level - first], player=player))
        return proposals

    def observe(self, played: FinishedEpisodes) -> None:
        """Note who earned what in which design."""
        episodes = self.configuration.episodes
        for level, player, return_ in zip(played.level.tolist(), played.player.tolist(), played.return_.tolist()):
            first = self._first_level(level)
            design = self._open.get(first)
            if design is None:
                continue
            design.returns.setdefault(played.players[player], [None] * episodes)[level - first] = return_
            num_ended = sum(one is not None for own in design.returns.values() for one in own)
            if num_ended == episodes * len(self.players):
                self._finished.append(first)

    def learn(self, student: Student) -> dict[str, float]:
        """See :meth:`learn_from_finished`; the student is not asked."""
        return self.learn_from_finished()

    def learn_from_finished(self) -> dict[str, float]:
        """What came of the designs that are through, a batch after the other; those that are no batch yet wait."""
        size, batches = self.configuration.batch, []
        while len(self._finished) >= size:
            done = [self._open.pop(level) for level in self._finished[:size]]
            self._finished = self._finished[size:]
            outcomes = [self._outcome(one) for one in done]
            learned = self.improve([one.drawn for one in done], outcomes)
            places = float(np.mean([self.space.num_places(one.design) for one in done]))
            batches.append({"places": places} | _measures(outcomes) | learned)
        names = dict.fromkeys(name for one in batches for name in one)
        means = {name: float(np.mean([one[name] for one in batches if name in one])) for name in names}
        return means | (self._shares() if batches else {})

    def improve(self, drawn: list[Drawn | None], outcomes: list[Outcome]) -> dict[str, float]:
        """Learn from a batch; nothing that is only drawn does."""
        return {}

    def state(self) -> tuple[TeacherArrays, TeacherValues]:
        """Designs that are played, and what is known of them."""
        arrays, values = super().state()
        opened = []
        for level, one in self._open.items():
            arrays |= {f"open.{level}.{name}": np.asarray(array) for name, array in one.design._asdict().items()}
            if one.drawn is not None:
                arrays[f"open.{level}.noise"] = one.drawn.noise
            tasks = [self.levels.task_space.plain(task) for task in one.tasks]
            opened.append([level, tasks, one.num_lost, one.returns])
        own = {"open": opened, "queue": [*map(list, self._queue)], "finished": self._finished, "counts": self._counts}
        return arrays, values | own | {"step": self._step, "num_rows": self._num_rows}

    def restore(self, arrays: TeacherArrays, values: TeacherValues) -> None:
        """Go on from what :meth:`state` returned."""
        super().restore(arrays, values)
        self._open = {}
        for level, tasks, num_lost, returns in values["open"]:
            own = below(arrays, f"open.{level}")
            design = Design(int(own["num_places"]), own["primitives"], own["places"])
            drawn = None
            if "noise" in own:
                number = np.array([design.num_places - 1])
                drawn = Drawn(own["noise"], number, design.primitives[None], design.places[None])
            self._open[level] = OpenDesign(
                drawn, design, [*map(self.levels.task_space.resolve, tasks)], num_lost, returns
            )
        self._queue = [(level, player) for level, player in values["queue"]]
        self._finished, self._counts = list(values["finished"]), dict(values["counts"])
        self._step, self._num_rows = values["step"], values["num_rows"]

    def _begin_batch(self) -> None:
        """Open the next batch of designs; where none of them is to be played, designs drawn uniformly."""
        draw, size = self.draw, self.configuration.batch
        for _ in range(_TRIES):
            levels = [level for drawn, design in draw(size) for level in self._opened(drawn, design)]
            if levels:
                break
            draw = partial(DesignTeacher.draw, self)
        else:
            raise InvalidOptionError(
                f"{_TRIES} batches of designs drawn uniformly are without one to play; give more slots"
            )
        episodes = range(self.configuration.episodes)
        self._queue += [(level + k, player) for level in levels for k in episodes for player in self.players]
        limit = _MOST_OPEN * (size + self._num_rows)
        for level in [*self._open][: max(len(self._open) - limit, 0)]:
            del self._open[level]
            self._finished = [other for other in self._finished if other != level]
            self._queue = [entry for entry in self._queue if self._first_level(entry[0]) != level]

    def _first_level(self, level: int) -> int:
        """The number of a design's first task, by which the design is kept; its others follow."""
        return level - level % self.configuration.episodes

    def _opened(self, drawn: Drawn | None, design: Design) -> list[int]:
        """The level of a design that is to be played; none of one that is held out, or with nothing to do."""
        self._counts["drawn"] += 1
        if not self.space.is_task(design):
            self._counts["trivial"] += 1
            if drawn is not None:
                level = self.next_numbers(self.configuration.episodes)
                self._open[level] = OpenDesign(drawn, design, [], 0)
                self._finished.append(level)
            return []
        tasks = self.space.tasks(design, self.configuration.episodes, self.rng)
        if not all(map(self.levels.admits, tasks)):
            self._counts["refused"] += 1
            return []
        level = self.next_numbers(self.configuration.episodes)
        self._open[level] = OpenDesign(drawn, design, tasks, self.space.num_lost(design))
        return [level]

    def _outcome(self, one: OpenDesign) -> Outcome:
        returns = np.array([one.returns[name] for name in self.players], float) if one.returns else None
        placed, active = len(one.design.placed), self.space.num_active(one.design)
        return Outcome(returns, placed, active, one.design.num_repeated, one.num_lost)

    def _shares(self) -> dict[str, float]:
        drawn = max(self._counts["drawn"], 1)
        shares = {f"{name}_share": self._counts[name] / drawn for name in ("refused", "trivial")}
        self._counts = dict.fromkeys(self._counts, 0)
        return shares


class DrawnDesignsTeacher(DesignTeacher):
    """Domain randomisation over the generator's own designs, of primitives that may become more and more."""

    configuration_type: ClassVar[type] = DrawnConfiguration

    def draw(self, count: int) -> list[tuple[Drawn | None, Design]]:
        """So many designs; by a schedule, of the primitives that it allows now, whatever comes of them."""
        designs = super().draw(count)
        settings = self.configuration
        if settings.designs == "random":
            return designs
        share = settings.first_share + (1 - settings.first_share) * min(self._step / settings.rises_over, 1.0)
        return [(None, self._thinned(design, share)) for _, design in designs]

    def _thinned(self, design: Design, share: float) -> Design:
        """A design of other primitives, each there with this probability."""
        count = len(design.primitives)
        some = 1 + self.rng.integers(len(self.space.primitives), size=count)
        return design._replace(primitives=np.where(self.rng.random(count) < share, some, 0))


def _measures(outcomes: list[Outcome]) -> dict[str, float]:
    """What designs are like, and what the population earns in them, of returns as generators are rewarded for."""
    played = [returns for one in outcomes if (returns := one.bounded) is not None]
    measures = {
        "placed": float(np.mean([one.placed for one in outcomes])),
        "active": float(np.mean([one.active for one in outcomes])),
        "passive": float(np.mean([one.placed - one.active for one in outcomes])),
        "repeated": float(np.mean([one.repeated for one in outcomes])),
        "lost": float(np.mean([one.lost for one in outcomes])),
    }
    if played:
        means = np.array([returns.mean(axis=1) for returns in played])
        measures |= {
            "regret": float((means.max(axis=1) - means.mean(axis=1)).mean()),
            "best_return": float(means.max(axis=1).mean()),
        }
        if min(played[0].shape) > 1:
            measures["regret_floor"] = float(np.mean([regret_floor(returns) for returns in played]))
    return measures
