"""The task spaces that every check runs on: each registered environment's, and the variants that its options give."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import gymnasium
import numpy as np
import pytest

import procgen_bench
from procgen_bench import Task, TaskSpace
from procgen_bench.tasks.programs import PROGRAMS

#: Environments that differ from another by their sizes, or by what actions do, alone: what is checked of that one every
#: day is checked of them at length.
LIKE_ANOTHER = (
    "CompositionalMiniGridSparse-v0",
    "GMiniWoBLiteral-v0",
    "GridWorldLarge-v0",
    "VoxelBuildSmall-v0",
    "XLandSmall-v0",
)

#: Families whose worlds take a tenth of a second to generate.
LARGE = ("XLand-v0", "XLandSmall-v0")

#: Options of environments under which there are other tasks.
VARIANTS: dict[str, tuple[dict[str, Any], ...]] = {
    "BitGrid-v0": ({"side": 3}, {"side": 32}),
    "SparsePointMaze-v0": ({"kind": "track"},),
    "FetchBlocks-v0": ({"num_blocks": 2}, {"num_blocks": 6, "materials": True}),
}

#: Fields that differ between tasks under an option of this name only.
OF_OPTIONS: dict[str, dict[str, str]] = {"FetchBlocks-v0": {"mass": "materials", "friction": "materials"}}

#: ``sample_task`` where it asks for more than a generator.
DRAWS: dict[str, Callable[[TaskSpace, np.random.Generator], Task]] = {
    "FetchProgram-v0": lambda space, rng: space.sample_task(rng, PROGRAMS[rng.choice(list(PROGRAMS))])
}


@dataclass(frozen=True, eq=False)
class Case:
    """A task space under test.

    Attributes:
        environment_id: Whose tasks they are.
        options: What it is made with.
        make: Makes another space like it.
    """

    environment_id: str
    options: dict[str, Any] = field(default_factory=dict)
    make: Callable[..., TaskSpace] = procgen_bench.make_task_space
    #: Tasks made so far, by seed, and the generator of further ones: large worlds are drawn once for all checks.
    _decoded: dict[int, tuple[list[Task], np.random.Generator]] = field(default_factory=dict, init=False)
    _drawn: dict[int, tuple[list[Task], np.random.Generator]] = field(default_factory=dict, init=False)

    def __str__(self) -> str:
        return "-".join([self.environment_id, *(f"{name}={value}" for name, value in self.options.items())])

    def new_space(self) -> TaskSpace:
        """A space of one's own."""
        return self.make(self.environment_id, **self.options)

    @cached_property
    def space(self) -> TaskSpace:
        """A space that the checks share."""
        return self.new_space()

    @property
    def usual_fields(self) -> set[str]:
        """Fields that are the same in all tasks, for an option is missing."""
        return {name for name, option in OF_OPTIONS.get(self.environment_id, {}).items() if option not in self.options}

    @property
    def horizon(self) -> int:
        """Steps of an episode."""
        return gymnasium.spec(self.environment_id).max_episode_steps

    def decoded(self, count: int, seed: int = 0) -> list[Task]:
        """Tasks of sampled parameters."""
        made, rng = self._decoded.setdefault(seed, ([], np.random.default_rng(seed)))
        made += [self.space.decode(self.space.sample(rng)) for _ in range(count - len(made))]
        return made[:count]

    def drawn(self, count: int, seed: int = 0) -> list[Task]:
        """Tasks as environments draw them, where the space can."""
        draw = DRAWS.get(self.environment_id)
        if draw is None and not hasattr(self.space, "sample_task"):
            return []
        made, rng = self._drawn.setdefault(seed, ([], np.random.default_rng(seed)))
        made += [draw(self.space, rng) if draw else self.space.sample_task(rng) for _ in range(count - len(made))]
        return made[:count]

    def published(self, count: int) -> list[Task]:
        """So many tasks of each suite, evenly over it."""
        return [task for suite in map(self.space.suite, self.space.suite_names) for task in spread(suite.tasks, count)]

    def tasks(self, count: int, seed: int = 0) -> Iterator[Task]:
        """Sampled, drawn and published ones, so many of each kind."""
        yield from (*self.decoded(count, seed), *self.drawn(count, seed), *self.published(count))


def spread(items, count: int) -> list:
    """At most ``count`` of the items, evenly over them."""
    return [items[place] for place in sorted({*np.linspace(0, len(items) - 1, min(count, len(items))).astype(int)})]


def marks_of(environment_id: str) -> Any:
    """What a check's parameter of this environment bears."""
    return pytest.mark.slow if environment_id in LIKE_ANOTHER else ()


def each(cases: Iterable[Case]) -> list[Any]:
    """The cases as parameters of a check."""
    return [pytest.param(case, id=str(case), marks=marks_of(case.environment_id)) for case in cases]


def suites(cases: Iterable[Case]) -> list[Any]:
    """Every case's suites as parameters of a check: case and name. Of families of large worlds, one is quick."""
    return [
        pytest.param(case, name, id=f"{case}-{name}", marks=pytest.mark.slow if late else marks_of(case.environment_id))
        for case in cases
        for name in case.space.suite_names
        for late in [case.environment_id in LARGE and name != case.space.suite_names[0]]
    ]


CASES = tuple(
    Case(environment_id, options)
    for environment_id in procgen_bench.ENVIRONMENT_IDS
    for options in ({}, *VARIANTS.get(environment_id, ()))
)
