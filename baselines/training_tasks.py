"""Tasks to train on: none that the benchmark holds out."""

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.core.task import Task


class HeldOutTasksError(ProcgenBenchError):
    """Training shall be on tasks that the benchmark holds out."""


def tasks_of_the_suite(benchmark: Benchmark) -> list[Task]:
    """The benchmark's scored tasks, to train on them: APT-Gen's targets may be, other suites may not.

    Raises:
        HeldOutTasksError: The protocol forbids it.
    """
    tasks = list(benchmark.task_suite().tasks)
    held_out = sum(map(benchmark.holds_out, tasks))
    if held_out:
        raise HeldOutTasksError(
            f"{held_out} of the {len(tasks)} tasks of {benchmark.id} are held out: it allows training on "
            f"{benchmark.training_tasks}. Train under a teacher that draws those, or for another benchmark"
        )
    return tasks
