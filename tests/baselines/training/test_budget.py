"""Every environment step counts, and none is taken beyond the run's."""

from itertools import pairwise
from types import SimpleNamespace

import pytest

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.training.refusals import TooFewStepsError
from procgen_bench.baselines.training.rollouts import RowCollector
from procgen_bench.baselines.training.run_folder import curve_of
from procgen_bench.core.benchmarks import get_benchmark

SMALL = {"num_envs": 8, "rollout_steps": 16, "minibatches": 2, "width": 16, "evaluation_tasks": 2}
PROBING = "candidates=20,episodes=2,buffer_size=5,period=2,edits=1"


def train(steps, out, benchmark_id="grid-world/graded", **settings):
    """The steps at which a run was evaluated."""
    benchmark = get_benchmark(benchmark_id)
    method = METHODS["ppo"].within(benchmark.environment_id)
    method.train(benchmark, method.load("configuration")(**SMALL | settings), 0, steps, out)
    return [int(row["step"]) for row in curve_of(out)]


@pytest.mark.parametrize("steps", [8, 250, 256])
def test_the_last_rollout_is_shortened_to_the_steps_that_are_left(steps, tmp_path):
    assert train(steps, tmp_path / "run")[-1] == steps - steps % 8


@pytest.mark.parametrize("benchmark_id", ["grid-world/graded", "xland/tool-use-climb-1"])
def test_no_rollout_is_much_shorter_than_those_before_it(benchmark_id, tmp_path):
    """In XLand, where a row is a seat, half of the rows are seats in which nobody plays."""
    reached = train(8 * 56, tmp_path / "run", benchmark_id, evaluate_every=1)
    assert [(after - before) // 8 for before, after in pairwise(reached)] == [16, 16, 12, 12]


def test_what_is_left_below_half_a_rollout_is_left():
    def lengths(budget, cost):
        collector = SimpleNamespace(num_steps=50, rows=SimpleNamespace(steps=0, steps_of_next=cost))
        while length := RowCollector.rollout_length_within(collector, budget - collector.rows.steps):
            collector.rows.steps += length * cost
            yield length

    assert list(lengths(64 * 130, 64)) == [50, 40, 40] and list(lengths(64 * 20, 64)) == [20]
    assert list(lengths(63, 64)) == []


def test_probes_stay_within_the_steps_too(tmp_path):
    reached = train(3_000, tmp_path / "run", teacher="learnability", teacher_options=PROBING)[-1]
    assert 3_000 - 8 * 8 < reached <= 3_000, "less than half a rollout is left"


def test_a_run_of_less_than_a_step_of_every_row_is_refused(tmp_path):
    with pytest.raises(TooFewStepsError, match="steps is 7, expected at least 8, an action of each of 8 rows"):
        train(7, tmp_path / "run")
    assert not (tmp_path / "run").exists()
