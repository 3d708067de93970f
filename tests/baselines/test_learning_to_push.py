"""``dqn`` and ``ppo`` learn TablePush's target A, in physics, and sabotaged copies do not."""

import csv
from dataclasses import replace

import numpy as np
import pytest

from procgen_bench.baselines.method_table import get_method
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.core.benchmarks import get_benchmark

pytest.importorskip("pybullet")
pytestmark = pytest.mark.slow

#: Pushes that change nothing cost nothing but discount: at 0.99 Q-learning takes them for as good as the right one.
SETTINGS = {
    "dqn": {"num_envs": 4, "learning_starts": 600, "updates_per_step": 4.0, "discount": 0.9, "evaluate_every": 1_000},
    "ppo": {"num_envs": 8, "rollout_steps": 32, "minibatches": 2, "evaluate_every": 5_000},
}
STEPS = {"dqn": 3_000, "ppo": 10_000}


def best_success(method, out) -> float:
    """The greatest success of an evaluation in a run."""
    known = get_method(method)
    settings = known.load("configuration")(teacher="targets", evaluation_episodes=20, **SETTINGS[method])
    known.train(get_benchmark("table-push/target-a"), settings, 0, STEPS[method], out)
    with (out / "curve.csv").open() as file:
        return max(float(row["success"]) for row in csv.DictReader(file))


def without_rewards(rows, step):
    return replace(step, rewards=np.zeros_like(step.rewards))


def shuffled(rows, step):
    """Numbers of an observation change places, within objects' places and within heights, in a new order every step."""
    rng = np.random.default_rng(rows.steps)
    for name in ("objects", "landscape"):
        for array in rows.observations[name]:
            array[:] = rng.permutation(array.ravel()).reshape(array.shape)
    return step


@pytest.mark.parametrize("method", list(SETTINGS))
def test_target_a_is_solved_within_thousands_of_pushes(method, tmp_path):
    assert best_success(method, tmp_path) >= 0.8


@pytest.mark.parametrize("sabotage", [without_rewards, shuffled])
@pytest.mark.parametrize("method", list(SETTINGS))
def test_a_sabotaged_copy_does_not_solve_it(method, sabotage, tmp_path, monkeypatch):
    step = CurriculumVectorEnv.step
    monkeypatch.setattr(CurriculumVectorEnv, "step", lambda rows, actions: sabotage(rows, step(rows, actions)))
    assert best_success(method, tmp_path) <= 0.1
