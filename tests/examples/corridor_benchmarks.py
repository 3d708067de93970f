"""A benchmark of the example's corridors, as other people's packages register one."""

from procgen_bench.core.benchmark import Benchmark


def corridor_benchmark(environment_id: str) -> Benchmark:
    """The suite ``named``; the id may name the module that registers it."""
    return Benchmark(
        id="corridor/named",
        version=1,
        environment_id=environment_id,
        suite="named",
        task_names=None,
        episodes_per_task=1,
        interaction_budget=20_000,
        training_tasks="any other corridor",
        metric="success",
        minimum=0.0,
        maximum=1.0,
        tolerance=0.0,
        description="Share passed of three corridors.",
    )
