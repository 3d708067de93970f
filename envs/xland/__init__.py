"""XLand: worlds to look at and to play in.

Importing this package imports neither MuJoCo nor PettingZoo; :func:`parallel_env` and ``XLandEnv`` do.
"""

from procgen_bench.core.extras import import_extra


def __getattr__(name: str):
    if name in ("XLandEnv", "XLandVectorEnv"):
        return getattr(import_extra("procgen_bench.envs.xland.environment", "mujoco", ("mujoco",)), name)
    if name == "solve":
        return import_extra("procgen_bench.envs.xland.scripted.solving", "mujoco", ("mujoco",)).solve
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def parallel_env(
    task=None,
    players: int | None = None,
    observation: str = "pixels",
    privileged: bool = False,
    render_mode: str | None = None,
):
    """XLand for one to three players: an :class:`~procgen_bench.envs.xland.parallel.XLandParallelEnv`; see there.

    Raises:
        MissingExtraError: PettingZoo or MuJoCo is not installed; the extra ``multiagent`` brings them.
    """
    module = import_extra("procgen_bench.envs.xland.parallel", "multiagent", ("pettingzoo", "mujoco"))
    return module.XLandParallelEnv(task, players, observation, privileged, render_mode)


__all__ = ["XLandEnv", "XLandVectorEnv", "parallel_env", "solve"]
