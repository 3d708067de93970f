"""What may be trained on: APT-Gen's targets, and no other suite."""

import pytest

from procgen_bench.baselines.dqn import DQNConfiguration
from procgen_bench.baselines.dqn import train as train_dqn
from procgen_bench.baselines.ppo import PPOConfiguration
from procgen_bench.baselines.ppo import train as train_ppo
from procgen_bench.baselines.training_tasks import HeldOutTasksError, tasks_of_the_suite
from procgen_bench.core.benchmarks import get_benchmark


def test_targets_may_be_trained_on():
    target = get_benchmark("grid-world/target-a")
    assert tasks_of_the_suite(target) == list(target.task_suite().tasks)


@pytest.mark.parametrize("name", ["grid-world/graded", "grid-world/random"])
@pytest.mark.parametrize(
    ("train", "configuration"),
    [(train_dqn, DQNConfiguration(teacher="targets")), (train_ppo, PPOConfiguration(teacher="targets"))],
)
def test_training_on_a_suite_that_is_held_out_is_refused(name, train, configuration, tmp_path):
    benchmark = get_benchmark(name)
    with pytest.raises(HeldOutTasksError, match=f"tasks of {name} are held out: it allows training on any task"):
        train(benchmark, configuration, 0, 1_000, tmp_path / "run")
    assert not (tmp_path / "run").exists()
