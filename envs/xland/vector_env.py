"""XLandVectorEnv: XLand for one player of each world over processes or threads, or for all players in one process."""

from typing import Any

from procgen_bench.core.checks import check_choice
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.engine.process_vector_env import ProcessVectorEnv
from procgen_bench.engine.threaded_vector_env import ThreadedVectorEnv
from procgen_bench.envs.xland.environment import XLandEnv
from procgen_bench.envs.xland.players_vector_env import XLandPlayersVectorEnv
from procgen_bench.tasks.xland.entities import MAX_PLAYERS


class XLandThreadedVectorEnv(ThreadedVectorEnv):
    """N tasks of :class:`XLandEnv` in this process; see :class:`ThreadedVectorEnv`."""

    single_env_type = XLandEnv


class XLandVectorEnv(ProcessVectorEnv):
    """N tasks of :class:`XLandEnv` in worker processes; see :class:`ProcessVectorEnv`.

    With ``num_threads``, they are in this process, shared out among threads: this is then an
    :class:`XLandThreadedVectorEnv`. The world's step is compiled and needs none of Python's lock; scripted co-players
    do, and are faster over processes.

    With ``players="all"``, every player of N worlds is a row, and all is in one process: this is then an
    :class:`XLandPlayersVectorEnv`.

    Raises:
        InvalidOptionError: ``players`` is neither a number of them nor ``"all"``, or both ``num_threads`` and
            ``num_workers`` are given.
    """

    single_env_type: type[XLandEnv] = XLandEnv

    def __new__(cls, *args: Any, **options: Any) -> Any:
        """An environment of one of the three kinds."""
        check_choice("players", options.get("players", 1), (*range(1, MAX_PLAYERS + 1), "all"))
        if options.get("players") == "all":
            return XLandPlayersVectorEnv(*args, **options)
        if options.get("num_threads") is None:
            return super().__new__(cls, *args, **options)
        if options.get("num_workers") is not None:
            threads, workers = options["num_threads"], options["num_workers"]
            raise InvalidOptionError(
                f"num_threads is {threads!r} and num_workers {workers!r}, expected one of them: threads or processes"
            )
        return XLandThreadedVectorEnv(
            *args, **{name: value for name, value in options.items() if name != "num_workers"}
        )

    def __init__(self, *args: Any, num_threads: None = None, **options: Any):
        super().__init__(*args, **options)
