"""The tabular explorer: in how many steps trying everything reaches a target's goal.

It tells states apart by what it observes, remembers what each action did in each of them, and always walks to the
nearest action that it has not tried. So it is a floor of hard exploration: where it is quick, a learner that reaches
the goal shows little. It suits environments of few actions whose steps draw nothing and whose observations tell their
states.
"""

from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.compiled import njit
from procgen_bench.core.search_tree import nodes_on_way
from procgen_bench.core.success import counted_success

#: Where it is measured, on targets, which are one task each.
TABULAR = ("GridWorld-v0", "GridWorldLarge-v0")
#: Steps after which it gives up, and runs, which differ in the order in which they try actions.
MOST_STEPS, RUNS = 1_000_000, 5
#: What an action leads to: untried, the episode's end, and else the number of a state.
_UNTRIED, _END = -1, -2


@dataclass(frozen=True)
class Explorer:
    """What the tabular explorer needs for one target.

    Attributes:
        first: Steps until it first reaches the goal, the least of the runs; ``None``: a run gave up, and was the last.
        last: The greatest of the runs; ``None`` as above.
        score: The mean return, over the runs, of the shortest way to the goal that it knows then; ``None`` as above.
        states: How many states the last run has seen.
    """

    first: int | None
    last: int | None
    score: float | None
    states: int


def explores(benchmark: Benchmark) -> bool:
    """Whether the explorer is a floor of this benchmark."""
    return benchmark.environment_id in TABULAR and benchmark.suite == "targets"


def measure_explorer(benchmark: Benchmark, rng: np.random.Generator) -> Explorer:
    """Let the explorer try a target in :data:`RUNS` runs."""
    # Without wrappers, a million steps take a third of the time.
    with gymnasium.make(benchmark.environment_id, flat=True).unwrapped as env:
        (task,) = benchmark.task_suite().tasks
        steps, scores = list[int](), list[float]()
        for _ in range(RUNS):
            run = TabularExplorer(env, task, benchmark.max_episode_steps, rng)
            found = run.explore(MOST_STEPS)
            if found is None:
                return Explorer(None, None, None, run.num_states)
            steps.append(found)
            scores.append(run.known_return())
    return Explorer(min(steps), max(steps), round(float(np.mean(scores)), 4), run.num_states)


class TabularExplorer:
    """One run of the explorer on one task.

    Args:
        env: With ``Discrete`` actions and a single array observed.
        task: What is played in every episode.
        horizon: Steps of an episode, at most.
        rng: Decides between untried actions of a state.
    """

    def __init__(self, env: gymnasium.Env, task: Any, horizon: int, rng: np.random.Generator):
        self._env, self._task, self._horizon, self._rng = env, task, horizon, rng
        self._num_actions = int(env.action_space.n)  # type: ignore[attr-defined]
        self._numbers: dict[bytes, int] = {}
        self._next = np.full((1024, self._num_actions), _UNTRIED, np.int32)
        self._way: tuple[int, ...] | None = None

    @property
    def num_states(self) -> int:
        """States seen so far."""
        return len(self._numbers)

    def explore(self, most: int) -> int | None:
        """Steps until the goal is first reached; ``None``: not within ``most``, or nothing is left to be tried."""
        steps = 0
        while steps < most:
            begun, last, state = steps, min(steps + self._horizon, most), self._begin()
            while state != _END and steps < last:
                end, way = _walk(self._next, self.num_states, state, _UNTRIED)
                if end < 0:
                    break
                untried = self._rng.choice(np.flatnonzero(self._next[end] == _UNTRIED))
                for action in (*way.tolist(), int(untried)):
                    observation, _, terminated, _, info = self._env.step(action)
                    steps += 1
                    if bool(counted_success(info)):
                        self._way = (*_walk(self._next, self.num_states, self._begin(), state)[1].tolist(), action)
                        return steps
                    reached = _END if terminated else self._number(observation)
                    self._next[state, action] = reached
                    state = reached
                    if terminated or steps == last:
                        break
            if steps == begun:
                return None
        return None

    def known_return(self) -> float:
        """The return of the shortest known way to the goal, which has been reached."""
        assert self._way is not None
        self._begin()
        return sum(float(self._env.step(action)[1]) for action in self._way)

    def _begin(self) -> int:
        return self._number(self._env.reset(seed=0, options={"task": self._task})[0])

    def _number(self, observation: np.ndarray) -> int:
        number = self._numbers.setdefault(observation.tobytes(), len(self._numbers))
        if number == len(self._next):
            self._next = np.concatenate([self._next, np.full_like(self._next, _UNTRIED)])
        return number


@njit
def _walk(following, num_states, start, aim):
    """Where the shortest known way to ``aim`` ends, and its actions, int64; -1 where there is none.

    ``aim`` is the number of a state, or ``_UNTRIED``: the nearest state that has an untried action.
    """
    parents, arrivals = np.full(num_states, -1, np.int32), np.empty(num_states, np.int8)
    queue = np.empty(num_states, np.int32)
    parents[start], queue[0] = start, start
    head, tail = 0, 1
    while head < tail:
        state = queue[head]
        head += 1
        if state == aim or (aim == _UNTRIED and (following[state] == _UNTRIED).any()):
            return state, arrivals[nodes_on_way(parents, start, state)].astype(np.int64)
        for action in range(following.shape[1]):
            reached = following[state, action]
            if reached >= 0 and parents[reached] == -1:
                parents[reached], arrivals[reached] = state, action
                queue[tail] = reached
                tail += 1
    return np.int32(-1), np.empty(0, np.int64)
