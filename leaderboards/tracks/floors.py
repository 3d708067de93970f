"""Floors: what acting without looking scores on a benchmark's suite.

Doing nothing, one action for ever, all of these in turn, the best of some random sequences of actions, and random
actions. Whoever acts so sees no task: what such a player scores, a learner may score without having learned anything.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.registrations import environment_type
from procgen_bench.core.success import counted_success
from procgen_bench.core.task import Task

#: Random sequences of actions, and steps for which their actions are held at most.
NUM_SEQUENCES, MOST_HELD = 12, 10
#: A pass over a physics track takes about so many steps of rows, and no fewer tasks than these; others take the suite.
PHYSICS_STEPS, FEWEST_TASKS = 4_500, 10
#: Rows that are played side by side.
_MOST_ROWS, _PHYSICS_ROWS = 1_000, 16
#: The step of an episode, and the number of rows -> the rows' actions.
Player = Callable[[int, int], np.ndarray]


@dataclass(frozen=True)
class Floors:
    """Scores of players that see nothing, means over tasks.

    Attributes:
        tasks: How many of the scored tasks were played, evenly over the suite.
        noop: Of doing nothing.
        constant: Of the best action, done in every step.
        constant_action: Which that is.
        in_turn: Of all these actions in turn.
        open_loop: Of the best of :data:`NUM_SEQUENCES` random sequences of actions, the same in every task.
        random: Of uniformly random actions.
    """

    tasks: int
    noop: float
    constant: float
    constant_action: Any
    in_turn: float
    open_loop: float
    random: float

    def scores(self) -> dict[str, float]:
        """The scores alone, by name."""
        return {name: value for name, value in asdict(self).items() if name not in ("tasks", "constant_action")}


def measure_floors(benchmark: Benchmark, rng: np.random.Generator) -> Floors:
    """Play a benchmark's suite, or some of its tasks under physics, once by each of these players."""
    tasks = _played(benchmark)
    again = 1 if benchmark.physics and len(tasks) > 1 else benchmark.episodes_per_task
    with _Rows(benchmark, tasks) as rows:
        space = rows.env.single_action_space
        nothing = nothing_of(space, environment_type(benchmark.environment_id).noop_action)
        constants = list(constant_actions(space, nothing))
        scores = [rows.score(_sequence([action])) for action in constants]
        best = int(np.argmax(scores))
        return Floors(
            tasks=len(tasks),
            noop=rows.score(_sequence([nothing])),
            constant=scores[best],
            constant_action=constants[best].tolist(),
            in_turn=rows.score(_sequence(constants)),
            open_loop=max(
                rows.score(_sequence(random_sequence(space, benchmark.max_episode_steps, rng)))
                for _ in range(NUM_SEQUENCES)
            ),
            random=float(np.mean([rows.score(lambda _, count: uniform(space, count, rng)) for _ in range(again)])),
        )


def nothing_of(space: spaces.Space, declared: tuple | int | None) -> np.ndarray:
    """The action that does nothing: the declared one, else the first of a discrete space, the middle of a box."""
    if declared is not None:
        return np.array(declared, np.int64)
    shape = space.shape or ()
    return np.zeros(shape, np.float32) if isinstance(space, spaces.Box) else np.zeros(shape, np.int64)


def constant_actions(space: spaces.Space, nothing: np.ndarray) -> Iterator[np.ndarray]:
    """Every action of a discrete space; of others those in which one number alone is not that of doing nothing.

    Of a box, that number is the least or the greatest.
    """
    match space:
        case spaces.Discrete():
            yield from (np.array(action) for action in range(int(space.n)))
        case spaces.MultiDiscrete():
            for part, count in enumerate(space.nvec.tolist()):
                yield from (_with(nothing, part, value) for value in range(count) if value != nothing[part])
        case spaces.Box():
            for part in range(space.shape[0]):
                yield from (_with(nothing, part, bound[part]) for bound in (space.low, space.high))
        case _:
            raise TypeError(f"floors are of Discrete, MultiDiscrete and Box actions, not of {type(space).__name__}")


def uniform(space: spaces.Space, count: int, rng: np.random.Generator) -> np.ndarray:
    """So many random actions."""
    match space:
        case spaces.Discrete():
            return rng.integers(space.n, size=count)
        case spaces.MultiDiscrete():
            return rng.integers(space.nvec, size=(count, *space.shape))
        case _:
            assert isinstance(space, spaces.Box)  # others are refused before
            return rng.uniform(space.low, space.high, (count, *space.shape)).astype(np.float32)


def random_sequence(space: spaces.Space, length: int, rng: np.random.Generator) -> np.ndarray:
    """Random actions, each held for the same number of steps, 1 to :data:`MOST_HELD`: (length, ...)."""
    held = int(rng.integers(1, MOST_HELD + 1))
    return np.repeat(uniform(space, -(-length // held), rng), held, axis=0)[:length]


class _Rows:
    """A vector environment in which tasks are played, as many as there are rows at once."""

    def __init__(self, benchmark: Benchmark, tasks: Sequence[Task]):
        most = _PHYSICS_ROWS if benchmark.physics else _MOST_ROWS
        self._returns, self._tasks, self._count = benchmark.metric == "return", list(tasks), min(len(tasks), most)
        self.env: VectorEnv = gymnasium.make_vec(
            benchmark.environment_id,
            num_envs=self._count,
            vectorization_mode="vector_entry_point",
            autoreset_mode=AutoresetMode.NEXT_STEP,
            tasks=self._tasks,  # rows that have ended begin others, which do not count: of the suite, as that is quick
            **environment_type(benchmark.environment_id).blind_options,
        )

    def __enter__(self) -> "_Rows":
        return self

    def __exit__(self, *_: object) -> None:
        self.env.close()

    def score(self, player: Player) -> float:
        """A player's mean score of the tasks."""
        scores = np.concatenate([self._played(first, player) for first in range(0, len(self._tasks), self._count)])
        return round(float(scores.mean()), 4)

    def _played(self, first: int, player: Player) -> np.ndarray:
        """The scores of the tasks from ``first`` on, as many as there are rows."""
        tasks = self._tasks[first : first + self._count]
        filled = [*tasks, *[tasks[-1]] * (self._count - len(tasks))]
        self.env.reset(seed=0, options={"task": filled})
        running = np.ones(self._count, np.bool_)
        successes, returns = np.zeros(self._count, np.bool_), np.zeros(self._count)
        step = 0
        while running[: len(tasks)].any():
            _, rewards, terminations, truncations, infos = self.env.step(player(step, self._count))
            returns += rewards * running
            ended = running & (terminations | truncations)
            successes[ended] = np.asarray(counted_success(infos))[ended]
            running &= ~ended
            step += 1
        return (returns if self._returns else successes.astype(np.float64))[: len(tasks)]


def _played(benchmark: Benchmark) -> list[Task]:
    suite = benchmark.task_suite().tasks
    if not benchmark.physics:
        return list(suite)
    count = min(len(suite), max(FEWEST_TASKS, PHYSICS_STEPS // benchmark.max_episode_steps))
    return [suite[place] for place in np.linspace(0, len(suite) - 1, count).astype(int).tolist()]


def _sequence(actions: Sequence[np.ndarray] | np.ndarray) -> Player:
    """Whose rows all do these actions one after the other, from the first again after the last."""
    return lambda step, count: np.stack([actions[step % len(actions)]] * count)


def _with(action: np.ndarray, part: int, value: float) -> np.ndarray:
    changed = action.copy()
    changed[part] = value
    return changed
