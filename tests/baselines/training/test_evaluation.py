"""Evaluations in training: how many episodes, and that one is enough where all is deterministic."""

from functools import partial
from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest

from procgen_bench.baselines.training import evaluation
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.policy import Policy


class Wanderer(Policy):
    """Goes round through the actions of the task's step, whatever it sees."""

    def __init__(self, num_actions: int):
        self.num_actions, self.step = num_actions, 0

    def seed(self, seed: int) -> None:
        self.step = 0

    def act(self, observations, episode_starts):
        self.step += 1
        return np.full(len(episode_starts), self.step * 5 // 2 % self.num_actions)


class Placer(Wanderer):
    """Looks down, and places blocks of two kinds around it."""

    def act(self, observations, episode_starts):
        self.step += 1
        return np.full(len(episode_starts), [13, 14, 9, 15][self.step % 4])


@pytest.mark.parametrize(
    ("benchmark_id", "num_actions"),
    [("grid-world/target-a", 4), pytest.param("table-push/target-c", 12, marks=pytest.mark.slow)],
)
def test_of_a_target_one_episode_says_what_all_do(benchmark_id, num_actions):
    benchmark, policy = get_benchmark(benchmark_id), Wanderer(num_actions)
    every, one = (evaluation.evaluate(policy, benchmark, None, count) for count in (None, 1))
    assert benchmark.episodes_per_task == 50 and every == pytest.approx(one, abs=1e-9)


@pytest.mark.parametrize(("count", "played"), [(None, 50), (3, 3)])
def test_as_many_episodes_are_played_as_asked(count, played, monkeypatch):
    def play(policy, environment_id, tasks, seeds):
        assert len(tasks) == len(seeds) == len(set(seeds)) == played
        return [SimpleNamespace(return_=0.5, success=True, length=place, measures={}) for place in range(played)]

    monkeypatch.setattr(evaluation, "play_episodes", play)
    scores = evaluation.evaluate(Wanderer(4), get_benchmark("grid-world/target-a"), None, count)
    assert scores == {"return": 0.5, "success": 1.0, "length": (played - 1) / 2}


def test_the_worst_tenth_is_of_tasks_each_by_the_mean_of_its_episodes(monkeypatch):
    """Of twenty tasks with two episodes each, every fourth of which succeeds; returns fall from task to task."""

    def play(policy, environment_id, tasks, seeds):
        places = range(len(tasks))
        return [SimpleNamespace(return_=-place, success=place % 4 == 0, length=1, measures={}) for place in places]

    monkeypatch.setattr(evaluation, "play_episodes", play)
    scores = evaluation.evaluate(Wanderer(4), get_benchmark("grid-world/graded"), 20, 2)
    assert scores["return"] == -19.5 and scores["success"] == 0.25
    assert (scores["worst_tenth_return"], scores["worst_tenth_success"]) == (-37.5, 0.0)


@pytest.mark.parametrize("serial", [False, True])
def test_how_far_structures_are_complete_is_reported_beside_success(serial, monkeypatch):
    monkeypatch.setattr(evaluation, "play_episodes", partial(play_episodes, serial=serial))
    benchmark, env = get_benchmark("voxel-build/test"), gymnasium.make("VoxelBuild-v0")
    scores = evaluation.evaluate(Placer(21), benchmark, 2, 1)
    suite, completions = benchmark.task_suite().tasks, []
    for task in (suite[0], suite[-1]):
        policy, truncated = Placer(21), False
        env.reset(options={"task": task})
        while not truncated:
            _, _, _, truncated, info = env.step(policy.act(None, [True])[0])
        completions.append(info["completion"])
    worst = {"worst_tenth_return": 0.0, "worst_tenth_success": 0.0}
    assert scores == {"return": 0.0, "success": 0.0, "length": 100.0, **worst, "completion": np.mean(completions)}
    assert scores["completion"] < 0


def test_no_episode_is_refused():
    with pytest.raises(InvalidOptionError, match="evaluation_episodes is 0, expected an integer of at least 1"):
        evaluation.evaluate(Wanderer(4), get_benchmark("grid-world/target-a"), None, 0)
