"""What a run and its method exchange: the rows that the method needs, and the context that it makes players from."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from gymnasium import spaces

from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.training.player_names import STUDENT
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.seeding import seed_from_parts


@dataclass(frozen=True)
class RowsOptions:
    """What a method needs of the rows of its run.

    Attributes:
        num_rows: Rows that play side by side.
        rollout_steps: Actions of every row between updates; 0: as many as an episode lasts.
        steps_per_action: Steps of the environment, as it is scored, that an action lasts.
        is_repeated: Whether an action is done so many times, and not a subgoal's that many steps serve.
        whole_episodes: Whether rows play whole episodes together, and not single steps.
        rows_type: What the rows are, a class; ``None``: :class:`.CurriculumVectorEnv`.
        collector_type: How a player that is alone acts, a class; ``None``: :class:`.Collector`.
        make_teacher: Makes a teacher of the method's own, of a :class:`.LevelSource` and its generator; ``None``: it is
            the configuration's.
        frozen_players: Folders of the policies that may take seats beside the learners, by name.
        options: The rows' further keyword arguments.
    """

    num_rows: int
    rollout_steps: int
    steps_per_action: int = 1
    is_repeated: bool = False
    whole_episodes: bool = False
    rows_type: Callable[..., Any] | None = None
    collector_type: Callable[..., Any] | None = None
    make_teacher: Callable[[Any, np.random.Generator], Any] | None = None
    frozen_players: Mapping[str, PolicyFolder] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)


class Rows(Protocol):
    """What methods know of a :class:`.CurriculumVectorEnv`, whose ``teacher`` is a :class:`.Teacher`."""

    environment_id: str
    env: Any
    observation_space: spaces.Dict
    teacher: Any
    steps: int


@dataclass(frozen=True)
class Context:
    """What a method makes its players of.

    Attributes:
        benchmark: What is trained for.
        configuration: The method's settings, with the environment's values.
        seed: Seed of the run.
        steps: Environment steps of the whole run.
        rows: Where the players act; they have not begun.
    """

    benchmark: Benchmark
    configuration: Any
    seed: int
    steps: int
    rows: Rows

    def rng(self, name: str) -> np.random.Generator:
        """The generator of a part of the run."""
        return rng_of(name, self.seed)


def cooling(cooldown: float, rows: Rows, steps: int) -> Callable[[], float]:
    """The share of rates that is left at the rows' step, in a run of so many steps."""
    return lambda: min(1.0, (steps - rows.steps) / (cooldown * steps)) if cooldown else 1.0


def rng_of(name: str, seed: int) -> np.random.Generator:
    """The generator of a part of the run of this seed."""
    return np.random.default_rng(seed_from_parts(name, seed))


def seed_of_player(name: str, seed: int) -> int:
    """The seed of a run's player: the run's own of the student, others of all others."""
    return seed if name == STUDENT else seed_from_parts(name, seed)
