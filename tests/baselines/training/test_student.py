"""The student as its teacher probes it: every step is charged, and none is taken beyond the run's."""

from types import SimpleNamespace

import pytest

from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.training.student_handle import StudentHandle
from procgen_bench.core.benchmarks import get_benchmark


@pytest.mark.parametrize(("steps", "levels"), [(1_000, [0, 0, 1, 1, 2, 2]), (100 + 3 * 50 + 49, [0, 0, 1]), (100, [])])
def test_probes_are_charged_and_cut_to_the_steps_that_suffice(steps, levels):
    benchmark, policy = get_benchmark("grid-world/graded"), load_policy("constant", "GridWorld-v0")
    rows, run = SimpleNamespace(steps=100), SimpleNamespace(benchmark=benchmark, steps=steps)
    player = SimpleNamespace(current_policy=lambda: policy)
    student = StudentHandle({"student": player}, rows, run)
    played = student.evaluate(benchmark.task_suite().tasks[:3], 2)
    assert played.level.tolist() == levels and not played.train.any()
    assert student.steps_used == rows.steps == 100 + played.length.sum() <= steps
    assert (played.length > 0).all()
