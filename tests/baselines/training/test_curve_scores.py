"""Evaluations in training: how many episodes, and that one is enough where all is deterministic."""

from functools import partial
from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest

from procgen_bench.baselines.policies.scripted.policies import NoopPolicy
from procgen_bench.baselines.training import curve_scores
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.baselines.training.normalised_scores import score_percentiles, uncut_percentiles
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.policy import Policy
from procgen_bench.tasks.xland.groups import KINDS, kind_of, task_groups


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
    every, one = (curve_scores.evaluate(policy, benchmark, None, count) for count in (None, 1))
    assert benchmark.episodes_per_task == 50 and every == pytest.approx(one, abs=1e-9)


@pytest.mark.parametrize(("count", "played"), [(None, 50), (3, 3)])
def test_as_many_episodes_are_played_as_asked(count, played, monkeypatch):
    def play(policy, environment_id, tasks, seeds):
        assert len(tasks) == len(seeds) == len(set(seeds)) == played
        return [SimpleNamespace(return_=0.5, success=True, length=place, measures={}) for place in range(played)]

    monkeypatch.setattr(curve_scores, "play_episodes", play)
    scores = curve_scores.evaluate(Wanderer(4), get_benchmark("grid-world/target-a"), None, count)
    assert scores == {"return": 0.5, "success": 1.0, "length": (played - 1) / 2}


def test_the_worst_tenth_is_of_tasks_each_by_the_mean_of_its_episodes(monkeypatch):
    """Of twenty tasks with two episodes each, every fourth of which succeeds; returns fall from task to task."""

    def play(policy, environment_id, tasks, seeds):
        places = range(len(tasks))
        return [SimpleNamespace(return_=-place, success=place % 4 == 0, length=1, measures={}) for place in places]

    monkeypatch.setattr(curve_scores, "play_episodes", play)
    scores = curve_scores.evaluate(Wanderer(4), get_benchmark("grid-world/graded"), 20, 2)
    assert scores["return"] == -19.5 and scores["success"] == 0.25
    assert (scores["worst_tenth_return"], scores["worst_tenth_success"]) == (-37.5, 0.0)


@pytest.mark.parametrize("serial", [False, True])
def test_how_far_structures_are_complete_is_reported_beside_success(serial, monkeypatch):
    monkeypatch.setattr(curve_scores, "play_episodes", partial(play_episodes, serial=serial))
    benchmark, env = get_benchmark("voxel-build/test"), gymnasium.make("VoxelBuild-v0")
    scores = curve_scores.evaluate(Placer(21), benchmark, 2, 1)
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
        curve_scores.evaluate(Wanderer(4), get_benchmark("grid-world/target-a"), None, 0)


def test_gains_over_doing_nothing_and_groups_of_tasks_are_reported(monkeypatch):
    """Where the goal speaks of objects, doing nothing earns 7 and the policy 10 a task; elsewhere the policy 2."""
    benchmark, played = get_benchmark("xland/small"), []

    def play(policy, environment_id, tasks, seeds):
        played.append((type(policy), [task.to_text() for task in tasks], seeds))
        speaks = [kind_of(task.game.goals[0]) == "objects" for task in tasks]
        earned = [7.0 * own if isinstance(policy, NoopPolicy) else 2.0 + 8.0 * own for own in speaks]
        return [SimpleNamespace(return_=value, success=value > 0, length=300, measures={}) for value in earned]

    monkeypatch.setattr(curve_scores, "play_episodes", play)
    monkeypatch.setattr(curve_scores, "_idle_returns", curve_scores._idle_returns.__wrapped__)
    scores = curve_scores.evaluate(Wanderer(4), benchmark, 40, 1)
    assert [kind for kind, *_ in played] == [Wanderer, NoopPolicy] and played[0][1:] == played[1][1:]
    assert (scores["return_objects"], scores["gain_objects"]) == (10.0, 3.0)
    assert (scores["return_oneself"], scores["gain_oneself"]) == (2.0, 2.0)
    suite = benchmark.curve_suite()
    asked = [suite.tasks[place] for place in np.linspace(0, 299, 40).round().astype(int)]
    shares = {name: chosen.mean() for name, chosen in task_groups(asked).items()}
    assert {name for name in scores if name.startswith("gain_")} == {
        f"gain_{name.replace(' ', '_')}" for name in shares
    }
    assert scores["gain"] == pytest.approx(3 * shares["objects"] + 2 * (1 - shares["objects"]))
    ways = [name for name in shares if name not in KINDS]
    by_way = sum(shares[name] * scores[f"return_{name.replace(' ', '_')}"] for name in ways)
    assert by_way == pytest.approx(scores["return"])
    assert all(curve_scores.is_detail(name) for name in scores if name.startswith(("gain_", "return_", "uncut_")))
    assert not any(map(curve_scores.is_detail, ("return", "success", "gain", "percentile_10", "normalised_score")))


def test_scores_beyond_the_best_known_are_shown_uncut():
    returns, best = np.array([0.0, 112.0, 300.0, 5.0]), np.array([100.0, 100.0, 100.0, 0.0])
    assert score_percentiles(returns, best, (50,)) == {"percentile_50": 1.0, "normalised_score": pytest.approx(2 / 3)}
    uncut = {"uncut_percentile_50": pytest.approx(1.12), "uncut_normalised_score": pytest.approx(4.12 / 3)}
    assert uncut_percentiles(returns, best, (50,)) == uncut
    assert score_percentiles(returns, np.zeros(4)) == uncut_percentiles(returns, np.zeros(4)) == {}
