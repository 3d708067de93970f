"""Stages: levels from easy to hard in a given order; a stage opens once the earlier ones are done well.

Ours. Other teachers search for an order; this one needs it from the user. In XLand the order decides: an agent that
has learned to see things, and to stand, also keeps still for other goals, and does not discover that it has to move.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from procgen_bench.baselines.training.contracts import FinishedEpisodes, Proposal
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.player_names import STUDENT
from procgen_bench.baselines.training.settings import COUNT, SHARE, option
from procgen_bench.baselines.training.teacher import Teacher, TeacherArrays, TeacherValues
from procgen_bench.core.errors import InvalidOptionError, ProcgenBenchError


@dataclass(frozen=True)
class StagesConfiguration:
    """An order, and when the next stage opens."""

    stages: str = option(
        "",
        "stages separated by /, each an option of the task space, as skill:near/skill:hold, several joined by +; the "
        "last stage, of what the environment draws, need not be named",
    )
    threshold: float = option(
        0.35, "return, as a share of the greatest, that opens the next stage when all open ones have it", SHARE
    )
    memory: int = option(200, "newest episodes of a stage over which its return is averaged", COUNT)
    least_weight: float = option(0.15, "least weight of an open stage; else it is 1 less its return", SHARE)
    opened: int = option(1, "stages that are open from the start", COUNT)
    fresh_share: float = option(
        0.0, "share of the proposals that is what the environment draws, whatever stages are open", SHARE
    )


class StagesTeacher(Teacher):
    """Proposes levels of the open stages, more of those with little return. Its measures are how many stages are open,
    and the return of each as a share of the greatest, ``stage_1`` and so on: of the seat that does worst, where all
    players of a world learn, since each has a goal of its own.

    Raises:
        InvalidOptionError: A stage has another form, or the task space has no such option; more are to be open than
            there are.
    """

    observes_all_seats = True

    def __init__(self, levels: LevelSource, rng: np.random.Generator, configuration: Any):
        super().__init__(levels, rng, configuration)
        named = [stage for stage in configuration.stages.split("/") if stage]
        self._sources = [*(level_source_of(levels, stage, "stages") for stage in named), levels]
        #: By stage and seat, the newest returns.
        self._returns: list[dict[int, deque[float]]] = [{} for _ in self._sources]
        self._open = configuration.opened
        if self._open > len(self._sources):
            raise InvalidOptionError(
                f"opened is {self._open}, expected at most {len(self._sources)}, the stages with the last, of what the "
                "environment draws"
            )
        self._stages: dict[int, int] = {}

    def propose(self, rows: np.ndarray, step: int) -> list[Proposal]:
        """A level of an open stage for each row."""
        lacking = 1 - np.array(self._shares()[: self._open])
        weights = np.maximum(lacking, self.configuration.least_weight) + 1e-9
        drawn = self.rng.choice(self._open, len(rows), p=weights / weights.sum())
        if self.configuration.fresh_share:
            drawn[self.rng.random(len(rows)) < self.configuration.fresh_share] = len(self._sources) - 1
        return [self._proposal(stage) for stage in drawn.tolist()]

    def observe(self, played: FinishedEpisodes) -> None:
        """Average returns by stage; open the next one where all open ones do well."""
        own = played.by(STUDENT)
        own = own.of(own.train)  # the others are of seats that co-players hold
        for number, seat, return_ in zip(own.level.tolist(), own.seat.tolist(), own.return_.tolist()):
            if number in self._stages:
                returns = self._returns[self._stages[number]]
                returns.setdefault(seat, deque(maxlen=self.configuration.memory)).append(return_)
        for number in set(played.level.tolist()):  # rows of one world have one level, and end together
            self._stages.pop(number, None)
        is_full = all(
            stage and all(len(returns) == self.configuration.memory for returns in stage.values())
            for stage in self._returns[: self._open]
        )
        if is_full and min(self._shares()[: self._open]) >= self.configuration.threshold:
            self._open = min(self._open + 1, len(self._sources))

    def learn(self, student: Any) -> dict[str, float]:
        """How far it is."""
        shares = {f"stage_{place}": share for place, share in enumerate(self._shares(), start=1)}
        return {"stages_open": float(self._open)} | shares

    def state(self) -> tuple[TeacherArrays, TeacherValues]:
        """With the stages of the levels that are being played."""
        arrays, values = super().state()
        returns = [[[seat, list(own)] for seat, own in stage.items()] for stage in self._returns]
        stages = [list(pair) for pair in self._stages.items()]
        return arrays, values | {"open": self._open, "returns": returns, "stages": stages}

    def restore(self, arrays: TeacherArrays, values: TeacherValues) -> None:
        """Go on from what :meth:`state` returned."""
        super().restore(arrays, values)
        self._open, self._stages = values["open"], dict(values["stages"])
        self._returns = [
            {seat: deque(own, self.configuration.memory) for seat, own in stage} for stage in values["returns"]
        ]

    def _shares(self) -> list[float]:
        """Of every stage, that of the seat that does worst."""
        return [min(map(self._share, stage.values()), default=0.0) for stage in self._returns]

    def _share(self, returns: Sequence[float]) -> float:
        """Their mean as a share of the greatest return, 0 to 1."""
        least, most = self.levels.benchmark.minimum, self.levels.benchmark.maximum
        return float(np.clip((np.mean(returns) - least) / (most - least), 0.0, 1.0))

    def _proposal(self, stage: int) -> Proposal:
        number = self.next_number()
        self._stages[number] = stage
        return Proposal(number, self._sources[stage].draw_plain(self.rng, 1)[0])


def level_source_of(levels: LevelSource, stage: str, where: str) -> LevelSource:
    """Levels that are drawn as the benchmark's, but for the options of a stage, which errors say ``where`` has.

    An empty stage has no options: it is ``levels``.

    Raises:
        InvalidOptionError: The stage has another form, or the task space has no such option.
    """
    if not stage:
        return levels
    options = {}
    for part in stage.split("+"):
        name, colon, text = part.partition(":")
        if not (name and colon and text):
            raise InvalidOptionError(f"{where} has {stage!r}, expected options like skill:near, joined by +")
        options[name] = _value(text)
    try:
        return LevelSource(levels.benchmark, levels.solvable, **options)
    except (ProcgenBenchError, TypeError) as error:
        environment_id = levels.benchmark.environment_id
        raise InvalidOptionError(f"{where} has {stage!r}, which {environment_id} does not draw: {error}") from None


def _value(text: str) -> str | int | float | tuple[int | float, ...]:
    """Numbers are numbers, and ``4-9`` is a pair of them."""
    for kind in (_number, _pair):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _pair(text: str) -> tuple[int | float, int | float]:
    first, second = map(_number, text.split("-"))
    return first, second
