from dataclasses import replace

import pytest

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
from procgen_bench.core.errors import UnknownNameError

SCORED = Benchmark(
    id="grid-world/two",
    version=1,
    environment_id="GridWorld-v0",
    suite="graded",
    task_names=("7", "3"),
    episodes_per_task=4,
    interaction_budget=1_000,
    training_tasks="any",
    metric="success",
    minimum=0.0,
    maximum=1.0,
    tolerance=0.0,
    description="Two tasks.",
)


def test_chosen_tasks_keep_their_order_and_records():
    suite = SCORED.task_suite()
    assert suite.task_names == ("7", "3") and suite.name == "graded"
    assert suite.records["length"].tolist() == [2, 1]
    assert suite["7"] == suite.tasks[0]
    assert SCORED.num_episodes == 8 and SCORED.track == "grid-world"


def test_without_names_the_whole_suite_is_scored():
    everything = replace(SCORED, task_names=None)
    assert len(everything.task_suite()) == 200 and everything.num_episodes == 800


def test_unknown_benchmark_is_named():
    with pytest.raises(UnknownNameError, match="'grid-world/none'"):
        get_benchmark("grid-world/none")


def test_every_benchmark_has_fresh_tasks():
    assert all(benchmark.has_fresh_tasks for benchmark in BENCHMARKS.values())


def test_an_id_that_is_nearly_right_is_answered_with_what_it_may_mean():
    with pytest.raises(UnknownNameError) as caught:
        get_benchmark("grid-world/grade")
    assert caught.value.close[0] == "grid-world/graded"
    message = str(caught.value)
    assert message.startswith("unknown benchmark 'grid-world/grade'; did you mean 'grid-world/graded' or ")
    assert f"? known: {next(iter(BENCHMARKS))}, " in message
    assert message.endswith("; `procgen-bench list` shows them all")
    with pytest.raises(UnknownNameError) as caught:
        get_benchmark("nowhere")
    assert caught.value.close == [] and str(caught.value).startswith("unknown benchmark 'nowhere'; known: ")
