"""The tabular explorer: quick in the small targets, too slow in the large ones; its steps are those it takes."""

from collections import Counter

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
from procgen_bench.leaderboards.tracks.explorer import (
    MOST_STEPS,
    TabularExplorer,
    _walk,
    explores,
    measure_explorer,
)
from procgen_bench.leaderboards.tracks.measured import EXPLORER_FILE, read_measured
from procgen_bench.leaderboards.tracks.tables import EXPLORER_HEAD, explorer_rows
from procgen_bench.tasks.grid_world import GridWorldTask

TARGETS = [one for one in BENCHMARKS.values() if explores(one)]


class Counting(gymnasium.Wrapper):
    """Counts what was done where."""

    def __init__(self, env):
        super().__init__(env)
        self.done: Counter = Counter()

    def reset(self, **options):
        observation, info = super().reset(**options)
        self.place = observation.tobytes()
        return observation, info

    def step(self, action):
        self.done[self.place, action] += 1
        observation, *rest = super().step(action)
        self.place = observation.tobytes()
        return observation, *rest


def explorer_of(task, seed: int = 0) -> TabularExplorer:
    env = Counting(gymnasium.make("GridWorld-v0", flat=True))
    return TabularExplorer(env, task, 50, np.random.default_rng(seed))


@pytest.mark.parametrize("name", ["a", "b", "c"])
def test_small_targets_are_solved_by_trying_everything(name):
    benchmark = get_benchmark(f"grid-world/target-{name}")
    found = measure_explorer(benchmark, np.random.default_rng(1))
    assert found.first is not None and found.last is not None and found.score is not None
    assert found.first <= found.last < 2_000 and found.states < 256
    assert 0.9 < found.score <= benchmark.maximum


def test_steps_are_those_that_the_environment_counts():
    task = get_benchmark("grid-world/target-a").task_suite().tasks[0]
    explorer = explorer_of(task)
    assert explorer.explore(10_000) == explorer._env.done.total()
    assert len({place for place, _ in explorer._env.done}) <= explorer.num_states


def test_it_stops_where_it_is_told_to():
    task = get_benchmark("grid-world/target-c").task_suite().tasks[0]
    explorer = explorer_of(task)
    assert explorer.explore(100) is None and explorer._env.done.total() == 100


def test_everything_is_tried_once_before_it_gives_up():
    """A goal behind walls: three cells of a corridor and its four actions each."""
    walled = GridWorldTask.from_text("\n".join(["...#####", "#" * 8, *["........"] * 5, ".......G"]))
    explorer = explorer_of(walled)
    assert explorer.explore(10_000) is None
    assert explorer.num_states == 3 and len(explorer._env.done) == 12


def test_a_walk_is_the_shortest_that_is_known():
    """From 0 to 3 by action 0 over 1 and 2, by action 1 over 2 alone; in 2 an action is untried, 4 is not known."""
    following = np.array([[1, 2], [2, 2], [3, -1], [3, -2], [-1, -1]], np.int32)
    assert [part.tolist() for part in map(np.asarray, _walk(following, 4, 0, 3))] == [3, [1, 0]]
    assert [part.tolist() for part in map(np.asarray, _walk(following, 4, 0, -1))] == [2, [1]]
    assert [part.tolist() for part in map(np.asarray, _walk(following, 4, 3, 0))] == [-1, []]


@pytest.mark.slow
def test_a_large_target_is_not_solved_within_a_hundredth_of_its_steps():
    task = get_benchmark("grid-world/large-target-a").task_suite().tasks[0]
    env = gymnasium.make("GridWorldLarge-v0", flat=True)
    explorer = TabularExplorer(env, task, 200, np.random.default_rng(0))
    assert explorer.explore(MOST_STEPS // 100) is None and explorer.num_states > 100


def test_every_target_has_its_row():
    measured = read_measured(EXPLORER_FILE)
    assert list(measured) == [one.id for one in TARGETS] and len(TARGETS) == 6
    for one in TARGETS:
        solved = measured[one.id]["first"] is not None
        assert solved == ("large" not in one.id)
    rows = explorer_rows(BENCHMARKS.values())
    assert [row[0] for row in rows] == [f"`{one.id}`" for one in TARGETS]
    assert all(len(row) == len(EXPLORER_HEAD) for row in rows)
    assert rows[-1][1] == "more than 1,000,000" and " to " in rows[0][1]
