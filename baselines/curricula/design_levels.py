"""New levels that are designs: what a generator could have placed, drawn or mutated, for teachers that keep levels.

A level is a task of a design: what the design leaves open, as the values of a site's fields, is drawn once for it.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from procgen_bench.baselines.curricula.design_spaces import design_space
from procgen_bench.baselines.curricula.designs import Design, DesignSpace
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.settings import AMOUNT, COUNT, option
from procgen_bench.core.checks import check_defaults
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.task import Task
from procgen_bench.tasks.sites.design import MAX_PAGES

#: Designs in a row that may be without a level to propose.
_TRIES = 1_000


@dataclass(frozen=True)
class DesignLevelsConfiguration:
    """Whether new levels are designs, and of what size."""

    slots: int = option(
        0, "choices of a design, as of a generator's, where new levels are designs; 0: the task space draws", AMOUNT
    )
    pages: int = option(MAX_PAGES, "pages that a site of a design has at most", COUNT)
    from_empty: bool = option(
        False, "whether new levels' designs are empty, with as many mutations as make a task of one; else uniform"
    )

    def __post_init__(self):
        if not self.slots:
            check_defaults(self, ("pages", "from_empty"), "slots beside it: it is of designs alone")


class DesignLevels(LevelSource):
    """Levels that are designs.

    Args:
        levels: Levels of the same benchmark.
        space: The designs.
        design: Draws a new level's design; one with nothing to do is drawn again.
    """

    def __init__(self, levels: LevelSource, space: DesignSpace, design: Callable[[np.random.Generator], Design]):
        self.benchmark, self.task_space, self.solvable = levels.benchmark, levels.task_space, levels.solvable
        self.space, self._design = space, design

    def draw(self, rng: np.random.Generator, count: int) -> list[Task]:
        """``count`` levels of drawn designs.

        Raises:
            InvalidOptionError: None of very many designs may be proposed.
        """
        levels: list[Task] = []
        refused = 0
        while len(levels) < count:
            level = self._level(self._design(rng), rng)
            if level is not None:
                levels.append(level)
                refused = 0
            elif (refused := refused + 1) == _TRIES:
                raise InvalidOptionError(f"none of {_TRIES} designs may be proposed; give more slots")
        return levels

    def mutate(self, task: Task, rng: np.random.Generator, edits: int) -> Task | None:
        """A level of a level's design after so many mutations; ``None``: none that may be proposed is left."""
        design = self.space.design_of(task)
        for _ in range(edits):
            design = self.space.mutate(design, rng)
        return self._level(design, rng)

    def _level(self, design: Design, rng: np.random.Generator) -> Task | None:
        if not self.space.is_task(design):
            return None
        (task,) = self.space.tasks(design, 1, rng)
        return task if self.admits(task) else None


def level_source(levels: LevelSource, configuration: DesignLevelsConfiguration) -> LevelSource:
    """Where a teacher's new levels come from.

    Args:
        levels: What the task space draws.
        configuration: Says whether new levels are designs instead, and which.

    Raises:
        UnsupportedEnvironmentError: Tasks of the environment are no designs.
        InvalidOptionError: A design of the environment does not have so many choices, or pages.
    """
    if not configuration.slots:
        return levels
    space = design_space(levels.benchmark.environment_id, levels.task_space, configuration.slots, configuration.pages)

    def simplest(rng: np.random.Generator) -> Design:
        design = space.empty
        while not space.is_task(design):
            design = space.mutate(design, rng)
        return design

    return DesignLevels(levels, space, simplest if configuration.from_empty else space.uniform)
