"""ThreadedVectorEnv: N tasks stepped by threads, for simulators that release Python's lock, as MuJoCo does."""

from functools import partial
from typing import Any

from procgen_bench.core.checks import check_count
from procgen_bench.engine.hosted_vector_env import HostedVectorEnv
from procgen_bench.engine.processors import checked_helpers
from procgen_bench.engine.threaded_simulation import ThreadedSimulation


class ThreadedVectorEnv(HostedVectorEnv):
    """A vector environment in one process, its rows shared out among threads; see :class:`HostedVectorEnv`.

    Whichever thread is free plays the next row, so that busy rows hold no thread up. Ctrl-C is answered
    when all rows have been stepped. Close it, or let go of it: either ends the threads, which wait between calls.

    Args:
        num_envs: Number of rows, N.
        num_threads: Number of threads, the caller's among them, 1 to N; ``None``: one for each processor that this
            process may use, or as ``PROCGEN_BENCH_THREADS`` says, N at most.
        **options: See :class:`TaskVectorEnv`.
    """

    simulation: ThreadedSimulation

    def __init__(self, num_envs: int = 1, *, num_threads: int | None = None, **options):
        check_count("num_envs", num_envs)
        self._num_threads = checked_helpers("num_threads", num_threads, int(num_envs))
        super().__init__(num_envs, **options)

    def _hosted(self, tasks: Any, keywords: dict[str, Any], max_episode_steps: int | None) -> ThreadedSimulation:
        make_env = partial(self.single_env_type, tasks=tasks, **keywords)
        return ThreadedSimulation(make_env, self.single, self.num_envs, self._num_threads, max_episode_steps)
