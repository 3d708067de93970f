"""XLand: worlds to look at and to play in.

Importing this package imports neither MuJoCo nor PettingZoo; :func:`parallel_env` and the environments do.
"""

from procgen_bench.core.extras import import_extra

_MODULES = {
    "XLandEnv": "environment",
    "XLandSmallEnv": "small",
    "XLandSmallVectorEnv": "small",
    "XLandVectorEnv": "vector_env",
    "solve": "scripted.solving",
    "solve_small": "small",
}


def __getattr__(name: str):
    if name in _MODULES:
        return getattr(import_extra(f"procgen_bench.envs.xland.{_MODULES[name]}", "mujoco"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def parallel_env(
    task=None,
    players: int | None = None,
    observation: str = "pixels",
    privileged: bool = False,
    render_mode: str | None = None,
    tasks=None,
    **draws,
):
    """XLand for one to three players: an :class:`~procgen_bench.envs.xland.parallel.XLandParallelEnv`; see there.

    Raises:
        MissingExtraError: PettingZoo or MuJoCo is not installed; the extra ``multiagent`` brings them.
    """
    module = import_extra("procgen_bench.envs.xland.parallel", "multiagent")
    return module.XLandParallelEnv(task, players, observation, privileged, render_mode, tasks=tasks, **draws)


__all__ = [
    "XLandEnv",
    "XLandSmallEnv",
    "XLandSmallVectorEnv",
    "XLandVectorEnv",
    "parallel_env",
    "solve",
    "solve_small",
]
