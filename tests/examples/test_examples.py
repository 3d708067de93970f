"""The chain of CoDE's section 4: what is reached in it, and what it pays.

The example learns for some seconds with stable-baselines3 and tells its success.

Where failures in the point maze end: at the start for a policy that stays there, nowhere for the solver.

A trained policy in the native twin and in real Chromium: the same episodes, and a difference would be seen.
"""

import runpy
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.papers.code.pair_ppo_settings import PairPPOConfiguration
from procgen_bench.baselines.policies.loading import load_policy

CHAIN = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "chain.py"))
reach, published_sum, published_bound = (CHAIN[name] for name in ("reach", "published_sum", "published_bound"))


@pytest.mark.parametrize(("length", "right", "slack"), [(3, 0.7, 2), (8, 0.9, 4), (1, 0.5, 0)])
def test_the_goal_is_reached_as_often_as_in_play(length, right, slack):
    rng = np.random.default_rng(0)
    state = np.zeros(40_000, np.int64)
    for _ in range(length + 2 * slack):
        moves = np.where(rng.random(len(state)) < right, 1, -1)
        state = np.where(state == length, length, np.maximum(state + moves, 0))
    assert reach(length, right, slack) == pytest.approx((state == length).mean(), abs=0.01)


def test_without_slack_all_say_the_same():
    for said in (reach, published_sum, published_bound):
        assert said(6, 0.8, 0) == pytest.approx(0.8**6)


def test_the_published_bound_is_below_what_it_bounds():
    """Equation 8 has its inequality the wrong way round: it is no upper bound of what is reached either."""
    assert published_bound(10, 0.7, 4) < reach(10, 0.7, 4) < published_sum(10, 0.7, 4)


def test_regret_to_an_optimal_player_pays_for_the_longest_chain_and_code_for_one_that_is_borne():
    lengths = range(2, 41, 2)
    paid = [CHAIN["objectives"](length, 40, 0.9, 0.8, 4) for length in lengths]
    optimal, code = ([one[name] for one in paid] for name in ("optimal", "code"))
    assert np.all(np.diff(optimal) > 0)
    best = lengths[int(np.argmax(code))]
    assert 2 < best < 40 and reach(best, 0.9, 4) > 0.5 and code[-1] < max(code) / 4


pytest.importorskip("stable_baselines3")

EXAMPLE = Path(__file__).parents[2] / "examples" / "hindsight_on_blocks.py"


@pytest.mark.slow
@pytest.mark.parametrize("environment", [["FetchBlocks-v0", "--num-blocks", "2"], ["FetchPickAndPlace-v4"]])
def test_it_tells_success_over_steps(environment):
    arguments = [sys.executable, str(EXAMPLE), *environment, "--minutes", "0.2", "--period", "50"]
    output = subprocess.run(arguments, capture_output=True, text=True, timeout=300, check=True).stdout
    assert "      50 steps  success 0." in output and "steps in 0.2 minutes" in output


MAZE_FAILURES_EXAMPLE = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "maze_failures.py"))
BENCHMARK, failures = MAZE_FAILURES_EXAMPLE["BENCHMARK"], MAZE_FAILURES_EXAMPLE["failures"]


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


train = METHODS["pair-ppo"].train

pytest.importorskip("playwright")

SITES_IN_CHROMIUM_EXAMPLE = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "sites_in_chromium.py"))
SITES_IN_CHROMIUM_BENCHMARK, played, unlike = (
    SITES_IN_CHROMIUM_EXAMPLE[name] for name in ("BENCHMARK", "played", "unlike")
)
CONFIGURATION = PairPPOConfiguration(
    num_envs=32,
    minibatches=4,
    teacher="random-designs",
    teacher_options="slots=3,pages=2,batch=8",
    evaluate_every=12_000,
    evaluation_tasks=1,
)


def test_places_that_differ_are_named():
    episodes = played("site-matcher", "dom", SITES_IN_CHROMIUM_BENCHMARK.task_suite().tasks[:3])
    other = [episodes[0], replace(episodes[1], success=False), replace(episodes[2], length=24)]
    assert unlike(episodes, episodes) == [] and unlike(episodes, other) == [1, 2]


@pytest.mark.slow
def test_a_trained_policy_solves_in_chromium_what_it_solves_in_the_twin(tmp_path):
    train(SITES_IN_CHROMIUM_BENCHMARK, CONFIGURATION, 0, 12_000, tmp_path / "run")
    tasks = SITES_IN_CHROMIUM_BENCHMARK.task_suite().tasks[::4]
    twin, real = (played(tmp_path / "run" / "policy", backend, tasks) for backend in ("dom", "browser"))
    assert unlike(twin, real) == []
    assert len({(episode.return_, episode.length) for episode in twin}) > 10, "episodes are of many kinds"
