"""PPO learns in the simplest of XLand's rooms within a minute: to keep an object in view, in 5 x 5 flat tiles."""

import pytest

from procgen_bench.baselines.method_table import get_method
from procgen_bench.baselines.training.run_folder import read_curve
from procgen_bench.core.benchmarks import get_benchmark

STAGE = "skill:see+sides:5+max_level:0+objects:1"


@pytest.mark.slow
def test_a_flat_room_is_learned_in_a_minute(tmp_path):
    benchmark = get_benchmark("xland/skills")
    method = get_method("ppo").within(benchmark.environment_id)
    configuration = method.load("configuration")(
        teacher="stages",
        teacher_options=f"stages={STAGE},threshold=1",
        rollout_steps=25,
        num_envs=64,
        evaluate_every=20_000,
        evaluation_tasks=1,
    )
    run = get_method("ppo").train(benchmark, configuration, 0, 60_000, tmp_path / "run")
    _, first, *_, last = read_curve(run.path / "curve.csv")
    assert first["teacher_stages_open"] == last["teacher_stages_open"] == 1
    # Of 300 steps; actions at random see the object in 15.
    assert first["training_return"] < 25 < 50 < last["training_return"] and last["training_success"] > 0.9
