"""ProcessVectorEnv: N tasks stepped by worker processes, for simulators that do not release Python's lock."""

from typing import Any

from procgen_bench.core.checks import check_count
from procgen_bench.engine.hosted_vector_env import HostedVectorEnv
from procgen_bench.engine.memory import check_memory
from procgen_bench.engine.process_simulation import ProcessSimulation
from procgen_bench.engine.processors import checked_helpers


class ProcessVectorEnv(HostedVectorEnv):
    """A vector environment over worker processes; see :class:`HostedVectorEnv`.

    Each worker is an interpreter started afresh, with one thread, and holds a block of rows, which it steps one after
    the other. Actions, observations and outcomes lie in shared memory. Programs need no ``__main__`` guard; in return,
    classes that the program itself defines (rather than a module of its own) cannot be handed over in arguments.

    Close it, or let go of it: either ends the workers. They also end with the process that made them.

    Args:
        num_envs: Number of rows, N; those of a simulator that takes megabytes for each have to fit into memory.
        num_workers: Number of processes, 1 to N; ``None``: one for each processor that this process may use, N at most.
        **options: See :class:`TaskVectorEnv`.

    Raises:
        InvalidOptionError: The rows take more memory than there is.
        WorkerDiedError: From the call after (or during) which a worker process ended, and from every later one. The
            environment can then only be closed.
    """

    simulation: ProcessSimulation

    def __init__(self, num_envs: int = 1, *, num_workers: int | None = None, **options):
        check_count("num_envs", num_envs)
        self._num_workers = checked_helpers("num_workers", num_workers, int(num_envs))
        super().__init__(num_envs, **options)

    def _hosted(self, tasks: Any, keywords: dict[str, Any], max_episode_steps: int | None) -> ProcessSimulation:
        check_memory(self.num_envs, self.single.row_bytes)
        return ProcessSimulation(
            self.single_env_type, tasks, keywords, self.single, self.num_envs, self._num_workers, max_episode_steps
        )
