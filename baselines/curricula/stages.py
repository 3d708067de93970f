"""Stages: levels from easy to hard in a given order; a stage opens once the earlier ones are done well.

Ours. Other teachers search for an order; this one needs it from the user. In XLand the order decides: an agent that
has learned to see things, and to stand, also keeps still for other goals, and does not discover that it has to move.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from procgen_bench.baselines.training.contracts import (
    STUDENT,
    FinishedEpisodes,
    Proposal,
    Teacher,
    TeacherArrays,
    TeacherValues,
)
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.settings import COUNT, SHARE, option
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


class StagesTeacher(Teacher):
    """Proposes levels of the open stages, more of those with little return. Its measures are how many stages are open,
    and the return of each as a share of the greatest, ``stage_1`` and so on.

    Raises:
        InvalidOptionError: A stage has another form, or the task space has no such option.
    """

    def __init__(self, levels: LevelSource, rng: np.random.Generator, configuration: Any):
        super().__init__(levels, rng, configuration)
        named = [stage for stage in configuration.stages.split("/") if stage]
        self._sources = [*(_source(levels, _read(stage), stage) for stage in named), levels]
        self._returns: list[deque[float]] = [deque(maxlen=configuration.memory) for _ in self._sources]
        self._open = 1
        self._stages: dict[int, int] = {}

    def propose(self, rows: np.ndarray, step: int) -> list[Proposal]:
        """A level of an open stage for each row."""
        lacking = 1 - np.array(self._shares()[: self._open])
        weights = np.maximum(lacking, self.configuration.least_weight) + 1e-9
        drawn = self.rng.choice(self._open, len(rows), p=weights / weights.sum()).tolist()
        return [self._proposal(stage) for stage in drawn]

    def observe(self, played: FinishedEpisodes) -> None:
        """Average returns by stage; open the next one where all open ones do well."""
        own = played.by(STUDENT)
        own = own.of(own.train)  # the others are of seats that co-players hold
        for number, return_ in zip(own.level.tolist(), own.return_.tolist()):
            if number in self._stages:
                self._returns[self._stages[number]].append(return_)
        for number in set(played.level.tolist()):  # rows of one world have one level, and end together
            self._stages.pop(number, None)
        is_full = all(len(returns) == self.configuration.memory for returns in self._returns[: self._open])
        if is_full and min(self._shares()[: self._open]) >= self.configuration.threshold:
            self._open = min(self._open + 1, len(self._sources))

    def learn(self, student: Any) -> dict[str, float]:
        """How far it is."""
        shares = {f"stage_{place}": share for place, share in enumerate(self._shares(), start=1)}
        return {"stages_open": float(self._open)} | shares

    def state(self) -> tuple[TeacherArrays, TeacherValues]:
        """With the stages of the levels that are being played."""
        arrays, values = super().state()
        returns, stages = [list(one) for one in self._returns], [list(pair) for pair in self._stages.items()]
        return arrays, values | {"open": self._open, "returns": returns, "stages": stages}

    def restore(self, arrays: TeacherArrays, values: TeacherValues) -> None:
        """Go on from what :meth:`state` returned."""
        super().restore(arrays, values)
        self._open, self._stages = values["open"], dict(values["stages"])
        for own, returns in zip(self._returns, values["returns"], strict=True):
            own.extend(returns)

    def _shares(self) -> list[float]:
        """Of every stage."""
        return [self._share(returns) for returns in self._returns]

    def _share(self, returns: Sequence[float]) -> float:
        """Their mean as a share of the greatest return, 0 to 1; 0 where nothing has been played."""
        if not returns:
            return 0.0
        least, most = self.levels.benchmark.minimum, self.levels.benchmark.maximum
        return float(np.clip((np.mean(returns) - least) / (most - least), 0.0, 1.0))

    def _proposal(self, stage: int) -> Proposal:
        number = self.next_number()
        self._stages[number] = stage
        return Proposal(number, self._sources[stage].draw_plain(self.rng, 1)[0])


def _read(stage: str) -> dict[str, Any]:
    """``"skill:near+close_starts:0.5"`` by name; numbers are numbers."""
    options = {}
    for part in stage.split("+"):
        name, colon, text = part.partition(":")
        if not (name and colon and text):
            raise InvalidOptionError(f"stages has {stage!r}, expected options like skill:near, joined by +")
        options[name] = _value(text)
    return options


def _value(text: str) -> str | int | float:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _source(levels: LevelSource, options: dict[str, Any], stage: str) -> LevelSource:
    """Levels that are drawn as the benchmark's, but for these options."""
    try:
        return LevelSource(levels.benchmark, levels.solvable, **options)
    except (ProcgenBenchError, TypeError) as error:
        environment_id = levels.benchmark.environment_id
        raise InvalidOptionError(f"stages has {stage!r}, which {environment_id} does not draw: {error}") from None
