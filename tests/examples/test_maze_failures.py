"""Where failures in the point maze end: at the start for a policy that stays there, nowhere for the solver."""

import runpy
from pathlib import Path

import numpy as np

from procgen_bench.baselines.policies.loading import load_policy

EXAMPLE = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "maze_failures.py"))
BENCHMARK, failures = EXAMPLE["BENCHMARK"], EXAMPLE["failures"]


class Always:
    """Repeats one action."""

    def __init__(self, x, y):
        self.environment_options, self.action = {}, np.array([x, y], np.float32)

    def act(self, observations, episode_starts):
        return np.tile(self.action, (len(episode_starts), 1))


def test_the_solver_has_no_failures_and_one_who_stays_has_the_whole_way_left():
    tasks = BENCHMARK.task_suite().tasks[:5]
    solved = failures(load_policy("solver", BENCHMARK.environment_id), tasks)
    assert solved.success == 1 and not len(solved.cells_left)
    stayed = failures(Always(0, 0), tasks)
    assert stayed.success == 0 and stayed.cells_left.tolist() == [22] * 5
    assert np.allclose(stayed.distances, [np.linalg.norm(task.start - task.goal) for task in tasks])
    assert "failures end in 10 or more 5" in str(stayed)


def test_what_is_left_is_counted_from_where_the_actions_led():
    up = failures(Always(0, 0.95), BENCHMARK.task_suite().tasks[:3])
    assert len(set(up.cells_left)) == 1 and up.cells_left[0] != 22
