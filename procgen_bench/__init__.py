"""procgen_bench: Gymnasium environments whose tasks are generated, reference methods, and replayed leaderboards.

``import procgen_bench`` registers every environment with Gymnasium and imports none of them. Here are the names that a
user's own program needs; each family's tasks are in ``procgen_bench.tasks.FAMILY``.

- ``ENVIRONMENT_IDS``: every registered id.
- ``make_task_space(id)``: the space of an environment's tasks; ``Task``, ``TaskSpace``, ``TaskSuite``: what it is made
  of, and what a family of your own builds on.
- ``TaskEnv``: the base of every single environment.
- ``Policy``: the base of what plays.
- ``get_benchmark(id)``, ``BENCHMARKS``: what is scored.
- ``ProcgenBenchError``: the base of every error that is raised on purpose.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.core.policy import Policy
from procgen_bench.core.registrations import ENVIRONMENT_IDS, make_task_space, register_all
from procgen_bench.core.task import Task
from procgen_bench.core.task_space import TaskSpace
from procgen_bench.core.task_suite import TaskSuite
from procgen_bench.core.version import __version__

if TYPE_CHECKING:
    from procgen_bench.engine.task_env import TaskEnv

if Path(__path__[0], "tasks").is_file():  # a clone without symbolic links has a file in each one's place
    __path__.append(str(Path(__path__[0]).parent))

register_all()

__all__ = [
    "BENCHMARKS",
    "ENVIRONMENT_IDS",
    "Policy",
    "ProcgenBenchError",
    "Task",
    "TaskEnv",
    "TaskSpace",
    "TaskSuite",
    "__version__",
    "get_benchmark",
    "make_task_space",
]


def __getattr__(name: str) -> Any:
    if name == "TaskEnv":  # its layer is loaded by who builds an environment, not by every import
        from procgen_bench.engine.task_env import TaskEnv

        return TaskEnv
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
