import dataclasses

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.submission.submission import EpisodeTrace
from procgen_bench.leaderboards.verification.replay import replay

GRID = get_benchmark("grid-world/graded")
SINGLE = "GridWorldWithoutVector-v0"


@pytest.fixture
def single_id():
    """GridWorld registered without its vector form."""
    spec = gymnasium.spec("GridWorld-v0")
    gymnasium.register(SINGLE, entry_point=spec.entry_point, max_episode_steps=spec.max_episode_steps)
    yield SINGLE
    del gymnasium.registry[SINGLE]


@pytest.fixture(scope="module")
def traces():
    """Random actions, too many, too few or none, on random and graded tasks."""
    rng = np.random.default_rng(5)
    tasks = [*get_benchmark("grid-world/graded").task_suite(), *get_benchmark("grid-world/random").task_suite()]
    return [
        EpisodeTrace(task, "", 0, seed, rng.integers(0, 4, rng.integers(0, 51)), 0.0) for seed, task in enumerate(tasks)
    ]


def test_vector_replay_equals_single_replay(traces, single_id):
    assert len(traces) == 1200  # more than one batch of rows
    in_rows, one_by_one = replay(GRID, traces), replay(dataclasses.replace(GRID, environment_id=single_id), traces)
    assert in_rows == one_by_one
    assert {(outcome.finished, outcome.success) for outcome in in_rows} >= {(True, False), (False, False), (True, True)}
    assert any(outcome.length < len(trace.actions) for outcome, trace in zip(in_rows, traces))


def test_outcome_does_not_depend_on_the_other_rows(traces):
    together = replay(GRID, traces[:40])
    assert [replay(GRID, [trace])[0] for trace in traces[:40]] == together
    assert replay(GRID, traces[:40][::-1]) == together[::-1]


def test_nothing_to_replay():
    assert replay(GRID, []) == []
